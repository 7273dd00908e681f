/* GET /ui/: the page, at the lab. */
#include "server/http/site.h"

const struct route route_ui_home = {
    .method = "GET",
    .pattern = "/ui/",
    .type = "text/html; charset=utf-8",
    .flags = ROUTE_OPEN | ROUTE_QUERY,
    .handle = site_answer_page,
};
