/* GET /ui/assets/{file}.css: how it looks. */
#include "server/http/site.h"

const struct route route_ui_style = {
    .method = "GET",
    .pattern = "/ui/assets/{file}.css",
    .type = "text/css",
    .flags = ROUTE_OPEN | ROUTE_CACHED,
    .handle = site_answer_file,
};
