/* The page and its files, the contract, and a plain text at /. */
#include <string.h>

#include "server/http/site.h"
#include "server/routes/service.h"
#include "version.h"

static route_handler index_show, contract_show, page_redirect;

static const char page_type[] = "text/html; charset=utf-8";

const struct route ui_routes[] = {
    /* A plain text that lists addresses; a browser is redirected to the page. */
    {"GET", "/", "text/plain", .other = page_type, .flags = ROUTE_OPEN | ROUTE_CACHED, .handle = index_show},
    /* The contract, as it was when this program was built. */
    {"GET", "/openapi.yaml", "application/yaml", .flags = ROUTE_OPEN | ROUTE_CACHED | ROUTE_SLOW,
     .handle = contract_show},
    /* The page's address without its last slash. */
    {"GET", "/ui", "text/html; charset=utf-8", .flags = ROUTE_OPEN | ROUTE_QUERY, .handle = page_redirect},
    /* The page. */
    {"GET", "/ui/", "text/html; charset=utf-8", .flags = ROUTE_OPEN | ROUTE_QUERY,
     .handle = site_answer_page},
    /* The same document, which shows the page that the path names. */
    {"GET", "/ui/{page}", "text/html; charset=utf-8", .flags = ROUTE_OPEN | ROUTE_QUERY,
     .handle = site_answer_page},
    /* The same about one experiment, sweep or device. */
    {"GET", "/ui/{page}/{id}", "text/html; charset=utf-8", .flags = ROUTE_OPEN | ROUTE_QUERY,
     .handle = site_answer_page},
    /* A script that pages share. */
    {"GET", "/ui/assets/{file}.js", "text/javascript", .flags = ROUTE_OPEN | ROUTE_CACHED,
     .handle = site_answer_file},
    /* Style sheets. */
    {"GET", "/ui/assets/{file}.css", "text/css", .flags = ROUTE_OPEN | ROUTE_CACHED,
     .handle = site_answer_file},
    /* A page's script, or a chart's. */
    {"GET", "/ui/assets/{folder}/{file}.js", "text/javascript", .flags = ROUTE_OPEN | ROUTE_CACHED,
     .handle = site_answer_file},
    {0},
};

static const char text[] =
    "coalesced " COALESCED_VERSION ": memory experiments on a shared GPU\n\n"
    "GET  /v1/kernels           what can be run\n"
    "GET  /v1/devices           on what\n"
    "POST /v1/experiments       run one: {\"kernel\": \"read_offset\", \"offset\": 11}\n"
    "GET  /v1/experiments/{id}  its result\n"
    "POST /v1/sweeps            many at once: {\"kernel\": \"read_offset\", \"offset\": [0, 1, 11]}\n"
    "GET  /v1/recipes           published tables, as sweeps: {\"recipe\": \"aos_soa\"}\n"
    "POST /v1/predictions       what the model says, at once\n"
    "GET  /v1/queue             what waits\n"
    "GET  /ui/                  the same in a browser\n"
    "GET  /openapi.yaml         all of it\n";

static enum handled index_show(struct request *request)
{
    if (strcmp(request_type(request), page_type) == 0)
        return reply_see_other(request, "ui/");
    struct buffer body = {0};
    buffer_text(&body, text);
    return reply_immutable(request, &body, "index");
}

static enum handled page_redirect(struct request *request)
{
    const char *language = request_query(request, "lang");
    if (language && strcmp(language, "zh") == 0)
        return reply_see_other(request, "ui/?lang=zh");
    return reply_see_other(request, language && strcmp(language, "en") == 0 ? "ui/?lang=en" : "ui/");
}

extern const char api_openapi_yaml[];

static enum handled contract_show(struct request *request)
{
    struct buffer body = {0};
    buffer_text(&body, api_openapi_yaml);
    return reply_immutable(request, &body, "openapi");
}
