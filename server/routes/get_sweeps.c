/* GET /v1/sweeps: newest first, a page at a time, without their points. Counting how far each is takes a
   moment, so they are sent a few at a time. */
#include <stdlib.h>
#include <string.h>

#include "api/scan.h"
#include "api/text.h"
#include "server/http/header_field.h"
#include "server/http/route.h"
#include "server/routes/answer_sweep.h"
#include "server/routes/list_filter.h"

enum { PAGE_SIZE = 50, PAGE_SIZE_MAX = 500, PIECE_ROWS = 8 };

static const char *const queries[] = {"owner", "label",     "device_uuid", "since",
                                      "until", "page_size", "page_token",  NULL};

struct listing {
    struct service *service;
    struct buffer *out;
    struct list_filter asked;
    char last[ID_BYTES];
    int left, seen;           /* of the page still to come; of this piece */
    bool headed, begun, more; /* more: there is a next page */
};

/* The kernel that its request names, or a list of them; null where it names a recipe. */
static int kernel_write(struct buffer *out, const char *request)
{
    struct scan_paths paths = {0};
    struct scan_value kernel = {0};
    if (scan_add(&paths, "kernel", 0))
        scan_text(&paths.nodes[0], request, &kernel);
    buffer_text(out, ",\"kernel\":");
    return kernel.at ? buffer_append(out, kernel.at, kernel.length) : buffer_text(out, "null");
}

static int row_write(void *arg, const struct sweep_row *row)
{
    struct listing *listing = arg;
    struct view_sweep view;
    listing->seen++;
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
    kernel_write(listing->out, row->request);
    return buffer_text(listing->out, "}");
}

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct listing *listing = arg;
    int limit = listing->left < PIECE_ROWS ? listing->left + 1 : PIECE_ROWS;
    listing->out = out;
    listing->seen = 0;
    if (!listing->headed)
        buffer_text(out, "{\"sweeps\":[");
    listing->headed = true;
    listing->asked.filter.before = listing->last[0] ? listing->last : NULL;
    listing->asked.filter.limit = limit;
    if (store_sweeps(listing->service->store, &listing->asked.filter, row_write, listing, error) < 0)
        return -1;
    if (!listing->more && listing->seen == limit)
        return 1;
    buffer_text(out, "],\"next_page_token\":");
    text_string(out, listing->more ? listing->last : NULL);
    return buffer_text(out, "}\n");
}

static enum handled handle(struct request *request)
{
    const char *size = request_query(request, "page_size"), *token = request_query(request, "page_token");
    int left = PAGE_SIZE;
    if (size && !header_field_number(size, 1, PAGE_SIZE_MAX, &left))
        return reply_problem(request, PROBLEM_MALFORMED, "page_size must be a number from 1 to 500");
    if (token && !id_valid(token))
        return reply_problem(request, PROBLEM_MALFORMED,
                             "page_token must be the next_page_token of the page before");
    struct listing *listing = calloc(1, sizeof *listing);
    if (!listing)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for a list");
    listing->service = request_service(request);
    listing->left = left;
    const char *wrong = list_filter_read(request, &listing->asked);
    if (wrong) {
        free(listing);
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    }
    if (token)
        memcpy(listing->last, token, sizeof listing->last);
    return reply_stream(request, piece_write, listing, free);
}

const struct route route_get_sweeps = {
    .method = "GET",
    .pattern = "/v1/sweeps",
    .type = "application/json",
    .queries = queries,
    .flags = ROUTE_SLOW,
    .handle = handle,
};
