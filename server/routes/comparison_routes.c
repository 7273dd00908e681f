/* /v1/comparisons: compares two sides of what was measured, point by point. */
#include <stdlib.h>
#include <string.h>

#include "api/comparison.h"
#include "api/csv.h"
#include "api/json_parts.h"
#include "base/clock.h"
#include "server/routes/comparison_slots.h"
#include "server/routes/cut_short.h"
#include "server/routes/service.h"

static route_handler compare;

const struct route comparison_routes[] = {
    /* Reads some experiments at a time, so that the worker pool serves others between; makes the answer
       while it is sent. */
    {"POST", "/v1/comparisons", "application/json", .other = CSV_MEDIA_TYPE,
     .flags = ROUTE_READ | ROUTE_JSON | ROUTE_SLOW, .body_max = 1 << 20, .handle = compare},
    {0},
};

enum {
    SLOT_WAIT_EXTRA_S = 5, /* for a slot, beyond the time that a client has to read an answer */
    STEP_ROWS = 1000,      /* read before the worker pool serves others */
    SIDE_MAX_MS = 4000,    /* processor time for reading a side */
    PIECE_POINTS = 100,    /* of the answer */
};

struct comparing {
    struct comparison_slot slot;
    bool entered; /* the slot is in use */
    struct store *store;
    struct comparison_request request;
    struct comparison *comparison;
    json_t *cut_short; /* of cut_short.h */
    struct problems problems;
    struct error failed;   /* why reading ended */
    int side;              /* that is being read; 2: both are read */
    int place;             /* in the side's list of experiments */
    char before[ID_BYTES]; /* ids read so far are not less; empty: none yet */
    int rows;              /* of this step */
    int64_t reading_ns;    /* of this side */
    bool exhausted;        /* no more of this side */

    /* the answer */
    bool table, headed;
    struct json_writer json; /* into the piece that is made */
    int next;                /* point, counted down */
    json_t *columns;
};

static void comparing_free(void *arg)
{
    struct comparing *work = arg;
    json_decref(work->columns);
    json_decref(work->cut_short);
    comparison_free(work->comparison);
    comparison_request_clear(&work->request);
    if (work->entered)
        comparison_slot_leave(&work->slot);
    free(work);
}

/* ---- reading ---- */

/* `member` is within the side; empty: the side as a whole. */
static void add_problem(struct comparing *work, const char *member, const char *detail)
{
    char pointer[64];
    snprintf(pointer, sizeof pointer, "#/%s%s", work->side ? "b" : "a", member);
    problem_add(&work->problems, pointer, "%s", detail);
}

/* Checks what the store's filter does not look at. */
static bool job_fits(const struct comparison_side *side, const struct job *job)
{
    return (!side->kernel || strcmp(job->kernel, side->kernel) == 0) &&
           (side->device < 0 || job->device == side->device) &&
           (!side->owner || strcmp(job->owner, user_name_stored(side->owner)) == 0) &&
           (!side->sweep || strcmp(job->sweep, side->sweep) == 0) && job->submitted_ms >= side->since_ms &&
           job->submitted_ms < side->until_ms;
}

/* The store's filter takes one label; further ones cost a parse of the request. */
static bool labels_fit(const json_t *labels, const char *request)
{
    const char *name;
    json_t *wanted, *asked = json_object_size(labels) ? json_loads(request, 0, NULL) : NULL;
    const json_t *found = json_object_get(asked, "labels");
    bool fit = true;
    json_object_foreach ((json_t *)labels, name, wanted)
        fit = fit && json_equal(wanted, json_object_get(found, name));
    json_decref(asked);
    return fit;
}

static int job_take(void *arg, const struct job *job)
{
    struct comparing *work = arg;
    const struct comparison_side *side = &work->request.sides[work->side];
    struct error error = {0};
    char detail[160];
    work->rows++;
    memcpy(work->before, job->id, ID_BYTES);
    if (!job_fits(side, job) || !labels_fit(side->labels, job->request))
        return 0;
    struct comparison_experiment experiment = {
        .id = job->id,
        .ended = job_state_ended(job->state),
        .succeeded = job->state == JOB_SUCCEEDED,
        .cut_short = cut_short_has(work->cut_short, job),
        .request = job->request,
        .result = job->result,
        .started_ms = job->started_ms,
        .ended_ms = job->finished_ms,
    };
    if (comparison_add(work->comparison, work->side, &experiment, &error) == 0)
        return 0;
    if (error.kind != ERROR_FULL) {
        work->failed = error;
        return 1;
    }
    snprintf(detail, sizeof detail, "%.100s; narrow it, as by a kernel or by where", error.text);
    add_problem(work, "", detail);
    return 1;
}

static int filter_read(struct comparing *work, const struct comparison_side *side)
{
    struct store_filter filter = {.kernel = side->kernel,
                                  .state = -1,
                                  .device = side->device,
                                  .sweep = side->sweep,
                                  .owner = user_name_stored(side->owner),
                                  .since_ms = side->since_ms,
                                  .until_ms = side->until_ms < INT64_MAX ? side->until_ms : 0,
                                  .limit = STEP_ROWS};
    void *first = json_object_iter((json_t *)side->labels);
    if (first) {
        filter.label = json_object_iter_key(first);
        filter.label_value = json_string_value(json_object_iter_value(first));
    }
    char before[ID_BYTES];
    memcpy(before, work->before, sizeof before);
    filter.before = before[0] ? before : NULL;
    if (store_list(work->store, &filter, job_take, work, &work->failed) < 0)
        return -1;
    work->exhausted |= work->rows < STEP_ROWS;
    return 0;
}

/* What does not exist is a problem of the member that names it. True: that, and not another failure. */
static bool missing_add(struct comparing *work, const char *member)
{
    if (work->failed.kind != ERROR_NOT_FOUND)
        return false;
    add_problem(work, member, work->failed.text);
    work->failed.kind = ERROR_NONE;
    return true;
}

/* The experiments that are named one by one. */
static int list_read(struct comparing *work, const struct comparison_side *side)
{
    int count = (int)json_array_size(side->experiments);
    for (; work->place < count && work->rows < STEP_ROWS && !problems_full(&work->problems); work->place++) {
        const char *id = json_string_value(json_array_get(side->experiments, (size_t)work->place));
        struct job *job;
        char member[32];
        snprintf(member, sizeof member, "/experiments/%d", work->place);
        if (store_get(work->store, id, &job, &work->failed) == 0) {
            job_take(work, job);
            job_free(job);
        } else if (!missing_add(work, member)) {
            return -1;
        }
    }
    work->exhausted = work->place == count || problems_full(&work->problems);
    return 0;
}

/* A sweep that does not exist is said, instead of "no experiment". */
static int sweep_look(struct comparing *work, const char *sweep)
{
    struct sweep_row row;
    if (store_sweep(work->store, sweep, &row, &work->failed) == 0)
        sweep_row_clear(&row);
    else if (!(work->exhausted = missing_add(work, "/sweep")))
        return -1;
    return 0;
}

/* Fields that nothing has which was read. A side without experiments says so itself. */
static void fields_check(struct comparing *work)
{
    const struct comparison *comparison = work->comparison;
    int side = work->side;
    if (work->problems.count || !json_object_size(comparison->known[side]))
        return;
    comparison_request_check_where(&work->request, side, comparison->where_seen[side], &work->problems);
    if (side == 1)
        comparison_request_check_but_for(&work->request, comparison->but_for_seen, &work->problems);
}

static void side_end(struct comparing *work)
{
    const struct comparison_count *count = &work->comparison->sides[work->side];
    bool shared = work->side == 1 && work->comparison->shared;
    fields_check(work);
    if (!count->experiments && !shared && !work->problems.count)
        add_problem(work, "", "there is no experiment that is all of this");
    if (shared) {
        char detail[128];
        snprintf(detail, sizeof detail, "a has %d of its experiments: nothing can be compared with itself",
                 work->comparison->shared);
        add_problem(work, "", detail);
    }
    work->side++;
    work->place = 0;
    work->before[0] = '\0';
    work->reading_ns = 0;
    work->exhausted = false;
}

/* Reads the next STEP_ROWS of what is left. -1 with why in work->failed. */
static int step_read(struct comparing *work)
{
    const struct comparison_side *side = &work->request.sides[work->side];
    int64_t began_ns = clock_thread_ns();
    bool first = !work->before[0] && !work->place;
    int status = first && side->sweep ? sweep_look(work, side->sweep) : 0;
    work->rows = 0;
    if (status == 0 && !work->exhausted)
        status = side->experiments ? list_read(work, side) : filter_read(work, side);
    if (status < 0 || work->failed.kind != ERROR_NONE)
        return -1;
    work->reading_ns += clock_thread_ns() - began_ns;
    if (work->exhausted || (work->problems.count && !side->experiments))
        side_end(work);
    else if (work->reading_ns > SIDE_MAX_MS * 1000000LL)
        return error_set(
            &work->failed, ERROR_UNAVAILABLE,
            "reading side %s took too long and was stopped; narrow it by a kernel, a label with its "
            "value, a sweep or a time",
            work->side ? "b" : "a");
    return 0;
}

/* ---- the answer ---- */

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct comparing *work = arg;
    const struct comparison *comparison = work->comparison;
    work->json.out = out;
    if (!work->headed && work->table)
        comparison_csv_header(out, work->columns);
    else if (!work->headed)
        comparison_view_open(&work->json, NULL, comparison);
    work->headed = true;
    for (int written = 0; work->next > 0 && written < PIECE_POINTS;) {
        const struct comparison_point *point = &comparison->points[--work->next];
        if (!comparison_matched(point))
            continue;
        if (work->table)
            comparison_csv_row(out, work->columns, point);
        else
            comparison_view_point(&work->json, NULL, comparison, point);
        written++;
    }
    if (!work->next && !work->table)
        service_line(&work->json);
    return out->failed ? error_set(error, ERROR_MEMORY, "no memory for an answer") : work->next > 0;
}

/* The newest experiments were read first, so points are sent from the last one on. */
static enum handled answer(struct request *request, struct comparing *work)
{
    struct error error = {0};
    if (work->problems.count)
        return reply_fields(request, &work->problems);
    work->comparison->apart_us = comparison_devices_apart_us(work->comparison);
    if (comparison_devices_split(work->comparison) < 0)
        return service_reply_no_memory(request, "to compare");
    if (comparison_judge(work->comparison, &error) < 0)
        return reply_error(request, &error);
    work->table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    work->next = work->comparison->point_count;
    work->columns = work->table ? comparison_csv_columns(work->comparison) : NULL;
    request_set_state(request, NULL, NULL);
    request_send_within(request, request_seconds(request));
    return reply_stream(request, piece_write, work, comparing_free);
}

/* Turns names of devices into numbers. */
static int devices_resolve(struct devices *devices, struct comparing *work)
{
    for (work->side = 0; work->side < 2; work->side++) {
        struct comparison_side *side = &work->request.sides[work->side];
        if (side->called && (side->device = service_find_device(devices, side->called)) < 0)
            add_problem(work, "/device", "there is no device of that name; GET /v1/devices lists them");
    }
    work->side = 0;
    return work->problems.count ? -1 : 0;
}

/* 0; or -1 with what is wrong with the body in *handled. */
static int body_read(struct request *request, struct comparing *work, enum handled *handled)
{
    char detail[JSON_PARTS_DETAIL_BYTES];
    size_t length;
    const char *body = request_body(request, &length);
    json_t *object =
        json_parts_body(body, length, "{\"a\": {\"sweep\": \"...\"}, \"b\": {\"sweep\": \"...\"}}", detail);
    if (!object)
        *handled = service_reply_wrong(request, detail);
    else if (comparison_request_read(&work->request, object, &work->problems) < 0 ||
             devices_resolve(service_of(request)->devices, work) < 0)
        *handled = reply_fields(request, &work->problems);
    else
        return 0;
    return -1;
}

static enum handled begin(struct request *request, struct comparing *work)
{
    enum handled handled;
    if (!comparison_slot_held(&work->slot)) {
        comparison_request_clear(&work->request);
        if (!request_over(request))
            return request_wait_until(request, request_seconds(request) + SLOT_WAIT_EXTRA_S);
        return reply_problem(request, PROBLEM_UNAVAILABLE,
                             "there is no room for it: %d comparisons of yours, or %d of all clients, are "
                             "being made or have answers that are not read to their end",
                             COMPARISON_SLOTS_EACH, COMPARISON_SLOTS);
    }
    if (!work->request.tree && body_read(request, work, &handled) < 0)
        return handled;
    work->store = service_of(request)->store;
    struct error error = {0};
    if (!(work->cut_short = cut_short_read(work->store, &error)))
        return reply_error(request, &error);
    if (!(work->comparison = comparison_new(&work->request)))
        return service_reply_no_memory(request, "to compare");
    request_wake(request);
    return HANDLED_WAIT;
}

/* The body is checked before there is a slot. A comparison that waits for one holds nothing but its
   request: the body is read again when it has the slot. */
static enum handled enter(struct request *request)
{
    enum handled handled;
    struct comparing *work = calloc(1, sizeof *work);
    if (!work)
        return service_reply_no_memory(request, "to compare");
    request_set_state(request, work, comparing_free);
    if (body_read(request, work, &handled) < 0)
        return handled;
    work->entered = comparison_slot_enter(&work->slot, request);
    if (!work->entered)
        return reply_problem(request, PROBLEM_UNAVAILABLE,
                             "%d comparisons of yours wait already; wait until some of them are answered",
                             COMPARISONS_WAITING_EACH);
    return begin(request, work);
}

static enum handled compare(struct request *request)
{
    struct comparing *work = request_state(request);
    if (!work)
        return enter(request);
    if (!work->comparison)
        return begin(request, work);
    if (work->side == 2)
        return answer(request, work);
    if (request_ending(request))
        return reply_problem(request, PROBLEM_UNAVAILABLE, "the service is stopping");
    if (step_read(work) < 0)
        return reply_error(request, &work->failed);
    request_wake(request);
    return HANDLED_WAIT;
}
