/* /v1/kernels: the suite's, which do not change while the program runs, and those that users bring. */
#include <jansson.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/kernel_json.h"
#include "api/prediction_json.h"
#include "api/source_json.h"
#include "base/clock.h"
#include "kernels/source/source_registers.h"
#include "server/routes/service.h"
#include "server/routes/stored_source.h"
#include "server/routes/wait.h"
#include "server/store/write.h"

static route_handler kernel_list, kernel_show, kernel_store, kernel_delete;

const struct route kernel_routes[] = {
    /* All of the suite with their parameters, and those that are stored, as far as the user may see them. */
    {"GET", "/v1/kernels", "application/json", .flags = ROUTE_CACHED | ROUTE_SLOW, .handle = kernel_list},
    /* Stores a kernel of one's own. */
    {"POST", "/v1/kernels", "application/json", .flags = ROUTE_JSON, .body_max = 256 << 10,
     .handle = kernel_store},
    /* One kernel, with its source. */
    {"GET", "/v1/kernels/{name}", "application/json", .flags = ROUTE_CACHED | ROUTE_SLOW,
     .handle = kernel_show},
    /* Takes a stored one away; experiments that use it go on. */
    {"DELETE", "/v1/kernels/{name}", "application/json", .handle = kernel_delete},
    {0},
};

/* ---- what is there ---- */

static void row_members(struct json_writer *json, const struct kernel_row *row)
{
    json_writer_bool(json, "stored", row->stored);
    json_writer_name(json, "owner", row->owner);
    json_writer_bool(json, "public", row->is_public);
    json_writer_time(json, "stored_at", row->stored_ms);
}

static void row_write(void *arg, const struct kernel_row *row)
{
    struct json_writer *json = arg;
    char path[64];
    snprintf(path, sizeof path, "/v1/kernels/%s", row->name);
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", row->name);
    json_writer_string(json, "title", row->title[0] ? row->title : row->entry);
    json_writer_string(json, "entry", row->entry);
    row_members(json, row);
    json_writer_begin_object(json, "links");
    json_writer_string(json, "self", path);
    json_writer_end(json);
    json_writer_end(json);
}

/* As long as nobody has a kernel stored the list is the same for all, and is cached. */
static enum handled kernel_list(struct request *request)
{
    struct store *store = service_of(request)->store;
    const struct kernel_reader reader = stored_source_reader(request_user(request));
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    struct error error = {0};
    int stored = store_kernels_exist(store, &error);
    json_writer_begin_object(&json, NULL);
    json_writer_begin_array(&json, "kernels");
    for (int i = 0; i < suite_count(); i++)
        kernel_json_write(&json, NULL, suite_at(i), false);
    json_writer_end(&json);
    json_writer_begin_array(&json, "stored");
    if (stored == 0)
        return reply_immutable(request, service_line(&json), "kernels");
    if (stored > 0 && store_kernels(store, &reader, row_write, &json, &error) == 0)
        return reply_body(request, 200, service_line(&json));
    buffer_free(&body);
    return reply_error(request, &error);
}

/* ---- one of them ---- */

static void write_compiled(struct json_writer *json, struct source_service *sources,
                           const struct source_kernel *kernel)
{
    char architecture[16];
    struct error error = {0};
    struct source_build *build =
        sources ? source_service_build(sources, kernel, PREDICTION_STAND_IN_NUMBER, &error) : NULL;
    const struct compilation *compilation = build ? &build->compilation : NULL;
    if (compilation && compilation->ok) {
        json_writer_begin_object(json, "compiled");
        snprintf(architecture, sizeof architecture, "sm_%d", compilation->architecture);
        json_writer_string(json, "compiler", compilation->compiler);
        json_writer_string(json, "architecture", architecture);
        int registers = source_registers(compilation->cubin, compilation->cubin_bytes, compilation->entry);
        json_writer_known_int(json, "registers_per_thread", registers >= 0, registers);
        json_writer_string(json, "ptx", compilation->ptx);
        json_writer_end(json);
    } else {
        json_parts_missing(json, "compiled", "unavailable",
                           compilation ? compilation->faults[0].text
                           : error.text[0]
                               ? error.text
                               : "this service takes no source: it was started with --source off");
    }
    source_cache_release(build);
}

static enum handled source_show(struct request *request)
{
    const struct service *service = service_of(request);
    struct kernel_row row;
    struct error error = {0};
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    struct source_kernel *kernel =
        stored_source_open(service->store, request_user(request), request_param(request), &row, &error);
    if (!kernel)
        return reply_error(request, &error);
    if (row.title[0])
        kernel->kernel.title.en = row.title;
    json_writer_begin_object(&json, NULL);
    kernel_json_members(&json, &kernel->kernel);
    row_members(&json, &row);
    source_draft_json(&json, &kernel->draft);
    write_compiled(&json, service->sources, kernel);
    source_kernel_free(kernel);
    return reply_body(request, 200, service_line(&json));
}

static enum handled kernel_show(struct request *request)
{
    struct suggestion meant;
    const char *name = request_param(request);
    const struct kernel *kernel = suite_find(name);
    if (!kernel && source_kernel_is_name(name))
        return source_show(request);
    if (!kernel)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "there is no kernel %.64s%s GET /v1/kernels lists them", name,
                             experiment_json_suggest_kernel(&meant, name));
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    kernel_json_write(&json, NULL, kernel, true);
    return reply_immutable(request, service_line(&json), kernel->name);
}

/* ---- changes ---- */

/* A request that stores or deletes a kernel. Its source is compiled in the worker pool before the store gets it. */
struct kernel_change {
    struct commit_wait commit;
    atomic_bool compiled; /* `problems` and `error` say how it went */
    struct problems problems;
    struct error error;
    struct source_kernel *kernel; /* NULL: it removes */
    struct buffer definition;
    char title[KERNEL_ROW_TITLE_BYTES], name[KERNEL_ROW_NAME_BYTES];
    struct store_kernel row;
    struct store_write write;
    struct http *http;
    bool begun; /* the write is the store's, or was */
};

static void change_free(void *state)
{
    struct kernel_change *change = state;
    source_kernel_free(change->kernel);
    buffer_free(&change->definition);
    free(change);
}

/* The list is not cached any more from here on. */
static void on_written(struct store_write *write, const struct error *failed)
{
    struct kernel_change *change =
        (struct kernel_change *)((char *)write - offsetof(struct kernel_change, write));
    if (!failed)
        http_invalidate(change->http, "/v1/kernels");
    wait_commit_done(change, failed);
}

static enum handled change_write(struct request *request, struct kernel_change *change)
{
    change->row.name = change->name;
    change->row.owner = request_user(request)->name;
    change->write = (struct store_write){.kernel = &change->row, .done = on_written};
    change->http = request_http(request);
    change->begun = true;
    store_hand_over(service_of(request)->store, &change->write);
    return HANDLED_WAIT;
}

/* Removes title and public from the request. */
static void take_labels(struct kernel_change *change, json_t *request)
{
    const json_t *title = json_object_get(request, "title"), *is_public = json_object_get(request, "public");
    if (title && (!json_is_string(title) || json_string_length(title) >= sizeof change->title))
        problem_add(&change->problems, "#/title", "must be a string of at most %d bytes",
                    KERNEL_ROW_TITLE_BYTES - 1);
    else if (title)
        snprintf(change->title, sizeof change->title, "%s", json_string_value(title));
    if (is_public && !json_is_boolean(is_public))
        problem_add(&change->problems, "#/public", "must be true or false");
    change->row.is_public = json_is_true(is_public);
    json_object_del(request, "title");
    json_object_del(request, "public");
}

static void change_read(struct kernel_change *change, json_t *request, const struct service *service)
{
    take_labels(change, request);
    change->kernel = source_json_define(request, &change->problems, &change->error);
    if (!service->sources)
        problem_add(&change->problems, "#/source",
                    "this service takes no source: it was started with --source off");
    if (!change->kernel)
        return;
    change->definition = source_draft_text(&change->kernel->draft);
    snprintf(change->name, sizeof change->name, "%s", change->kernel->name);
    change->row.entry = change->kernel->draft.entry;
    change->row.definition = change->definition.data;
    change->row.title = change->title[0] ? change->title : NULL;
    change->row.stored_ms = clock_wall_ms();
    change->row.limit = service->owner_kernels;
    if (change->definition.failed)
        error_set(&change->error, ERROR_MEMORY, "no memory for a kernel");
}

static void compile(struct request *request)
{
    struct kernel_change *change = request_state(request);
    stored_source_compile(service_of(request)->sources, change->kernel, &change->problems, &change->error);
    atomic_store(&change->compiled, true);
}

static enum handled store_begin(struct request *request)
{
    enum handled handled;
    char detail[JSON_PARTS_DETAIL_BYTES];
    size_t length;
    const char *body = request_body(request, &length);
    json_t *object = json_parts_body(body, length, "{\"source\": \"...\"}", detail);
    if (!object)
        return service_reply_wrong(request, detail);
    struct kernel_change *change = wait_commit_new(request, sizeof *change, change_free, &handled);
    if (change)
        change_read(change, object, service_of(request));
    json_decref(object);
    if (!change)
        return handled;
    if (change->problems.count)
        return reply_fields(request, &change->problems);
    if (change->error.kind != ERROR_NONE)
        return reply_error(request, &change->error);
    return request_work(request, compile)
               ? HANDLED_WAIT
               : reply_problem(request, PROBLEM_UNAVAILABLE, "the service is stopping");
}

static enum handled stored_reply(struct request *request, const struct kernel_change *change)
{
    struct kernel_row row = {
        .stored = true, .is_public = change->row.is_public, .stored_ms = change->row.stored_ms};
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    char path[64];
    bool is_new = change->write.outcome == WRITE_NEW;
    snprintf(row.name, sizeof row.name, "%s", change->name);
    snprintf(row.entry, sizeof row.entry, "%s", change->row.entry);
    snprintf(row.owner, sizeof row.owner, "%s", change->row.owner);
    snprintf(row.title, sizeof row.title, "%s", change->title);
    row_write(&json, &row);
    snprintf(path, sizeof path, "/v1/kernels/%s", change->name);
    reply_header(request, "Location", path);
    request_made(request, change->name);
    return reply_body(request, is_new ? 201 : 200, service_line(&json));
}

static enum handled kernel_store(struct request *request)
{
    struct kernel_change *change = request_state(request);
    enum handled handled;
    if (!change)
        return store_begin(request);
    if (!change->begun && !atomic_load(&change->compiled))
        return HANDLED_WAIT;
    if (change->problems.count)
        return reply_fields(request, &change->problems);
    if (change->error.kind != ERROR_NONE)
        return reply_error(request, &change->error);
    if (!change->begun)
        return change_write(request, change);
    return wait_commit_over(&change->commit, &handled) ? stored_reply(request, change) : handled;
}

/* True: the user who asks has it stored, or is an admin. Else *handled is the reply: 403 about one that is public. */
static bool may_delete(struct request *request, enum handled *handled)
{
    const struct user *user = request_user(request);
    const struct kernel_reader reader = stored_source_reader(user);
    struct kernel_row row;
    struct error error = {0};
    if (store_kernel_read(service_of(request)->store, request_param(request), &reader, &row, &error) < 0) {
        *handled = reply_error(request, &error);
        return false;
    }
    free(row.definition);
    if (!row.stored)
        *handled =
            reply_problem(request, PROBLEM_NOT_FOUND, "there is no kernel %.64s", request_param(request));
    else if (!reader.admin && strcmp(row.owner, user->name) != 0)
        *handled = reply_problem(request, PROBLEM_FORBIDDEN, "only its owner or an admin may remove %.64s",
                                 request_param(request));
    else
        return true;
    return false;
}

static enum handled kernel_delete(struct request *request)
{
    struct kernel_change *change = request_state(request);
    const char *name = request_param(request);
    enum handled handled;
    if (change)
        return wait_commit_over(&change->commit, &handled) ? reply_no_content(request) : handled;
    if (suite_find(name))
        return reply_problem(request, PROBLEM_CONFLICT, "%.64s is a kernel of the suite, and stays", name);
    if (!may_delete(request, &handled) ||
        !(change = wait_commit_new(request, sizeof *change, change_free, &handled)))
        return handled;
    snprintf(change->name, sizeof change->name, "%s", name);
    change->row.remove = true;
    change->row.of_all = request_user(request)->role == ROLE_ADMIN;
    return change_write(request, change);
}
