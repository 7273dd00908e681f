/* GET /ui/{page}/{id}: a page about one experiment, sweep or device. */
#include "server/http/site.h"

const struct route route_ui_page_of = {
    .method = "GET",
    .pattern = "/ui/{page}/{id}",
    .type = "text/html; charset=utf-8",
    .flags = ROUTE_OPEN | ROUTE_QUERY,
    .handle = site_answer_page,
};
