/* Reads a sweep's points from the store and sends them, run by run or summed up over the runs of each
   point. */
#include "server/routes/sweep_points.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/point_summary.h"
#include "api/summary_table.h"
#include "base/hash.h"
#include "server/routes/experiment_reply.h"
#include "server/routes/sweep_reply.h"

enum { PIECE_RUNS = 16 };

/* ---- pages ---- */

struct paging {
    struct store *store;
    char id[ID_BYTES];
    int run, end;  /* the next one, and the one behind the last */
    int rounds;    /* so many runs each point has */
    char next[16]; /* the next page's token; empty: this is the last */
    bool table, begun;
    bool gone; /* runs are missing: the sweep was removed meanwhile */
    struct service *service;
    bool summary, spread; /* summary: else run by run; spread: a summary for each device of a point */
    struct point_summary
        *summaries[DEVICES_MAX + 1]; /* by the device's number + 1; without spread the first alone */
    struct columns columns;
    struct buffer head;      /* what stands before the points; owned */
    struct json_writer json; /* unless it is a table; its buffer is the piece's in any case */
};

static void paging_free(void *arg)
{
    struct paging *paging = arg;
    for (int i = 0; i <= DEVICES_MAX; i++)
        point_summary_free(paging->summaries[i]);
    buffer_free(&paging->head);
    free(paging);
}

/* `summary`: over the point's runs; NULL: the run itself. */
static int point_show(struct paging *paging, const struct point_row *row, struct view_point *point,
                      const struct point_summary *summary)
{
    struct buffer *out = paging->json.out;
    point->reference = row->reference;
    if (summary && paging->table)
        return summary_table_row(out, summary, &paging->columns, point);
    if (paging->table)
        return csv_row(out, &paging->columns, point);
    if (!summary) {
        sweep_view_point(&paging->json, NULL, point);
        return out->failed ? -1 : 0;
    }
    point_summary_write(&paging->json, NULL, summary, point);
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
static int summaries_show(struct paging *paging, const struct point_row *row, struct view_point *point)
{
    int failed = 0;
    for (int i = 1; i <= DEVICES_MAX + 1 && !failed; i++) {
        struct point_summary *summary = paging->summaries[i % (DEVICES_MAX + 1)];
        if (!summary || !summary->asked)
            continue;
        point_summary_end(summary);
        failed = point_show(paging, row, point, summary);
        point_summary_begin(summary);
    }
    return failed;
}

static int run_write(void *arg, const struct point_row *row)
{
    struct paging *paging = arg;
    struct view_experiment experiment;
    int round = row->place % paging->rounds;
    struct view_point point = {.index = row->place / paging->rounds,
                               .repeated = paging->rounds > 1,
                               .repeat_index = round,
                               .values = row->axes,
                               .id = row->experiment,
                               .request = row->request,
                               .failure = row->reason};
    if (row->job) {
        experiment_reply_init(paging->service, row->job, &experiment);
        point.experiment = &experiment;
    }
    if ((paging->gone = row->place != paging->run))
        return -1;
    paging->run = row->place + 1;
    if (!paging->summary)
        return point_show(paging, row, &point, NULL);
    if (run_sum(paging, &point) < 0)
        return -1;
    return round < paging->rounds - 1 ? 0 : summaries_show(paging, row, &point);
}

/* At least one point: a summary has whole points. */
static int piece_runs(const struct paging *paging)
{
    int left = paging->end - paging->run;
    int runs =
        paging->summary ? (PIECE_RUNS + paging->rounds - 1) / paging->rounds * paging->rounds : PIECE_RUNS;
    return left < runs ? left : runs;
}

static int piece_write(void *arg, struct buffer *out, struct error *error)
{
    struct paging *paging = arg;
    int runs = piece_runs(paging), behind = paging->run + runs;
    if (!paging->begun)
        buffer_append(out, paging->head.data, paging->head.size);
    paging->begun = true;
    paging->json.out = out;
    if (store_points(paging->store, paging->id, paging->run, runs, run_write, paging, error) < 0)
        return -1;
    if (paging->gone || paging->run != behind)
        return error_set(error, ERROR_NOT_FOUND, "sweep %s was removed meanwhile", paging->id);
    if (paging->run < paging->end)
        return 1;
    if (paging->table)
        return 0;
    json_writer_end(&paging->json);
    json_writer_string(&paging->json, "next_page_token", paging->next[0] ? paging->next : NULL);
    json_writer_end(&paging->json);
    return buffer_text(out, "\n");
}

/* ---- replies ---- */

static int values_take(void *arg, const struct point_row *row)
{
    return buffer_text(arg, row->axes);
}

/* The table's first line, of the columns that are asked for. 0, or -1 with the reply. */
static int table_begin(struct request *request, struct paging *paging, const struct sweep_page *page,
                       enum handled *handled)
{
    char detail[COLUMNS_DETAIL_BYTES];
    struct summary_table all = {0};
    struct buffer values = {0};
    struct error error = {0};
    int status = 0;
    if (page->view == SWEEP_VIEW_SUMMARY)
        status = store_points(paging->store, paging->id, 0, 1, values_take, &values, &error);
    if (status < 0 || values.failed) {
        *handled = reply_error(request, &error);
    } else if ((status = sweep_page_columns(page, values.data ? values.data : "{}", &all, &paging->columns,
                                            detail)) < 0) {
        *handled = reply_problem(request, PROBLEM_MALFORMED, "%s", detail);
    } else if (page->view == SWEEP_VIEW_SUMMARY) {
        columns_header(&paging->head, &paging->columns, all.names);
    } else {
        csv_header(&paging->head, &paging->columns);
    }
    summary_table_clear(&all);
    buffer_free(&values);
    return status;
}

static void page_begin(struct request *request, struct paging *paging, const struct sweep_row *row)
{
    struct view_sweep view;
    sweep_reply_init(service_of(request), row, &view);
    view.request = row->request;
    paging->json.out = &paging->head;
    sweep_view_open(&paging->json, NULL, &view);
    json_writer_string(&paging->json, "view", paging->summary ? "summary" : "runs");
    json_writer_begin_array(&paging->json, "points");
}

/* Names the answer to such a request for as long as the sweep stays as it is. False: no memory. */
static bool answer_name(const struct sweep_row *row, const struct sweep_page *page, char name[ID_BYTES + 20])
{
    struct buffer asked = {0};
    buffer_format(&asked, "%d %d %d %d %d ", page->table, page->view, page->from, page->size, row->removed);
    buffer_text(&asked, page->columns ? page->columns : "");
    bool named = !asked.failed;
    if (named)
        snprintf(name, ID_BYTES + 20, "%s-%016llx", row->id,
                 (unsigned long long)hash_bytes(asked.data, asked.size));
    buffer_free(&asked);
    return named;
}

static struct paging *paging_new(struct request *request, const struct sweep_row *row,
                                 const struct sweep_page *page)
{
    struct service *service = service_of(request);
    struct paging *paging = calloc(1, sizeof *paging);
    bool summary = page->view == SWEEP_VIEW_SUMMARY;
    int each = summary ? row->rounds : 1, count = row->total / each;
    if (!paging)
        return NULL;
    *paging = (struct paging){.store = service->store,
                              .rounds = row->rounds,
                              .table = page->table,
                              .summary = summary,
                              .spread = row->spread};
    memcpy(paging->id, row->id, sizeof paging->id);
    paging->service = service;
    int from = page->from < count ? page->from : count;
    int end = page->size < count - from ? from + page->size : count;
    paging->run = from * each;
    paging->end = end * each;
    if (end < count)
        snprintf(paging->next, sizeof paging->next, "%d", end);
    return paging;
}

enum handled sweep_points_reply(struct request *request, const struct sweep_row *row,
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
    struct paging *paging = paging_new(request, row, &page);
    if (!paging)
        return service_reply_no_memory(request, "for an answer");
    if (page.table && table_begin(request, paging, &page, &handled) < 0) {
        paging_free(paging);
        return handled;
    }
    if (!page.table)
        page_begin(request, paging, row);
    if (paging->head.failed) {
        paging_free(paging);
        return service_reply_no_memory(request, "for an answer");
    }
    return reply_stream(request, piece_write, paging, paging_free);
}
