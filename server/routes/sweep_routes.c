/* /v1/sweeps: submitting, listing, showing and ending sweeps, which are many experiments of one request. */
#include "api/csv.h"
#include "server/routes/query.h"
#include "server/routes/resource.h"
#include "server/routes/submission_steps.h"

static route_handler table_show;

static const char *const table_queries[] = {"columns", "view", NULL};
static const char *const list_queries[] = {"state", "owner",     "label",      "device_uuid",   "since",
                                           "until", "page_size", "page_token", "without_label", NULL};
static const char *const show_queries[] = {"columns", "page_size", "page_token", "view", "wait", NULL};

const struct route sweep_routes[] = {
    /* Answers once all of it is on the disk or, with "Prefer: wait=N", has ended; then also as a table.
       Points are expanded in the worker pool, as 10,000 take 200 ms. */
    {"POST", "/v1/sweeps", "application/json", .other = CSV_MEDIA_TYPE, .queries = table_queries,
     .flags = ROUTE_JSON, .body_max = 1 << 20, .handle = submission_steps_sweep},
    /* Newest first, a page at a time, without their points. */
    {"GET", "/v1/sweeps", "application/json", .queries = list_queries, .flags = ROUTE_SLOW,
     .handle = resource_list},
    /* Its state and a page of its points, as a table all points; with wait=N once all have ended, or after
       N seconds. */
    {"GET", "/v1/sweeps/{id}", "application/json", .other = CSV_MEDIA_TYPE, .queries = show_queries,
     .flags = ROUTE_SLOW, .handle = resource_show},
    /* The table of all points, for clients that cannot send an Accept header. */
    {"GET", "/v1/sweeps/{id}.csv", CSV_MEDIA_TYPE, .queries = table_queries, .flags = ROUTE_SLOW,
     .handle = table_show},
    /* Cancels all of it that has not ended. */
    {"DELETE", "/v1/sweeps/{id}", "application/json", .queries = resource_delete_queries,
     .handle = resource_delete},
    {0},
};

static enum handled table_show(struct request *request)
{
    struct stored_resource found;
    struct sweep_page page;
    enum handled handled;
    const char *wrong = query_sweep_page(request, true, &page);
    if (wrong)
        return service_reply_wrong(request, wrong);
    if (resource_read(request, &found, &handled) < 0)
        return handled;
    handled = sweep_reply_points(request, &found.row, &page);
    resource_clear(&found);
    return handled;
}
