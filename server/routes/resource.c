/* Listing experiments or sweeps; reading, showing, cancelling and removing one of them. */
#include "server/routes/resource.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/scan.h"
#include "base/clock.h"
#include "kernels/source/source_kernel.h"
#include "server/queue/queue_admin.h"
#include "server/routes/experiment_reply.h"
#include "server/routes/query.h"
#include "server/routes/sweep_reply.h"
#include "server/routes/wait.h"
#include "server/store/write.h"

bool resource_is_sweep(const struct request *request)
{
    static const char sweeps[] = "/v1/sweeps";
    return strncmp(request_path(request), sweeps, sizeof sweeps - 1) == 0;
}

static const char *name_of(const struct request *request)
{
    return resource_is_sweep(request) ? "sweep" : "experiment";
}

int resource_read(struct request *request, struct stored_resource *found, enum handled *handled)
{
    struct store *store = service_of(request)->store;
    const char *id = request_param(request);
    struct error error = {0};
    *found = (struct stored_resource){0};
    if (id_valid(id) && resource_is_sweep(request)) {
        if (store_sweep(store, id, &found->row, &error) == 0) {
            found->ended = sweep_row_ended(&found->row);
            found->state = sweep_state_name(sweep_row_state(&found->row));
            found->owner = found->row.owner;
            return 0;
        }
    } else if (id_valid(id) && store_get(store, id, &found->job, &error) == 0) {
        found->ended = job_state_ended(found->job->state);
        found->state = job_state_name(found->job->state);
        found->owner = found->job->owner;
        return 0;
    }
    *handled = error.kind == ERROR_NONE
                   ? reply_problem(request, PROBLEM_NOT_FOUND, "there is no %s %s", name_of(request), id)
                   : reply_error(request, &error);
    return -1;
}

void resource_clear(struct stored_resource *found)
{
    job_free(found->job);
    sweep_row_clear(&found->row);
}

/* ---- lists: rows are read and sent a few at a time, so that neither a page nor a transaction is held whole.
   Counting a sweep's ended points takes a moment, so fewer of these are read at a time. ---- */

enum { PIECE_EXPERIMENTS = 32, PIECE_SWEEPS = 8 };

struct listing {
    struct service *service;
    bool sweeps;
    struct json_writer json; /* unless it is a table; its buffer is the piece's in any case */
    struct query_list asked;
    int left, seen;    /* rows of the page still to come; rows of this piece */
    bool headed, more; /* more: there is a next page */
    bool table;        /* of experiments, as CSV */
    struct sweep_table
        all; /* of the table: its columns, those of scalar arguments too where it is of one kernel of a user */
    struct columns columns; /* those that are asked for */
};

static void listing_free(void *arg)
{
    struct listing *listing = arg;
    sweep_table_clear(&listing->all);
    free(listing);
}

/* False: the row is behind the page. */
static bool row_begin(struct listing *listing, const char *id)
{
    listing->seen++;
    listing->more = !listing->left;
    if (listing->more)
        return false;
    listing->left--;
    memcpy(listing->asked.token, id, sizeof listing->asked.token);
    return true;
}

static int experiment_write(void *arg, const struct job *job)
{
    struct listing *listing = arg;
    struct view_experiment view;
    if (!row_begin(listing, job->id))
        return 1;
    experiment_reply_row(listing->service, job, &view);
    if (listing->table)
        return csv_row(listing->json.out, &listing->columns,
                       &(struct view_point){.index = -1, .values = job->request, .experiment = &view});
    view_experiment_summary(&listing->json, NULL, &view);
    return listing->json.out->failed ? -1 : 0;
}

static int sweep_write(void *arg, const struct sweep_row *row)
{
    struct listing *listing = arg;
    struct scan_paths paths = {0};
    struct scan_value kernel = {.at = "null", .length = 4}; /* of one that names a recipe */
    if (!row_begin(listing, row->id))
        return 1;
    sweep_reply_open(&listing->json, NULL, listing->service, row, false);
    if (scan_add(&paths, "kernel", 0))
        scan_text(&paths.nodes[0], row->request, &kernel);
    json_writer_raw(&listing->json, "kernel", kernel.at, kernel.length); /* a name, or a list of them */
    json_writer_end(&listing->json);
    return listing->json.out->failed ? -1 : 0;
}

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct listing *listing = arg;
    struct store *store = listing->service->store;
    struct store_filter *filter = &listing->asked.filter;
    struct json_writer *json = &listing->json;
    int rows = listing->sweeps ? PIECE_SWEEPS : PIECE_EXPERIMENTS;
    json->out = out;
    listing->seen = 0;
    filter->before = listing->asked.token[0] ? listing->asked.token : NULL;
    filter->limit = listing->left < rows ? listing->left + 1 : rows;
    if (!listing->headed && listing->table) {
        columns_header(out, &listing->columns, listing->all.names);
    } else if (!listing->headed) {
        json_writer_begin_object(json, NULL);
        json_writer_begin_array(json, listing->sweeps ? "sweeps" : "experiments");
    }
    listing->headed = true;
    int status = listing->sweeps ? store_sweeps(store, filter, sweep_write, listing, error)
                                 : store_list(store, filter, experiment_write, listing, error);
    if (status < 0)
        return -1;
    if (!listing->more && listing->seen == filter->limit)
        return 1;
    if (listing->table)
        return 0;
    json_writer_end(json);
    json_writer_string(json, "next_page_token", listing->more ? listing->asked.token : NULL);
    return service_line(json)->failed ? -1 : 0;
}

static int request_take(void *arg, const struct job *job)
{
    return buffer_text(arg, job->request);
}

/* Columns of a table. All experiments of one kernel have the same scalar arguments: the newest says which. 0, or -1 with what
   is wrong. */
static int columns_begin(struct listing *listing, const char *columns, char detail[COLUMNS_DETAIL_BYTES])
{
    struct store_filter filter = listing->asked.filter;
    struct buffer newest = {0};
    struct error error = {0};
    filter.limit = 1;
    snprintf(detail, COLUMNS_DETAIL_BYTES, "there is no memory for a table");
    if (filter.kernel && source_kernel_is_name(filter.kernel) &&
        store_list(listing->service->store, &filter, request_take, &newest, &error) < 0)
        snprintf(detail, COLUMNS_DETAIL_BYTES, "%.*s", COLUMNS_DETAIL_BYTES - 1, error.text);
    int status = error.kind != ERROR_NONE || newest.failed ? -1 : 0;
    if (status == 0)
        status = sweep_table_make(&listing->all, false, newest.data ? newest.data : "{}");
    if (status == 0)
        status = columns_read(&listing->columns, columns, listing->all.names, listing->all.count, detail);
    buffer_free(&newest);
    return status;
}

enum handled resource_list(struct request *request)
{
    char detail[COLUMNS_DETAIL_BYTES];
    const char *columns = request_query(request, "columns");
    struct listing *listing = calloc(1, sizeof *listing);
    if (!listing)
        return service_reply_no_memory(request, "for a list");
    listing->service = service_of(request);
    listing->sweeps = resource_is_sweep(request);
    listing->table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    const char *wrong =
        query_list(request, listing->sweeps, listing->table ? INT_MAX : QUERY_PAGE_SIZE, &listing->asked);
    listing->left = listing->asked.size;
    if (!wrong && columns && !listing->table)
        wrong = "columns are a table's: ask for one with Accept: text/csv";
    if (!wrong && listing->table && columns_begin(listing, columns, detail) < 0)
        wrong = detail;
    if (!wrong)
        return reply_stream(request, piece_write, listing, listing_free);
    listing_free(listing);
    return service_reply_wrong(request, wrong);
}

/* ---- GET ---- */

/* Answers with how it is now. */
static enum handled answer(struct request *request, const struct stored_resource *found,
                           const struct sweep_page *page)
{
    struct view_experiment view;
    if (found->ended)
        reply_preference_applied(request);
    if (!found->job)
        return sweep_reply_points(request, &found->row, page);
    experiment_reply_now(service_of(request), found->job, &view);
    return experiment_reply_send(request, &view);
}

enum handled resource_show(struct request *request)
{
    struct sweep_page page;
    struct stored_resource found;
    enum handled handled;
    int wait_s;
    const char *wrong = NULL;
    if (resource_is_sweep(request))
        wrong = query_sweep_page(request, strcmp(request_type(request), CSV_MEDIA_TYPE) == 0, &page);
    if (!wrong)
        wrong = query_wait(request, &wait_s);
    if (wrong)
        return service_reply_wrong(request, wrong);
    if (wait_s && !request_state(request)) {
        struct end_wait *wait = wait_end_new(request, request_param(request));
        if (!wait)
            return service_reply_no_memory(request, "to wait");
        request_set_state(request, wait, wait_end_free);
    }
    if (resource_read(request, &found, &handled) < 0)
        return handled;
    bool waits = wait_s && !found.ended;
    if (waits && !request_over(request))
        handled = request_wait_until(request, wait_s);
    else if (waits && request_ending(request))
        handled = reply_problem(request, PROBLEM_UNAVAILABLE, "the service is stopping; %s",
                                found.job ? "what is queued or runs will be run after its next start"
                                          : "the sweep goes on after its next start");
    else
        handled = answer(request, &found, &page);
    resource_clear(&found);
    return handled;
}

/* ---- DELETE ---- */

const char *const resource_delete_queries[] = {"remove", NULL};

/* A sweep's experiments are hidden with it, so no answer about them may be cached. */
static void on_removed(void *state, const struct error *failed)
{
    const struct commit_wait *wait = state;
    struct request *request = wait->request;
    if (!failed)
        service_forget_experiment(request_http(request),
                                  resource_is_sweep(request) ? NULL : request_param(request));
    wait_commit_done(state, failed);
}

bool resource_allowed(struct request *request, const char *owner, const char *deed, enum handled *handled)
{
    const struct user *user = request_user(request);
    const char *what = name_of(request), *id = request_param(request);
    if (user->role == ROLE_ADMIN || (owner[0] && strcmp(owner, user->name) == 0))
        return true;
    if (owner[0])
        *handled = reply_problem(request, PROBLEM_FORBIDDEN,
                                 "%s %s is %s's: %s or an admin may %s, and this token is %s's", what, id,
                                 owner, owner, deed, user->name);
    else
        *handled =
            reply_problem(request, PROBLEM_FORBIDDEN,
                          "%s %s was submitted without a token: an admin may %s, and this token is %s's",
                          what, id, deed, user->name);
    return false;
}

/* True: *handled is the reply, because it does not exist, or may not be ended or removed by this user, or not
   yet. */
static bool refuse(struct request *request, bool remove, enum handled *handled)
{
    struct stored_resource found;
    if (resource_read(request, &found, handled) < 0)
        return true;
    bool allowed = resource_allowed(request, found.owner, "end or remove it", handled),
         early = remove && !found.ended;
    if (allowed && early)
        *handled = reply_problem(request, PROBLEM_CONFLICT,
                                 "%s %s has not ended: %s; DELETE without remove cancels it",
                                 name_of(request), request_param(request), found.state);
    resource_clear(&found);
    return !allowed || early;
}

/* `cancelled`: the queue has taken the cancellation, else it knows of none that could be cancelled. */
static enum handled cancel_answer(struct request *request, bool cancelled)
{
    struct stored_resource found;
    struct view_experiment view;
    enum handled handled;
    if (resource_read(request, &found, &handled) < 0)
        return handled;
    unsigned status = found.ended ? 200 : 202;
    if (!cancelled || (found.job && found.ended && found.job->state != JOB_CANCELLED)) {
        handled = reply_problem(request, PROBLEM_CONFLICT,
                                "%s %s has ended: %s; DELETE with ?remove=true removes it", name_of(request),
                                request_param(request), found.state);
    } else if (!found.job) {
        handled = sweep_reply_accepted(request, status, &found.row);
    } else {
        experiment_reply_now(service_of(request), found.job, &view);
        view.cancelling = !view.ended;
        handled = experiment_reply_accepted(request, status, &view);
    }
    resource_clear(&found);
    return handled;
}

static enum handled delete_begin(struct request *request, bool remove)
{
    const struct service *service = service_of(request);
    const char *id = request_param(request);
    bool sweep = resource_is_sweep(request);
    struct error error = {0};
    enum handled handled;
    /* An admin's cancelling needs no read, so it works while the disk cannot be read. */
    bool check = remove || request_user(request)->role != ROLE_ADMIN;
    if (check && refuse(request, remove, &handled))
        return handled;
    struct commit_wait *wait = wait_commit_new(request, sizeof *wait, free, &handled);
    if (!wait)
        return handled;
    int status;
    if (remove) {
        int64_t now_ms = clock_wall_ms();
        struct store_mark mark = {
            .sweep = sweep, .now_ms = now_ms, .until_ms = now_ms + (int64_t)(service->undo_s * 1000)};
        snprintf(mark.id, sizeof mark.id, "%s", id);
        snprintf(mark.by, sizeof mark.by, "%s", request_user(request)->name);
        status = store_mark(service->store, &mark, on_removed, wait, &error);
    } else
        status = (sweep ? queue_cancel_sweep : queue_cancel)(service->queue, id, request_user(request)->name,
                                                             wait_commit_done, wait, &error);
    if (status == 0)
        return HANDLED_WAIT;
    if (!remove && error.kind == ERROR_NOT_FOUND)
        return cancel_answer(request, false);
    return reply_error(request, &error);
}

enum handled resource_delete(struct request *request)
{
    struct commit_wait *wait = request_state(request);
    const char *text = request_query(request, "remove");
    bool remove = text && strcmp(text, "true") == 0;
    enum handled handled;
    if (text && !remove && strcmp(text, "false") != 0)
        return service_reply_wrong(request, "remove must be true or false");
    if (!wait)
        return delete_begin(request, remove);
    if (!wait_commit_over(wait, &handled))
        return handled;
    return remove ? reply_no_content(request) : cancel_answer(request, true);
}
