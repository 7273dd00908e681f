/* /v1/experiments: submitting, listing, showing and ending experiments, and their samples. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/figures.h"
#include "api/samples.h"
#include "server/http/header_field.h"
#include "server/queue/queue_admin.h"
#include "server/routes/deletion.h"
#include "server/routes/experiment_reply.h"
#include "server/routes/query.h"
#include "server/routes/route_table.h"
#include "server/routes/submission_steps.h"
#include "server/routes/wait.h"

static route_handler experiment_submit, experiment_list, experiment_show, experiment_delete, samples_show,
    columns_show;

static const char *const list_queries[] = {"kernel",    "state",       "device", "label", "sweep",
                                           "owner",     "device_uuid", "since",  "until", "columns",
                                           "page_size", "page_token",  NULL};
static const char *const show_queries[] = {"wait", NULL};

const struct route experiment_routes[] = {
    /* Answers once the experiment is on the disk or, with "Prefer: wait=N", has ended. With "repeat" it is
       a sweep. */
    {
        .method = "POST",
        .pattern = "/v1/experiments",
        .type = "application/json",
        .flags = ROUTE_JSON,
        .handle = experiment_submit,
    },
    /* Newest first, a page at a time; as a table all of them, unless a page is asked for. */
    {
        .method = "GET",
        .pattern = "/v1/experiments",
        .type = "application/json",
        .other = CSV_MEDIA_TYPE,
        .queries = list_queries,
        .flags = ROUTE_SLOW,
        .handle = experiment_list,
    },
    /* Its state or its result; with wait=N once it has ended, or after N seconds. */
    {
        .method = "GET",
        .pattern = "/v1/experiments/{id}",
        .type = "application/json",
        .queries = show_queries,
        .flags = ROUTE_CACHED,
        .handle = experiment_show,
    },
    /* Cancels: at once while it is queued; one that runs is stopped by ending its executor, which takes a
       moment. */
    {
        .method = "DELETE",
        .pattern = "/v1/experiments/{id}",
        .type = "application/json",
        .queries = deletion_queries,
        .handle = experiment_delete,
    },
    /* The raw samples of one that was submitted with "keep_samples". */
    {
        .method = "GET",
        .pattern = "/v1/experiments/{id}/samples",
        .type = "application/json",
        .other = CSV_MEDIA_TYPE,
        .flags = ROUTE_SLOW,
        .handle = samples_show,
    },
    /* The same as a table, for clients that cannot send an Accept header. */
    {
        .method = "GET",
        .pattern = "/v1/experiments/{id}/samples.csv",
        .type = CSV_MEDIA_TYPE,
        .flags = ROUTE_SLOW,
        .handle = samples_show,
    },
    /* The columns that tables of experiments have. */
    {
        .method = "GET",
        .pattern = "/v1/columns",
        .type = "application/json",
        .flags = ROUTE_CACHED | ROUTE_SLOW,
        .handle = columns_show,
    },
    {0},
};

static enum handled experiment_submit(struct request *request)
{
    return submission_steps_handle(request, false);
}

/* Reads the experiment, which the caller frees. -1: *handled is the reply, 404 when there is none of that
   id. */
static int experiment_read(struct request *request, const char *id, struct job **job, enum handled *handled)
{
    struct error error = {0};
    if (id_valid(id) && store_get(service_of(request)->store, id, job, &error) == 0)
        return 0;
    *handled = error.kind == ERROR_NONE || error.kind == ERROR_NOT_FOUND
                   ? reply_problem(request, PROBLEM_NOT_FOUND, "there is no experiment %s", id)
                   : reply_error(request, &error);
    return -1;
}

/* ---- the list: rows are read and sent a few at a time, so that neither a page nor a transaction is held
   whole ---- */

enum { PIECE_ROWS = 32 };

struct experiment_listing {
    struct service *service;
    struct json_writer json; /* unless it is a table; its buffer is the piece's in any case */
    struct query_list asked;
    char kernel[64], sweep[ID_BYTES]; /* the filter points to these too */
    int left, seen;                   /* rows of the page still to come; rows of this piece */
    bool headed, more;                /* more: there is a next page */
    bool table;                       /* as CSV */
    struct columns columns;           /* of the table */
    char detail[COLUMNS_DETAIL_BYTES];
};

static int row_write(void *arg, const struct job *job)
{
    struct experiment_listing *listing = arg;
    struct view_experiment view;
    listing->seen++;
    if (!listing->left) {
        listing->more = true;
        return 1;
    }
    listing->left--;
    memcpy(listing->asked.token, job->id, sizeof listing->asked.token);
    experiment_reply_init(listing->service, job, &view);
    if (listing->table)
        return csv_row(listing->json.out, &listing->columns,
                       &(struct view_point){.index = -1, .experiment = &view});
    experiment_view_summary(&listing->json, NULL, &view);
    return listing->json.out->failed ? -1 : 0;
}

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct experiment_listing *listing = arg;
    struct store_filter *filter = &listing->asked.filter;
    struct json_writer *json = &listing->json;
    json->out = out;
    listing->seen = 0;
    filter->before = listing->asked.token[0] ? listing->asked.token : NULL;
    filter->limit = listing->left < PIECE_ROWS ? listing->left + 1 : PIECE_ROWS;
    if (!listing->headed && listing->table) {
        csv_header(out, &listing->columns);
    } else if (!listing->headed) {
        json_writer_begin_object(json, NULL);
        json_writer_begin_array(json, "experiments");
    }
    listing->headed = true;
    if (store_list(listing->service->store, filter, row_write, listing, error) < 0)
        return -1;
    if (!listing->more && listing->seen == filter->limit)
        return 1;
    if (listing->table)
        return 0;
    json_writer_end(json);
    json_writer_string(json, "next_page_token", listing->more ? listing->asked.token : NULL);
    json_writer_end(json);
    return buffer_text(out, "\n");
}

/* Copies a parameter of the query to `to`, where *field then points; false: it is too long to name
   anything. */
static bool text_read(const struct request *request, const char *name, char *to, size_t size,
                      const char **field)
{
    const char *text = request_query(request, name);
    if (!text)
        return true;
    *field = to;
    return (size_t)snprintf(to, size, "%s", text) < size;
}

/* NULL, or what is wrong with the query. */
static const char *listing_read(const struct request *request, struct experiment_listing *listing)
{
    struct store_filter *filter = &listing->asked.filter;
    const char *columns = request_query(request, "columns");
    const char *state = request_query(request, "state"), *device = request_query(request, "device");
    listing->table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    const char *wrong = query_list(request, listing->table ? INT_MAX : QUERY_PAGE_SIZE, &listing->asked);
    if (wrong)
        return wrong;
    listing->left = listing->asked.size;
    if (!text_read(request, "kernel", listing->kernel, sizeof listing->kernel, &filter->kernel))
        return "kernel must be the name of a kernel";
    if (state && (filter->state = job_state_of(state)) < 0)
        return "state must be queued, running, succeeded, failed or cancelled";
    if (device && !header_field_number(device, 0, 999999999, &filter->device) &&
        (filter->device = service_find_device(listing->service->devices, device)) < 0)
        return "device must be the number of a device, or its name, as GET /v1/devices lists them";
    if (!text_read(request, "sweep", listing->sweep, sizeof listing->sweep, &filter->sweep) ||
        (filter->sweep && !id_valid(filter->sweep)))
        return "sweep must be the id of a sweep";
    if (columns && !listing->table)
        return "columns are a table's: ask for one with Accept: text/csv";
    return csv_columns(&listing->columns, columns, listing->detail) < 0 ? listing->detail : NULL;
}

static enum handled experiment_list(struct request *request)
{
    struct experiment_listing *listing = calloc(1, sizeof *listing);
    if (!listing)
        return service_reply_no_memory(request, "for a list");
    listing->service = service_of(request);
    const char *wrong = listing_read(request, listing);
    if (wrong) {
        enum handled handled = reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
        free(listing);
        return handled;
    }
    return reply_stream(request, piece_write, listing, free);
}

/* ---- one experiment ---- */

static enum handled job_answer(struct request *request, const struct job *job, int wait_s)
{
    struct view_experiment view;
    bool running;
    enum handled handled;
    experiment_reply_init(service_of(request), job, &view);
    if (!view.ended)
        experiment_reply_place(service_of(request), &view, &running);
    if (!view.ended && wait_end_continue(request, wait_s,
                                         "what is queued or runs will be run after its next start", &handled))
        return handled;
    if (view.ended)
        reply_preference_applied(request);
    return experiment_reply_send(request, &view);
}

static enum handled experiment_show(struct request *request)
{
    const char *id = request_param(request);
    struct job *job;
    enum handled handled;
    int wait_s;
    const char *wrong = query_wait(request, &wait_s);
    if (wrong)
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    if (!wait_end_keep(request, id, wait_s, &handled) || experiment_read(request, id, &job, &handled) < 0)
        return handled;
    handled = job_answer(request, job, wait_s);
    job_free(job);
    return handled;
}

static int target_read(struct request *request, const char *id, struct deletion_target *target,
                       enum handled *handled)
{
    struct job *job;
    if (experiment_read(request, id, &job, handled) < 0)
        return -1;
    target->ended = job_state_ended(job->state);
    target->state = job_state_name(job->state);
    memcpy(target->owner, job->owner, sizeof target->owner);
    job_free(job);
    return 0;
}

static enum handled cancel_answer(struct request *request, const char *id, bool cancelled)
{
    struct service *service = service_of(request);
    struct view_experiment view;
    struct job *job;
    enum handled handled;
    bool running;
    if (experiment_read(request, id, &job, &handled) < 0)
        return handled;
    experiment_reply_init(service, job, &view);
    if (!view.ended)
        experiment_reply_place(service, &view, &running);
    if (!cancelled || (view.ended && job->state != JOB_CANCELLED)) {
        handled = deletion_reply_ended(request, "experiment", id, view.state);
    } else {
        view.cancelling = !view.ended;
        handled = experiment_reply_accepted(request, view.ended ? 200 : 202, &view);
    }
    job_free(job);
    return handled;
}

static enum handled experiment_delete(struct request *request)
{
    static const struct deletion deletion = {
        .what = "experiment",
        .kind = STORE_EXPERIMENT,
        .cancel = queue_cancel,
        .read = target_read,
        .answer = cancel_answer,
    };
    return deletion_handle(request, &deletion);
}

/* ---- samples ---- */

static enum handled samples_reply(struct request *request, const struct job *job,
                                  const struct samples *samples)
{
    struct buffer body = {0};
    bool table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    if (!job_state_ended(job->state))
        return reply_problem(request, PROBLEM_NOT_FOUND, "experiment %s has not ended: it has no samples yet",
                             job->id);
    if (!samples->cold.size || !job->result)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "the samples of experiment %s were not kept: ask for them with \"measure\": "
                             "{\"keep_samples\": true} when you submit it",
                             job->id);
    if ((table ? samples_table(&body, samples) : samples_view(&body, job->id, job->result, samples)) < 0) {
        buffer_free(&body);
        struct error error = {0};
        error_set(&error, ERROR_STORE, "the samples of experiment %s cannot be read", job->id);
        return reply_error(request, &error);
    }
    char name[64];
    snprintf(name, sizeof name, "%s-samples%s", job->id, table ? "-csv" : "");
    return reply_immutable(request, &body, name);
}

static enum handled samples_show(struct request *request)
{
    const char *id = request_param(request);
    struct job *job;
    struct samples samples = {0};
    struct error error = {0};
    enum handled handled;
    if (experiment_read(request, id, &job, &handled) < 0)
        return handled;
    if (store_samples(service_of(request)->store, id, &samples, &error) < 0)
        handled = reply_error(request, &error);
    else
        handled = samples_reply(request, job, &samples);
    samples_free(&samples);
    job_free(job);
    return handled;
}

static enum handled columns_show(struct request *request)
{
    struct buffer body = {0};
    figures_json(&body);
    buffer_text(&body, "\n");
    return reply_immutable(request, &body, "columns");
}
