/* GET /ui/assets/{folder}/{file}.js: a page's script, or a chart's. */
#include "server/http/site.h"

const struct route route_ui_module = {
    .method = "GET",
    .pattern = "/ui/assets/{folder}/{file}.js",
    .type = "text/javascript",
    .flags = ROUTE_OPEN | ROUTE_CACHED,
    .handle = site_answer_file,
};
