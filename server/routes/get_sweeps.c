/* GET /v1/sweeps: newest first, a page at a time, without their points. */
#include "api/text.h"
#include "server/http/route.h"
#include "server/sweeps.h"

#include <string.h>

enum { PAGE_SIZE = 50, PAGE_SIZE_MAX = 500 };

static const char *const queries[] = {"page_size", "page_token", NULL};

struct listing {
    struct service *service;
    struct buffer *out;
    char last[ID_BYTES];
    int left;
    bool begun, more; /* more: there is a next page */
};

static int row_write(void *arg, const struct sweep_row *row)
{
    struct listing *listing = arg;
    struct view_sweep view;
    if (!listing->left) {
        listing->more = true;
        return 1;
    }
    if (listing->begun)
        buffer_text(listing->out, ",");
    listing->begun = true;
    listing->left--;
    memcpy(listing->last, row->id, sizeof listing->last);
    view_of_sweep(listing->service, row, &view);
    view_sweep(listing->out, &view);
    return buffer_text(listing->out, "}");
}

static enum handled handle(struct request *request)
{
    const char *size = request_query(request, "page_size"), *token = request_query(request, "page_token");
    struct buffer body = {0};
    struct error error = {0};
    struct listing listing = {.service = request_service(request), .out = &body, .left = PAGE_SIZE};
    if (size && !number_parse(size, 1, PAGE_SIZE_MAX, &listing.left))
        return reply_problem(request, PROBLEM_MALFORMED, "page_size must be a number from 1 to 500");
    if (token && !id_valid(token))
        return reply_problem(request, PROBLEM_MALFORMED,
                             "page_token must be the next_page_token of the page before");
    buffer_text(&body, "{\"sweeps\":[");
    if (store_sweeps(listing.service->store, token, listing.left + 1, row_write, &listing, &error) < 0) {
        buffer_free(&body);
        return reply_error(request, &error);
    }
    buffer_text(&body, "],\"next_page_token\":");
    text_string(&body, listing.more ? listing.last : NULL);
    buffer_text(&body, "}\n");
    return reply_body(request, 200, &body);
}

const struct route route_get_sweeps = {
    .method = "GET",
    .pattern = "/v1/sweeps",
    .type = "application/json",
    .queries = queries,
    .handle = handle,
};
