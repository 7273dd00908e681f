/* /v1/removals: what was removed and can still be restored; and restoring it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "server/routes/query.h"
#include "server/routes/resource.h"
#include "server/routes/wait.h"
#include "server/store/removal_reads.h"
#include "server/store/write.h"

enum { REMOVALS_MAX = 100 };

static route_handler removals_list, restore;

static const char *const queries[] = {"removed_by", NULL};

const struct route removal_routes[] = {
    /* Newest first; removed_by: those that this person removed, or `me`. */
    {"GET", "/v1/removals", "application/json", .queries = queries, .flags = ROUTE_SLOW,
     .handle = removals_list},
    /* It is listed and counted again, as it was. */
    {"POST", "/v1/experiments/{id}/restore", "application/json", .handle = restore},
    {"POST", "/v1/sweeps/{id}/restore", "application/json", .handle = restore},
    {0},
};

static void removal_write(struct json_writer *json, const struct removal_row *row)
{
    char path[64];
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "id", row->id);
    json_writer_bool(json, "sweep", row->sweep);
    json_writer_int(json, "experiments", row->experiments);
    json_writer_name(json, "owner", row->owner);
    json_writer_name(json, "removed_by", row->removed_by);
    json_writer_time(json, "removed_at", row->removed_ms);
    json_writer_time(json, "restorable_until", row->restorable_ms);
    snprintf(path, sizeof path, "/v1/%s/%s/restore", row->sweep ? "sweeps" : "experiments", row->id);
    json_writer_begin_object(json, "links");
    json_writer_string(json, "restore", path);
    json_writer_end(json);
    json_writer_end(json);
}

static enum handled removals_list(struct request *request)
{
    struct error error = {0};
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    const char *by = query_person(request, "removed_by");
    if (by && !user_name_or_nobody(by))
        return service_reply_wrong(request,
                                   "removed_by must be \"me\", a name, or " OWNER_NOBODY ": " USER_NAME_RULE);
    struct removal_row *rows = calloc(REMOVALS_MAX, sizeof *rows);
    if (!rows)
        return service_reply_no_memory(request, "for a list");
    int count =
        store_removals(service_of(request)->store, NULL, user_name_stored(by), rows, REMOVALS_MAX, &error);
    json_writer_begin_object(&json, NULL);
    json_writer_double(&json, "undo_seconds", service_of(request)->undo_s);
    json_writer_begin_array(&json, "removals");
    for (int i = 0; i < count; i++)
        removal_write(&json, &rows[i]);
    free(rows);
    if (count >= 0)
        return reply_body(request, 200, service_line(&json));
    buffer_free(&body);
    return reply_error(request, &error);
}

/* Whose it is, whether it was removed or is there, which is nothing to do (*there). -1: *handled is the reply. */
static int owner_find(struct request *request, char owner[USER_NAME_BYTES], bool *there,
                      enum handled *handled)
{
    const char *id = request_param(request);
    struct stored_resource found;
    struct removal_row row;
    struct error error = {0};
    int count = id_valid(id) ? store_removals(service_of(request)->store, id, NULL, &row, 1, &error) : 0;
    if (count < 0) {
        *handled = reply_error(request, &error);
        return -1;
    }
    *there = !count || row.sweep != resource_is_sweep(request);
    if (*there && resource_read(request, &found, handled) < 0)
        return -1;
    snprintf(owner, USER_NAME_BYTES, "%s", *there ? found.owner : row.owner);
    if (*there)
        resource_clear(&found);
    return 0;
}

/* A cached "there is none" does not exist, so nothing is to be dropped from the cache. */
static enum handled restore(struct request *request)
{
    struct commit_wait *wait = request_state(request);
    struct store *store = service_of(request)->store;
    struct store_mark mark = {
        .sweep = resource_is_sweep(request), .restore = true, .now_ms = clock_wall_ms()};
    char owner[USER_NAME_BYTES];
    struct error error = {0};
    enum handled handled;
    bool there;
    if (wait)
        return wait_commit_over(wait, &handled) ? reply_no_content(request) : handled;
    if (owner_find(request, owner, &there, &handled) < 0 ||
        !resource_allowed(request, owner, "restore it", &handled))
        return handled;
    if (there)
        return reply_no_content(request);
    if (!(wait = wait_commit_new(request, sizeof *wait, free, &handled)))
        return handled;
    snprintf(mark.id, sizeof mark.id, "%s", request_param(request));
    if (store_mark(store, &mark, wait_commit_done, wait, &error) == 0)
        return HANDLED_WAIT;
    return reply_error(request, &error);
}
