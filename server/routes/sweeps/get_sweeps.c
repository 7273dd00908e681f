/* GET /v1/sweeps: newest first, a page at a time, without their points. Counting how far each is takes a
   moment, so they are sent a few at a time. */
#include <stdlib.h>
#include <string.h>

#include "api/text.h"
#include "server/http/admission/field.h"
#include "server/http/route.h"
#include "server/routes/answers/answer_sweep.h"

enum { PAGE_SIZE = 50, PAGE_SIZE_MAX = 500, PIECE_ROWS = 8 };

static const char *const queries[] = {"owner", "page_size", "page_token", NULL};

struct listing {
    struct service *service;
    struct buffer *out;
    char owner[PERSON_NAME_BYTES], last[ID_BYTES];
    int left, seen;           /* of the page still to come; of this piece */
    bool headed, begun, more; /* more: there is a next page */
};

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
    if (store_sweeps(listing->service->store, listing->owner[0] ? listing->owner : NULL,
                     listing->last[0] ? listing->last : NULL, limit, row_write, listing, error) < 0)
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
    const char *owner = request_query(request, "owner");
    int left = PAGE_SIZE;
    if (size && !field_number(size, 1, PAGE_SIZE_MAX, &left))
        return reply_problem(request, PROBLEM_MALFORMED, "page_size must be a number from 1 to 500");
    if (token && !id_valid(token))
        return reply_problem(request, PROBLEM_MALFORMED,
                             "page_token must be the next_page_token of the page before");
    if (owner && !person_name_valid(owner))
        return reply_problem(request, PROBLEM_MALFORMED, "owner must be a name: " PERSON_NAME_RULE);
    struct listing *listing = calloc(1, sizeof *listing);
    if (!listing)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for a list");
    listing->service = request_service(request);
    listing->left = left;
    if (owner)
        memcpy(listing->owner, owner, strlen(owner));
    if (token)
        memcpy(listing->last, token, sizeof listing->last);
    return reply_stream(request, piece_write, listing, free);
}

const struct route route_get_sweeps = {
    .method = "GET",
    .pattern = "/v1/sweeps",
    .type = "application/json",
    .queries = queries,
    .flags = ROUTE_APART,
    .handle = handle,
};
