#include "server/routes/answers/answer_sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/recipe.h"
#include "server/http/admission/field.h"
#include "server/routes/answers/answer_experiment.h"

enum { PIECE_ROWS = 16 };

static const char *state_of(const struct sweep_row *row)
{
    if (!sweep_row_ended(row))
        return "running";
    if (row->cancelled)
        return "cancelled";
    return row->states[JOB_SUCCEEDED] == row->total ? "succeeded" : "finished";
}

void view_of_sweep(struct service *service, const struct sweep_row *row, struct view_sweep *view)
{
    bool ended = sweep_row_ended(row);
    *view = (struct view_sweep){
        .id = row->id,
        .state = state_of(row),
        .recipe = row->recipe,
        .owner = row->owner,
        .submitted_ms = row->submitted_ms,
        .finished_ms = ended ? row->finished_ms : 0,
        .total = row->total,
        .queued = row->states[JOB_QUEUED],
        .running = row->states[JOB_RUNNING],
        .succeeded = row->states[JOB_SUCCEEDED],
        .failed = row->states[JOB_FAILED],
        .cancelled = row->states[JOB_CANCELLED],
        .removed = row->removed,
        .cancelling = row->cancelled && !ended,
    };
    view->eta_s = queue_sweep_eta(service->queue, row->id, &view->paused);
}

enum handled reply_sweep_accepted(struct request *request, unsigned status, const struct sweep_row *row)
{
    struct buffer body = {0};
    struct view_sweep view;
    view_of_sweep(request_service(request), row, &view);
    view_sweep(&body, &view);
    buffer_text(&body, "}\n");
    if (status == 202)
        reply_retry_after(request, view.eta_s);
    return reply_body(request, status, &body);
}

int sweep_find(struct request *request, const char *id, struct sweep_row *row, enum handled *handled)
{
    struct error error = {0};
    if (id_valid(id) && store_sweep(request_service(request)->store, id, row, &error) == 0)
        return 0;
    *handled = error.kind == ERROR_NONE || error.kind == ERROR_NOT_FOUND
                   ? reply_problem(request, PROBLEM_NOT_FOUND, "there is no sweep %s", id)
                   : reply_error(request, &error);
    return -1;
}

/* ---- pages of points ---- */

const char *sweep_page_read(const struct request *request, int size, struct sweep_page *page)
{
    const char *wanted = request_query(request, "page_size"), *token = request_query(request, "page_token");
    *page = (struct sweep_page){.size = size};
    if (wanted && !field_number(wanted, 1, SWEEP_PAGE_SIZE_MAX, &page->size))
        return "page_size must be a number from 1 to 500";
    if (token && !field_number(token, 0, 999999999, &page->from))
        return "page_token must be the next_page_token of the page before";
    return NULL;
}

struct paging {
    struct store *store;
    char id[ID_BYTES];
    int from, end; /* the next point, and the one behind the last */
    int total;
    bool table, begun, first;
    bool gone; /* points are missing: the sweep was removed meanwhile */
    struct devices *devices;
    const struct recipe *recipe; /* NULL: none */
    struct buffer head;          /* what stands before the points; owned */
    struct buffer *out;
};

static void paging_free(void *arg)
{
    struct paging *paging = arg;
    buffer_free(&paging->head);
    free(paging);
}

/* What a recipe's point is compared with where the store does not know it, from before it was stored; to be freed. */
static char *reference_make(const struct paging *paging, const struct point_row *row)
{
    struct device_status status = {0};
    const char *asked = row->job ? row->job->request : row->request;
    if (row->reference || !paging->recipe || !asked)
        return NULL;
    devices_get(paging->devices, row->job ? row->job->device : 0, &status);
    return recipe_reference(paging->recipe, asked, status.facts.arch, NULL);
}

static int point_write(void *arg, const struct point_row *row)
{
    struct paging *paging = arg;
    struct view_experiment experiment;
    struct view_point point = {.index = row->place,
                               .values = row->axes,
                               .id = row->experiment,
                               .request = row->request,
                               .failure = row->reason};
    if (row->job) {
        view_of_job(row->job, &experiment);
        point.experiment = &experiment;
    }
    if ((paging->gone = row->place != paging->from))
        return -1;
    paging->from = row->place + 1;
    char *made = reference_make(paging, row);
    int failed;
    point.reference = made ? made : row->reference;
    if (paging->table) {
        failed = csv_row(paging->out, &point);
    } else {
        buffer_text(paging->out, paging->first ? "" : ",");
        paging->first = false;
        failed = view_point(paging->out, &point);
    }
    free(made);
    return failed;
}

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct paging *paging = arg;
    int left = paging->end - paging->from, rows = left < PIECE_ROWS ? left : PIECE_ROWS;
    int behind = paging->from + rows;
    if (!paging->begun)
        buffer_append(out, paging->head.data, paging->head.size);
    paging->begun = true;
    paging->out = out;
    if (store_points(paging->store, paging->id, paging->from, rows, point_write, paging, error) < 0)
        return -1;
    if (paging->gone || paging->from != behind)
        return error_set(error, ERROR_NOT_FOUND, "sweep %s was removed meanwhile", paging->id);
    if (left > PIECE_ROWS)
        return 1;
    if (paging->table)
        return 0;
    if (paging->end < paging->total)
        buffer_format(out, "],\"next_page_token\":\"%d\"}\n", paging->end);
    else
        buffer_text(out, "],\"next_page_token\":null}\n");
    return 0;
}

static enum handled reply_points(struct request *request, const struct sweep_row *row,
                                 const struct sweep_page *page, bool table)
{
    struct service *service = request_service(request);
    enum handled handled;
    char name[96];
    /* What ended changes once more when its experiments are removed from the store; and what is predicted anew is of what
       is known of the device by now. */
    bool lasting = sweep_row_ended(row) && (!row->recipe || row->referenced);
    snprintf(name, sizeof name, "%s%s-%d-%d-%d", row->id, table ? "-csv" : "", page->from, page->size,
             row->removed);
    if (lasting && reply_unchanged(request, name, &handled))
        return handled;
    struct paging *paging = calloc(1, sizeof *paging);
    if (!paging)
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for an answer");
    *paging = (struct paging){.store = service->store, .total = row->total, .table = table, .first = true};
    memcpy(paging->id, row->id, sizeof paging->id);
    paging->devices = service->devices;
    paging->recipe = row->recipe ? recipe_find(row->recipe) : NULL;
    paging->from = page->from < row->total ? page->from : row->total;
    paging->end = page->size < row->total - paging->from ? paging->from + page->size : row->total;
    if (table) {
        csv_header(&paging->head);
    } else {
        struct view_sweep view;
        view_of_sweep(service, row, &view);
        view.request = row->request;
        view_sweep(&paging->head, &view);
        buffer_text(&paging->head, ",\"points\":[");
    }
    if (paging->head.failed) {
        paging_free(paging);
        return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for an answer");
    }
    return reply_stream(request, piece_write, paging, paging_free);
}

enum handled reply_sweep(struct request *request, const struct sweep_row *row, const struct sweep_page *page)
{
    return reply_points(request, row, page, false);
}

enum handled reply_sweep_table(struct request *request, const struct sweep_row *row,
                               const struct sweep_page *page)
{
    return reply_points(request, row, page, true);
}
