/* GET /ui/{page}: one of its pages. */
#include "server/http/site.h"

const struct route route_ui_page = {
    .method = "GET",
    .pattern = "/ui/{page}",
    .type = "text/html; charset=utf-8",
    .flags = ROUTE_OPEN | ROUTE_QUERY,
    .handle = site_answer_page,
};
