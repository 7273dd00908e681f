/* Sweeps as the endpoints show them; their points are sent run by run, or summed up over the runs of each
   point. */
#include "server/routes/sweep_reply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/point_summary.h"
#include "api/recipe.h"
#include "api/request_kernels.h"
#include "base/hash.h"
#include "server/queue/queue_view.h"
#include "server/routes/experiment_reply.h"
#include "server/routes/service.h"

/* ---- the sweep ---- */

static void write_devices(struct json_writer *json, struct service *service, const struct device_set *devices)
{
    if (!device_set_count(devices)) {
        json_writer_null(json, "devices");
        return;
    }
    json_writer_begin_array(json, "devices");
    for (int i = device_set_next(devices, 0); i >= 0; i = device_set_next(devices, i + 1)) {
        char name[DEVICE_NAME_BYTES];
        devices_name(service->devices, i, name);
        json_writer_begin_object(json, NULL);
        view_device_name(json, i, name);
        json_writer_end(json);
    }
    json_writer_end(json);
}

static void write_counts(struct json_writer *json, struct service *service, const struct sweep_row *row)
{
    int states[JOB_STATES];
    memcpy(states, row->states, sizeof states);
    int unwritten = experiment_reply_take_unwritten(service, row, states);
    int done = states[JOB_SUCCEEDED] + states[JOB_FAILED] + states[JOB_CANCELLED] + row->removed;
    json_writer_int(json, "repeat", row->rounds);
    json_writer_int(json, "point_count", row->total / row->rounds);
    json_writer_int(json, "total", row->total);
    json_writer_int(json, "done", done);
    for (enum job_state state = 0; state < JOB_STATES; state++)
        json_writer_int(json, job_state_name(state), states[state]);
    if (unwritten)
        json_writer_int(json, "unwritten", unwritten);
    json_writer_int(json, "refused", row->refused);
    json_writer_int(json, "removed", row->removed);
}

static void write_links(struct json_writer *json, const char *id)
{
    char csv[ID_BYTES + 4];
    snprintf(csv, sizeof csv, "%s.csv", id);
    json_writer_begin_object(json, "links");
    view_link(json, "self", "/v1/sweeps/", id);
    view_link(json, "csv", "/v1/sweeps/", csv);
    view_link(json, "experiments", "/v1/experiments?sweep=", id);
    json_writer_end(json);
}

double sweep_reply_open(struct json_writer *json, const char *key, struct service *service,
                        const struct sweep_row *row, bool request)
{
    bool ended = sweep_row_ended(row), runs = false, paused;
    char waits_for[VIEW_WAITS_BYTES] = "";
    int device;
    char *next = ended ? NULL : queue_view_sweep_next(service->queue, row->id, &device, &runs);
    bool blocked = next && experiment_reply_block_reason(service, device, next, waits_for, sizeof waits_for);
    if (!ended && !next && !runs)
        experiment_reply_unwritten_reason(service, waits_for, sizeof waits_for);
    free(next);
    double eta_s = queue_view_sweep_eta_s(service->queue, row->id, &paused);
    if (blocked)
        eta_s = -1;
    json_writer_begin_object(json, key);
    json_writer_string(json, "id", row->id);
    json_writer_string(json, "state", sweep_state_name(sweep_row_state(row)));
    json_writer_time(json, "submitted_at", row->submitted_ms);
    json_writer_time(json, "finished_at", ended ? row->finished_ms : 0);
    json_writer_string(json, "recipe", row->recipe);
    if (row->entry)
        json_writer_string(json, "entry", row->entry);
    json_writer_name(json, "owner", row->owner);
    json_writer_bool(json, "spread", row->spread);
    write_devices(json, service, &row->devices);
    write_counts(json, service, row);
    if (!ended)
        json_writer_seconds(json, "eta_seconds", eta_s);
    if (waits_for[0])
        json_writer_string(json, "waits_for", waits_for);
    if (paused)
        json_writer_bool(json, "paused", true);
    if (row->cancelled && !ended)
        json_writer_bool(json, "cancelling", true);
    if (request && row->request)
        json_writer_json(json, "request", row->request);
    write_links(json, row->id);
    return eta_s;
}

enum handled sweep_reply_accepted(struct request *request, unsigned status, const struct sweep_row *row)
{
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    double eta_s = sweep_reply_open(&json, NULL, service_of(request), row, false);
    return reply_accepted(request, status, eta_s, service_line(&json));
}

/* ---- its points, a piece at a time ---- */

enum { PIECE_RUNS = 16 };

struct paging {
    struct service *service;
    char id[ID_BYTES];
    int run, end;                /* the next one, and the one behind the last */
    int rounds;                  /* so many runs each point has */
    char next[16];               /* the next page's token; empty: this is the last */
    bool table, begun;           /* begun: `head` is sent */
    bool gone;                   /* runs are missing: the sweep was removed meanwhile */
    bool summary;                /* else run by run */
    bool spread;                 /* a summary for each device of a point */
    const struct recipe *recipe; /* NULL: none, or one that is no more */
    struct buffer notes;         /* of its published table, for a table; owned */
    /* by the device's number + 1; without `spread` the first alone */
    struct point_summary *summaries[DEVICES_MAX + 1];
    struct columns columns;  /* of the table */
    json_t *scalars;         /* that have columns in it as axes have; NULL: none; owned */
    struct buffer head;      /* what stands before the points; owned */
    struct json_writer json; /* unless it is a table; its buffer is the piece's in any case */
};

static void paging_free(void *arg)
{
    struct paging *paging = arg;
    for (int i = 0; i <= DEVICES_MAX; i++)
        point_summary_free(paging->summaries[i]);
    buffer_free(&paging->head);
    buffer_free(&paging->notes);
    json_decref(paging->scalars);
    free(paging);
}

/* `summary`: over the point's runs; NULL: the run itself. */
static int point_write(struct paging *paging, const struct view_point *point,
                       const struct point_summary *summary)
{
    struct buffer *out = paging->json.out;
    if (paging->table)
        return summary ? sweep_table_row(out, summary, &paging->columns, point)
                       : csv_row(out, &paging->columns, point);
    if (summary)
        point_summary_write(&paging->json, NULL, summary, point);
    else
        view_point_write(&paging->json, NULL, point);
    return out->failed ? -1 : 0;
}

/* Runs on different devices are never put into one median. 0 or -1. */
static int run_sum(struct paging *paging, const struct view_point *run)
{
    int device = paging->spread && run->experiment ? run->experiment->device : -1;
    struct point_summary **summary = &paging->summaries[device + 1];
    if (!*summary && (*summary = point_summary_new(paging->rounds)))
        point_summary_begin(*summary);
    return *summary ? point_summary_add(*summary, run) : -1;
}

/* In the order of devices; last the runs without one. */
static int summaries_write(struct paging *paging, const struct view_point *point)
{
    int failed = 0;
    for (int i = 1; i <= DEVICES_MAX + 1 && !failed; i++) {
        struct point_summary *summary = paging->summaries[i % (DEVICES_MAX + 1)];
        if (!summary || !summary->asked)
            continue;
        point_summary_end(summary);
        failed = point_write(paging, point, summary);
        point_summary_begin(summary);
    }
    return failed;
}

static int row_write(struct paging *paging, const struct point_row *row, const char *reference)
{
    struct view_experiment experiment;
    int round = row->place % paging->rounds;
    struct view_point point = {.index = row->place / paging->rounds,
                               .repeated = paging->rounds > 1,
                               .repeat_index = round,
                               .values = row->axes,
                               .id = row->experiment,
                               .request = row->request,
                               .failure = row->reason,
                               .reference = reference,
                               .notes = paging->notes.data};
    if (row->job) {
        experiment_reply_row(paging->service, row->job, &experiment);
        point.experiment = &experiment;
    }
    if ((paging->gone = row->place != paging->run))
        return -1;
    paging->run = row->place + 1;
    if (!paging->summary)
        return point_write(paging, &point, NULL);
    if (run_sum(paging, &point) < 0)
        return -1;
    return round < paging->rounds - 1 ? 0 : summaries_write(paging, &point);
}

/* The marks are made anew each time: an older program stored none. */
static int run_write(void *arg, const struct point_row *row)
{
    struct paging *paging = arg;
    char *marked = paging->recipe && row->reference && strstr(row->reference, "\"off\":{")
                       ? recipe_reference_marked(paging->recipe, row->reference)
                       : NULL;
    struct point_row shown = *row;
    char *axes = paging->scalars ? request_kernels_beside(row->axes, paging->scalars) : NULL;
    shown.axes = axes ? axes : row->axes;
    int status = row_write(paging, &shown, marked ? marked : row->reference);
    free(axes);
    free(marked);
    return status;
}

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct paging *paging = arg;
    /* of a summary whole points, and one at least */
    int each = paging->summary ? paging->rounds : 1, left = paging->end - paging->run;
    int runs = (PIECE_RUNS + each - 1) / each * each;
    runs = left < runs ? left : runs;
    int behind = paging->run + runs;
    if (!paging->begun)
        buffer_append(out, paging->head.data, paging->head.size);
    paging->begun = true;
    paging->json.out = out;
    if (store_points(paging->service->store, paging->id, paging->run, runs, run_write, paging, error) < 0)
        return -1;
    if (paging->gone || paging->run != behind)
        return error_set(error, ERROR_NOT_FOUND, "sweep %s was removed meanwhile", paging->id);
    if (paging->run < paging->end)
        return 1;
    if (paging->table)
        return 0;
    json_writer_end(&paging->json);
    json_writer_name(&paging->json, "next_page_token", paging->next);
    service_line(&paging->json);
    return out->failed ? -1 : 0;
}

/* ---- the columns of a table ---- */

/* Those that the page asks for and, of a summary, all that there are; *all is to be cleared in any case. */
static int columns_choose(const struct sweep_page *page, const char *values, struct sweep_table *all,
                          struct columns *columns, char detail[COLUMNS_DETAIL_BYTES])
{
    *all = (struct sweep_table){0};
    snprintf(detail, COLUMNS_DETAIL_BYTES, "there is no memory for a table");
    if (sweep_table_make(all, page->view == SWEEP_VIEW_SUMMARY, values) < 0)
        return -1;
    return columns_read(columns, page->columns, all->names, all->count, detail);
}

int sweep_reply_columns_check(const struct sweep_page *page, const char *axes, const char *request,
                              char detail[COLUMNS_DETAIL_BYTES])
{
    struct sweep_table all;
    struct columns columns;
    if (!page->table)
        return 0;
    json_t *scalars = request_kernels_scalars(request);
    char *values = request_kernels_beside(axes, scalars);
    int status = columns_choose(page, values ? values : "{}", &all, &columns, detail);
    sweep_table_clear(&all);
    json_decref(scalars);
    free(values);
    return status;
}

struct first_values {
    const json_t *scalars;
    struct buffer values;
};

static int values_take(void *arg, const struct point_row *row)
{
    struct first_values *first = arg;
    char *values = request_kernels_beside(row->axes, first->scalars);
    first->values.failed |= !values || buffer_text(&first->values, values) < 0;
    free(values);
    return 0;
}

/* The table's first line, of the columns that are asked for. 0, or -1 with the reply. */
static int table_begin(struct request *request, struct paging *paging, const struct sweep_page *page,
                       enum handled *handled)
{
    char detail[COLUMNS_DETAIL_BYTES];
    struct sweep_table all = {0};
    struct first_values first = {.scalars = paging->scalars};
    const struct buffer *values = &first.values;
    struct error error = {0};
    int status = store_points(paging->service->store, paging->id, 0, 1, values_take, &first, &error);
    if (values->failed)
        status = error_set(&error, ERROR_MEMORY, "no memory for a table");
    if (status < 0)
        *handled = reply_error(request, &error);
    else if ((status = columns_choose(page, values->data ? values->data : "{}", &all, &paging->columns,
                                      detail)) < 0)
        *handled = service_reply_wrong(request, detail);
    else
        columns_header(&paging->head, &paging->columns, all.names);
    sweep_table_clear(&all);
    buffer_free(&first.values);
    return status;
}

/* ---- the answer ---- */

/* Names the answer to such a request for as long as the sweep stays as it is. False: no memory. */
static bool answer_name(const struct sweep_row *row, const struct sweep_page *page, char name[ID_BYTES + 20])
{
    struct buffer asked = {0};
    buffer_format(&asked, "%d %d %d %d %d %s", page->table, page->view, page->from, page->size, row->removed,
                  page->columns ? page->columns : "");
    bool named = !asked.failed;
    if (named)
        snprintf(name, ID_BYTES + 20, "%s-%016llx", row->id,
                 (unsigned long long)hash_bytes(asked.data, asked.size));
    buffer_free(&asked);
    return named;
}

static struct paging *paging_new(struct service *service, const struct sweep_row *row,
                                 const struct sweep_page *page)
{
    struct paging *paging = calloc(1, sizeof *paging);
    bool summary = page->view == SWEEP_VIEW_SUMMARY;
    int each = summary ? row->rounds : 1, count = row->total / each;
    if (!paging)
        return NULL;
    paging->service = service;
    memcpy(paging->id, row->id, sizeof paging->id);
    paging->rounds = row->rounds;
    paging->table = page->table;
    paging->summary = summary;
    paging->spread = row->spread;
    paging->recipe = row->recipe ? recipe_find(row->recipe) : NULL;
    int from = page->from < count ? page->from : count;
    int end = page->size < count - from ? from + page->size : count;
    paging->run = from * each;
    paging->end = end * each;
    if (end < count)
        snprintf(paging->next, sizeof paging->next, "%d", end);
    return paging;
}

enum handled sweep_reply_points(struct request *request, const struct sweep_row *row,
                                const struct sweep_page *asked)
{
    enum handled handled = HANDLED_FAILED;
    char name[ID_BYTES + 20];
    struct sweep_page page = *asked;
    if (page.view == SWEEP_VIEW_USUAL)
        page.view = row->rounds > 1 && !page.table ? SWEEP_VIEW_SUMMARY : SWEEP_VIEW_RUNS;
    bool immutable = sweep_row_ended(row) && answer_name(row, &page, name);
    if (immutable && reply_not_modified(request, name, &handled))
        return handled;
    struct paging *paging = paging_new(service_of(request), row, &page);
    if (!paging)
        return service_reply_no_memory(request, "for an answer");
    int status = 0;
    if (page.table) {
        paging->scalars = request_kernels_scalars(row->request);
        if (paging->recipe)
            recipe_write_notes(&(struct json_writer){.out = &paging->notes}, NULL, paging->recipe);
        status = table_begin(request, paging, &page, &handled);
    } else {
        paging->json.out = &paging->head;
        sweep_reply_open(&paging->json, NULL, paging->service, row, true);
        json_writer_string(&paging->json, "view", paging->summary ? "summary" : "runs");
        if (paging->recipe)
            recipe_write_published(&paging->json, "published", paging->recipe);
        json_writer_begin_array(&paging->json, "points");
    }
    if (status == 0 && !paging->head.failed)
        return reply_stream(request, piece_write, paging, paging_free);
    if (status == 0)
        handled = service_reply_no_memory(request, "for an answer");
    paging_free(paging);
    return handled;
}
