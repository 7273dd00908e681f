/* GET /ui/assets/{folder}/{file}.js: a page's script, or a chart's. */
#include "server/http/content/site.h"

const struct route route_ui_module = {
    .method = "GET",
    .pattern = "/ui/assets/{folder}/{file}.js",
    .type = "text/javascript",
    .flags = ROUTE_OPEN | ROUTE_KEPT,
    .handle = site_answer_file,
};
