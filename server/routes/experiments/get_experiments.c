/* GET /v1/experiments: newest first, a page at a time; as text/csv all of them, unless a page is asked for. Rows are read from the store and sent in small
   pieces, so that neither a page nor a transaction is ever held whole. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/text.h"
#include "server/http/admission/field.h"
#include "server/http/route.h"
#include "server/routes/answers/answer_experiment.h"
#include "server/routes/service.h"

enum { PAGE_SIZE = 50, PAGE_SIZE_MAX = 500, PIECE_ROWS = 32 };

static const char *const queries[] = {"kernel", "state",     "device",     "label", "sweep",
                                      "owner",  "page_size", "page_token", NULL};

struct listing {
    struct store *store;
    struct buffer *out;
    char kernel[64], sweep[ID_BYTES], owner[PERSON_NAME_BYTES], label[64], label_value[256], last[ID_BYTES];
    struct store_filter filter; /* points to the texts above */
    int left, seen;             /* rows of the page still to come; rows of this piece */
    bool headed, begun, more;   /* more: there is a next page */
    bool table;                 /* as CSV */
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
    view_of_job(job, &view);
    if (listing->table)
        return csv_row(listing->out, &(struct view_point){.index = -1, .experiment = &view});
    return view_summary(listing->out, &view);
}

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct listing *listing = arg;
    listing->out = out;
    listing->seen = 0;
    listing->filter.before = listing->last[0] ? listing->last : NULL;
    listing->filter.limit = listing->left < PIECE_ROWS ? listing->left + 1 : PIECE_ROWS;
    if (!listing->headed && listing->table)
        csv_header(out);
    else if (!listing->headed)
        buffer_text(out, "{\"experiments\":[");
    listing->headed = true;
    if (store_list(listing->store, &listing->filter, row_write, listing, error) < 0)
        return -1;
    if (!listing->more && listing->seen == listing->filter.limit)
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

/* label=key or label=key:value */
static bool label_take(const struct request *request, struct listing *listing)
{
    const char *text = request_query(request, "label");
    if (!text)
        return true;
    size_t length = strcspn(text, ":");
    if (!length || length >= sizeof listing->label)
        return false;
    memcpy(listing->label, text, length);
    listing->filter.label = listing->label;
    if (!text[length])
        return true;
    listing->filter.label_value = listing->label_value;
    return (size_t)snprintf(listing->label_value, sizeof listing->label_value, "%s", text + length + 1) <
           sizeof listing->label_value;
}

/* NULL, or what is wrong. */
static const char *filter_read(const struct request *request, struct listing *listing)
{
    struct store_filter *filter = &listing->filter;
    const char *state = request_query(request, "state"), *device = request_query(request, "device");
    const char *size = request_query(request, "page_size"), *token = request_query(request, "page_token");
    *filter = (struct store_filter){.state = -1, .device = -1};
    listing->table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    listing->left = listing->table ? INT_MAX : PAGE_SIZE;
    if (!text_take(request, "kernel", listing->kernel, sizeof listing->kernel, &filter->kernel))
        return "kernel must be the name of a kernel";
    if (state && (filter->state = job_state_of(state)) < 0)
        return "state must be queued, running, succeeded, failed or cancelled";
    if (device && !field_number(device, 0, 999999999, &filter->device))
        return "device must be the index of a device";
    if (!text_take(request, "sweep", listing->sweep, sizeof listing->sweep, &filter->sweep) ||
        (filter->sweep && !id_valid(filter->sweep)))
        return "sweep must be the id of a sweep";
    if (!text_take(request, "owner", listing->owner, sizeof listing->owner, &filter->owner) ||
        (filter->owner && !person_name_valid(filter->owner)))
        return "owner must be a name: " PERSON_NAME_RULE;
    if (!label_take(request, listing))
        return "label must be a label's name, or name:value";
    if (size && !field_number(size, 1, PAGE_SIZE_MAX, &listing->left))
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
    listing->store = request_service(request)->store;
    const char *wrong = filter_read(request, listing);
    if (wrong) {
        free(listing);
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    }
    return reply_stream(request, piece_write, listing, free);
}

const struct route route_get_experiments = {
    .method = "GET",
    .pattern = "/v1/experiments",
    .type = "application/json",
    .other = CSV_MEDIA_TYPE,
    .queries = queries,
    .flags = ROUTE_APART,
    .handle = handle,
};
