/* /v1/sweeps: submitting, listing, showing and ending sweeps, which are many experiments of one request. */
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/scan.h"
#include "server/queue/queue_admin.h"
#include "server/routes/deletion.h"
#include "server/routes/query.h"
#include "server/routes/route_table.h"
#include "server/routes/submission_steps.h"
#include "server/routes/sweep_points.h"
#include "server/routes/sweep_reply.h"
#include "server/routes/wait.h"

static route_handler sweep_submit, sweep_list, sweep_show, sweep_show_table, sweep_delete;

static const char *const submit_queries[] = {"columns", "view", NULL};
static const char *const list_queries[] = {"owner", "label",     "device_uuid", "since",
                                           "until", "page_size", "page_token",  NULL};
static const char *const show_queries[] = {"columns", "page_size", "page_token", "view", "wait", NULL};
static const char *const table_queries[] = {"columns", "view", NULL};

const struct route sweep_routes[] = {
    /* Answers once all of it is on the disk or, with "Prefer: wait=N", has ended; then also as a table.
       Points are expanded in the worker pool, as 10,000 take 200 ms. */
    {
        .method = "POST",
        .pattern = "/v1/sweeps",
        .type = "application/json",
        .other = CSV_MEDIA_TYPE,
        .queries = submit_queries,
        .flags = ROUTE_JSON,
        .body_max = 1 << 20,
        .handle = sweep_submit,
    },
    /* Newest first, a page at a time, without their points. */
    {
        .method = "GET",
        .pattern = "/v1/sweeps",
        .type = "application/json",
        .queries = list_queries,
        .flags = ROUTE_SLOW,
        .handle = sweep_list,
    },
    /* Its state and a page of its points, as a table all points; with wait=N once all have ended, or after
       N seconds. */
    {
        .method = "GET",
        .pattern = "/v1/sweeps/{id}",
        .type = "application/json",
        .other = CSV_MEDIA_TYPE,
        .queries = show_queries,
        .flags = ROUTE_SLOW,
        .handle = sweep_show,
    },
    /* The table of all points, for clients that cannot send an Accept header. */
    {
        .method = "GET",
        .pattern = "/v1/sweeps/{id}.csv",
        .type = CSV_MEDIA_TYPE,
        .queries = table_queries,
        .flags = ROUTE_SLOW,
        .handle = sweep_show_table,
    },
    /* Cancels all of it that has not ended. */
    {
        .method = "DELETE",
        .pattern = "/v1/sweeps/{id}",
        .type = "application/json",
        .queries = deletion_queries,
        .handle = sweep_delete,
    },
    {0},
};

static enum handled sweep_submit(struct request *request)
{
    return submission_steps_handle(request, true);
}

/* ---- the list: counting a sweep's ended points takes a moment, so rows are sent a few at a time ---- */

enum { PIECE_ROWS = 8 };

struct sweep_listing {
    struct service *service;
    struct json_writer json;
    struct query_list asked;
    int left, seen;    /* rows of the page still to come; rows of this piece */
    bool headed, more; /* more: there is a next page */
};

/* The kernel that the sweep's request names, or a list of them; null where it names a recipe. */
static void kernel_write(struct json_writer *json, const char *request)
{
    struct scan_paths paths = {0};
    struct scan_value kernel = {0};
    if (scan_add(&paths, "kernel", 0))
        scan_text(&paths.nodes[0], request, &kernel);
    if (kernel.at)
        json_writer_raw(json, "kernel", kernel.at, kernel.length);
    else
        json_writer_null(json, "kernel");
}

static int row_write(void *arg, const struct sweep_row *row)
{
    struct sweep_listing *listing = arg;
    struct view_sweep view;
    listing->seen++;
    if (!listing->left) {
        listing->more = true;
        return 1;
    }
    listing->left--;
    memcpy(listing->asked.token, row->id, sizeof listing->asked.token);
    sweep_reply_init(listing->service, row, &view);
    sweep_view_open(&listing->json, NULL, &view);
    kernel_write(&listing->json, row->request);
    json_writer_end(&listing->json);
    return listing->json.out->failed ? -1 : 0;
}

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct sweep_listing *listing = arg;
    int limit = listing->left < PIECE_ROWS ? listing->left + 1 : PIECE_ROWS;
    struct json_writer *json = &listing->json;
    json->out = out;
    listing->seen = 0;
    if (!listing->headed) {
        json_writer_begin_object(json, NULL);
        json_writer_begin_array(json, "sweeps");
    }
    listing->headed = true;
    listing->asked.filter.before = listing->asked.token[0] ? listing->asked.token : NULL;
    listing->asked.filter.limit = limit;
    if (store_sweeps(listing->service->store, &listing->asked.filter, row_write, listing, error) < 0)
        return -1;
    if (!listing->more && listing->seen == limit)
        return 1;
    json_writer_end(json);
    json_writer_string(json, "next_page_token", listing->more ? listing->asked.token : NULL);
    json_writer_end(json);
    return buffer_text(out, "\n");
}

static enum handled sweep_list(struct request *request)
{
    struct sweep_listing *listing = calloc(1, sizeof *listing);
    if (!listing)
        return service_reply_no_memory(request, "for a list");
    listing->service = service_of(request);
    const char *wrong = query_list(request, QUERY_PAGE_SIZE, &listing->asked);
    if (wrong) {
        free(listing);
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    }
    listing->left = listing->asked.size;
    return reply_stream(request, piece_write, listing, free);
}

/* ---- one sweep ---- */

static enum handled row_answer(struct request *request, const struct sweep_row *row, int wait_s,
                               const struct sweep_page *page)
{
    bool ended = sweep_row_ended(row);
    enum handled handled;
    if (!ended && wait_end_continue(request, wait_s, "the sweep goes on after its next start", &handled))
        return handled;
    if (ended)
        reply_preference_applied(request);
    return sweep_points_reply(request, row, page);
}

static enum handled sweep_show(struct request *request)
{
    const char *id = request_param(request);
    bool table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    struct sweep_page page;
    struct sweep_row row;
    enum handled handled;
    int wait_s;
    const char *wrong = query_sweep_page(request, table, &page);
    if (!wrong)
        wrong = query_wait(request, &wait_s);
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    if (!wait_end_keep(request, id, wait_s, &handled) || sweep_reply_read(request, id, &row, &handled) < 0)
        return handled;
    handled = row_answer(request, &row, wait_s, &page);
    sweep_row_clear(&row);
    return handled;
}

static enum handled sweep_show_table(struct request *request)
{
    struct sweep_row row;
    struct sweep_page page;
    enum handled handled;
    const char *wrong = query_sweep_page(request, true, &page);
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    if (sweep_reply_read(request, request_param(request), &row, &handled) < 0)
        return handled;
    handled = sweep_points_reply(request, &row, &page);
    sweep_row_clear(&row);
    return handled;
}

static int target_read(struct request *request, const char *id, struct deletion_target *target,
                       enum handled *handled)
{
    struct sweep_row row;
    if (sweep_reply_read(request, id, &row, handled) < 0)
        return -1;
    target->ended = sweep_row_ended(&row);
    target->state = sweep_reply_state(&row);
    memcpy(target->owner, row.owner, sizeof target->owner);
    sweep_row_clear(&row);
    return 0;
}

static enum handled cancel_answer(struct request *request, const char *id, bool cancelled)
{
    struct sweep_row row;
    enum handled handled;
    if (sweep_reply_read(request, id, &row, &handled) < 0)
        return handled;
    if (cancelled)
        handled = sweep_reply_accepted(request, sweep_row_ended(&row) ? 200 : 202, &row);
    else
        handled = deletion_reply_ended(request, "sweep", id, sweep_reply_state(&row));
    sweep_row_clear(&row);
    return handled;
}

static enum handled sweep_delete(struct request *request)
{
    static const struct deletion deletion = {
        .what = "sweep",
        .kind = STORE_SWEEP,
        .cancel = queue_cancel_sweep,
        .read = target_read,
        .answer = cancel_answer,
    };
    return deletion_handle(request, &deletion);
}
