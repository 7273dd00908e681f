/* GET /v1/experiments: newest first, a page at a time; as text/csv all of them, unless a page is asked for. Rows are read from the store and sent in small
   pieces, so that neither a page nor a transaction is ever held whole. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/text.h"
#include "server/http/header_field.h"
#include "server/http/route.h"
#include "server/routes/answer_experiment.h"
#include "server/routes/list_filter.h"
#include "server/routes/choosing.h"
#include "server/routes/service.h"

enum { PAGE_SIZE = 50, PAGE_SIZE_MAX = 500, PIECE_ROWS = 32 };

static const char *const queries[] = {"kernel",    "state",       "device", "label", "sweep",
                                      "owner",     "device_uuid", "since",  "until", "columns",
                                      "page_size", "page_token",  NULL};

struct listing {
    struct service *service;
    struct buffer *out;
    char kernel[64], sweep[ID_BYTES], last[ID_BYTES];
    struct list_filter asked; /* its filter points to these texts too */
    int left, seen;           /* rows of the page still to come; rows of this piece */
    bool headed, begun, more; /* more: there is a next page */
    bool table;               /* as CSV */
    struct columns columns;   /* of it */
    char detail[COLUMNS_DETAIL_BYTES];
};

static int row_write(void *arg, const struct job *job)
{
    struct listing *listing = arg;
    struct view_experiment view;
    listing->seen++;
    if (!listing->left) {
        listing->more = true;
        return 1;
    }
    if (listing->begun && !listing->table)
        buffer_text(listing->out, ",");
    listing->begun = true;
    listing->left--;
    memcpy(listing->last, job->id, sizeof listing->last);
    view_of_job(listing->service, job, &view);
    if (listing->table)
        return csv_row(listing->out, &listing->columns,
                       &(struct view_point){.index = -1, .experiment = &view});
    return view_summary(listing->out, &view);
}

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct listing *listing = arg;
    listing->out = out;
    listing->seen = 0;
    struct store_filter *filter = &listing->asked.filter;
    filter->before = listing->last[0] ? listing->last : NULL;
    filter->limit = listing->left < PIECE_ROWS ? listing->left + 1 : PIECE_ROWS;
    if (!listing->headed && listing->table)
        csv_header(out, &listing->columns);
    else if (!listing->headed)
        buffer_text(out, "{\"experiments\":[");
    listing->headed = true;
    if (store_list(listing->service->store, filter, row_write, listing, error) < 0)
        return -1;
    if (!listing->more && listing->seen == filter->limit)
        return 1;
    if (listing->table)
        return 0;
    buffer_text(out, "],\"next_page_token\":");
    text_string(out, listing->more ? listing->last : NULL);
    return buffer_text(out, "}\n");
}

/* Copies a query's text; false: it is too long for anything that there can be. */
static bool text_take(const struct request *request, const char *name, char *to, size_t room,
                      const char **field)
{
    const char *text = request_query(request, name);
    if (!text)
        return true;
    *field = to;
    return (size_t)snprintf(to, room, "%s", text) < room;
}

/* NULL, or what is wrong. */
static const char *filter_read(const struct request *request, struct listing *listing)
{
    struct store_filter *filter = &listing->asked.filter;
    const char *columns = request_query(request, "columns");
    const char *state = request_query(request, "state"), *device = request_query(request, "device");
    const char *size = request_query(request, "page_size"), *token = request_query(request, "page_token");
    const char *wrong = list_filter_read(request, &listing->asked);
    if (wrong)
        return wrong;
    listing->table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    listing->left = listing->table ? INT_MAX : PAGE_SIZE;
    if (!text_take(request, "kernel", listing->kernel, sizeof listing->kernel, &filter->kernel))
        return "kernel must be the name of a kernel";
    if (state && (filter->state = job_state_of(state)) < 0)
        return "state must be queued, running, succeeded, failed or cancelled";
    if (device && !header_field_number(device, 0, 999999999, &filter->device) &&
        (filter->device = choosing_find(listing->service->devices, device)) < 0)
        return "device must be the number of a device, or its name, as GET /v1/devices lists them";
    if (!text_take(request, "sweep", listing->sweep, sizeof listing->sweep, &filter->sweep) ||
        (filter->sweep && !id_valid(filter->sweep)))
        return "sweep must be the id of a sweep";
    if (columns && !listing->table)
        return "columns are a table's: ask for one with Accept: text/csv";
    if (csv_columns(&listing->columns, columns, listing->detail) < 0)
        return listing->detail;
    if (size && !header_field_number(size, 1, PAGE_SIZE_MAX, &listing->left))
        return "page_size must be a number from 1 to 500";
    if (token && !id_valid(token))
        return "page_token must be the next_page_token of the page before";
    if (token)
        memcpy(listing->last, token, sizeof listing->last);
    return NULL;
}

static enum handled handle(struct request *request)
{
    struct listing *listing = calloc(1, sizeof *listing);
    if (!listing)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for a list");
    listing->service = request_service(request);
    const char *wrong = filter_read(request, listing);
    if (wrong) {
        enum handled handled = reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
        free(listing);
        return handled;
    }
    return reply_stream(request, piece_write, listing, free);
}

const struct route route_get_experiments = {
    .method = "GET",
    .pattern = "/v1/experiments",
    .type = "application/json",
    .other = CSV_MEDIA_TYPE,
    .queries = queries,
    .flags = ROUTE_SLOW,
    .handle = handle,
};
