/* The command again: submits the request of an experiment or of a sweep once more, with changes. */
#include "client/commands/submit_command.h"

#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "client/answers/json_path.h"
#include "client/parameters/parameters.h"
#include "client/terminal/language.h"
#include "client/work/client_submission.h"
#include "client/work/fetch.h"

/* Fetches the request of an experiment or a sweep, released by the caller, as it was stored. Returns an exit status. */
static int fetch_stored_request(struct context *context, const struct resource *resource, json_t **request)
{
    struct http_client_response response;
    char path[CLIENT_SUBMISSION_PATH_BYTES];
    snprintf(path, sizeof path, "%s%s", resource->path, resource->sweep ? "?page_size=1" : "");
    int status = http_client_send(&context->service,
                                  &(struct http_client_request){.method = "GET", .path = path}, &response);
    if (status != EXIT_FINE)
        return status;
    json_t *document = json_path_load(&context->screen, response.body.data);
    http_client_response_free(&response);
    *request = json_incref(json_object_get(document, "request"));
    json_decref(document);
    return *request ? EXIT_FINE : EXIT_UNREACHABLE;
}

/* Asks the service whether the grid of a launch is the smallest one that covers the size, and sets *covering. The service
   computes that grid in a prediction for which none is given. request: an experiment's; launch: the request itself, or its
   reference, which has a kernel and a block of its own. Returns an exit status. */
static int find_covering_grid(struct context *context, const json_t *request, const json_t *launch,
                              bool *covering)
{
    static const char *const left_out[] = {"grid", "device", "show", "reference", "tolerance"};
    json_t *question = json_copy((json_t *)request), *answer = NULL;
    json_object_update(question, (json_t *)launch);
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        json_object_del(question, left_out[i]);
    json_object_set_new(question, "arch", json_string("sm_90"));
    char *body = json_dumps(question, JSON_COMPACT);
    struct http_client_request http_request = fetch_question(context, "/v1/predictions", body);
    http_request.accept_status = 422; /* a kernel of the user's own may need a grid */
    int status = fetch_document(context, &http_request, &answer);
    *covering = status == EXIT_FINE && json_equal(json_object_get(json_object_get(answer, "request"), "grid"),
                                                  json_object_get(launch, "grid"));
    json_decref(answer);
    json_decref(question);
    free(body);
    return status;
}

/* Prints a remark that the request keeps its grid, if it has one. */
static void tell_grid_stays(struct context *context, const json_t *request)
{
    char text[JSON_PATH_TEXT_BYTES];
    json_path_value(text, json_object_get(request, "grid"));
    if (*text)
        screen_remark(&context->screen, language_text("the grid stays %s: grid=... gives another one"), text);
}

/* Removes the grid from an experiment's request, and from its reference, where it is the smallest one that covers the size:
   the service then computes it from the new values. Another grid of the experiment stays, which is told. Returns an exit
   status. */
static int drop_covering_grids(struct context *context, json_t *request)
{
    json_t *reference = json_object_get(request, "reference");
    bool covering = false, of_reference = false;
    int status = find_covering_grid(context, request, request, &covering);
    if (status == EXIT_FINE && json_object_get(reference, "grid"))
        status = find_covering_grid(context, request, reference, &of_reference);
    if (covering)
        json_object_del(request, "grid");
    else if (status == EXIT_FINE)
        tell_grid_stays(context, request);
    if (of_reference)
        json_object_del(reference, "grid");
    return status;
}

static bool is_own_kernel(const json_t *request)
{
    return strncmp(json_path_text(request, "kernel", ""), "src-", 4) == 0;
}

/* A kernel of the user's own may have the size as an argument, as n in n=1000. The service refuses both: of the argument and
   the size, the one that the changes give stays in the request; null for the argument is for the size. Returns an exit status. */
static int drop_named_size(struct context *context, json_t *request, json_t *changes)
{
    json_t *kernel = NULL, *argument;
    size_t i;
    char *path = fetch_path(context, "/v1/kernels", json_path_text(request, "kernel", ""), "");
    int status = fetch_json(context, path ? path : "", &kernel);
    json_array_foreach (json_object_get(kernel, "arguments"), i, argument)
        if (strcmp(json_path_text(argument, "value", ""), "size") == 0) {
            const char *name = json_path_text(argument, "name", "");
            json_t *given = json_object_get(changes, name);
            if (json_is_null(given) && json_object_get(request, "size")) {
                json_object_set(changes, "size", given);
                json_object_del(changes, name);
            } else if (json_object_get(changes, "size"))
                json_object_del(request, name);
            else if (given)
                json_object_del(request, "size");
        }
    json_decref(kernel);
    free(path);
    return status;
}

/* Turns the request of an experiment into one of a sweep: each shape becomes a list with one shape. */
static void make_axes(json_t *request)
{
    const char *name;
    json_t *value;
    json_object_foreach (request, name, value)
        if (json_is_array(value) && words_contain("block grid size", name))
            json_object_set_new(request, name, json_pack("[O]", value));
}

/* Reads the command line's values as a request that has nothing else. before: the stored request. NULL: an error. */
static json_t *read_changes(struct context *context, const json_t *before, bool axes, struct error *error)
{
    const struct command_line *options = &context->options;
    json_t *changes = json_object(), *device = json_object_get(before, "device");
    if (is_own_kernel(before)) /* "in.w" is then the name of an argument: see parameters_add() */
        json_object_set_new(changes, "source", json_null());
    int failed = parameters_add(changes, options->words + 1, options->word_count - 1, axes, error);
    json_object_del(changes, "source");
    if (failed == 0)
        failed = submit_make_reference(context, changes, error);
    /* --spread keeps a list of devices, or conditions. */
    if (options->given[OPTION_SPREAD] && !options->given[OPTION_DEVICE] &&
        !json_object_get(changes, "device") && (json_is_array(device) || json_is_object(device)))
        json_object_set(changes, "device", device);
    if (failed == 0 && submit_add_device(changes, options, axes, error) == 0)
        return changes;
    json_decref(changes);
    return NULL;
}

/* Deletes the reference's block, grid and shared_bytes where they equal the experiment's. The service then gives the reference
   the new values of the experiment. */
static void drop_same_launch(json_t *request)
{
    static const char *const names[] = {"block", "grid", "shared_bytes"};
    json_t *reference = json_object_get(request, "reference");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_equal(json_object_get(reference, names[i]), json_object_get(request, names[i])))
            json_object_del(reference, names[i]);
}

/* Returns whether a change removes the value: null, or of a label, which is a text, "null". */
static bool is_removal(const json_t *value)
{
    return json_is_null(value) || (json_is_string(value) && strcmp(json_string_value(value), "null") == 0);
}

/* Deletes from the request each value for which the changes have null, and then that null from the changes. stored: the request
   as the service has it. Returns -1 with an error if the stored request has no such value. */
static int remove_nulls(json_t *request, const json_t *stored, json_t *changes, const char *within,
                        struct error *error)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe (changes, next, name, value)
        if (json_is_object(value)) {
            if (remove_nulls(json_object_get(request, name), json_object_get(stored, name), value, name,
                             error) < 0)
                return -1;
        } else if (is_removal(value)) {
            if (!json_object_get(stored, name))
                return error_set(error, ERROR_INVALID,
                                 language_text("%s%s%s=null: the request has no such value"), within,
                                 *within ? "." : "", name);
            json_object_del(request, name);
            json_object_del(changes, name);
        }
    return 0;
}

/* Sets the values of the changes in the request. Objects, as measure and labels, are merged member by member; a device, and a
   reference with another kernel, are replaced as a whole. A tolerance is deleted if there is no reference. */
static void apply_changes(json_t *request, json_t *changes)
{
    const json_t *reference = json_object_get(changes, "reference");
    if (json_object_get(changes, "device"))
        json_object_del(request, "device");
    if (json_object_get(reference, "kernel") || json_object_get(reference, "source"))
        json_object_del(request, "reference");
    if (!reference && !json_object_get(request, "reference"))
        json_object_del(request, "tolerance");
    json_object_update_recursive(request, changes);
}

/* Returns whether one of the changes may need another grid. */
static bool change_launch(const json_t *changes)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)changes, name, value)
        if (!words_contain("labels measure counters priority timeout_s transfers placement show tolerance",
                           name))
            return true;
    return false;
}

int command_again(struct context *context)
{
    const struct command_line *options = &context->options;
    struct resource resource;
    json_t *request = NULL;
    struct error error = {0};
    int status = client_submission_find(context, options->words[0], &resource);
    if (status == EXIT_FINE)
        status = fetch_stored_request(context, &resource, &request);
    if (status != EXIT_FINE)
        return status;
    bool axes = resource.sweep || options->given[OPTION_SPREAD] ||
                parameters_have_list(options->words + 1, options->word_count - 1);
    json_t *stored = json_deep_copy(request), *changes = read_changes(context, request, axes, &error);
    if (changes && !resource.sweep) {
        drop_same_launch(request);
        if (json_object_get(changes, "repeat"))
            json_object_del(request, "placement"); /* one run keeps its place, several runs have several */
        if ((axes || change_launch(changes)) && json_object_get(request, "grid") &&
            !json_object_get(changes, "grid"))
            status = drop_covering_grids(context, request);
    }
    if (changes && resource.sweep && change_launch(changes) && !json_object_get(changes, "grid"))
        tell_grid_stays(context, request);
    if (status == EXIT_FINE && changes && is_own_kernel(request))
        status = drop_named_size(context, request, changes);
    if (!changes || remove_nulls(request, stored, changes, "", &error) < 0)
        status = context_usage(context, &error);
    if (status == EXIT_FINE) {
        if (!resource.sweep && axes)
            make_axes(request);
        apply_changes(request, changes);
        status = axes ? submit_sweep(context, json_incref(request))
                      : submit_experiment(context, json_incref(request));
    }
    json_decref(changes);
    json_decref(stored);
    json_decref(request);
    return status;
}
