/* GET /ui/assets/{file}.js: a script that pages share. */
#include "server/http/site.h"

const struct route route_ui_script = {
    .method = "GET",
    .pattern = "/ui/assets/{file}.js",
    .type = "text/javascript",
    .flags = ROUTE_OPEN | ROUTE_CACHED,
    .handle = site_answer_file,
};
