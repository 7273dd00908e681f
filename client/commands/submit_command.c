/* The commands run, sweep, recipe and again: make a request from the words and submit it. */
#include "client/commands/command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "client/answers/json_path.h"
#include "client/answers/rows_table.h"
#include "client/parameters/parameters.h"
#include "client/parameters/source_file.h"
#include "client/terminal/language.h"
#include "client/work/fetch.h"
#include "client/work/client_submission.h"

/* Adds --device and --spread. A sweep cannot be spread over one device: without a device it goes to any. */
static int add_device(json_t *request, const struct command_line *options, bool axes, struct error *error)
{
    char whole[1024];
    const char *word[] = {whole}, *device = options->given[OPTION_DEVICE];
    snprintf(whole, sizeof whole, "device=%s", device ? device : "any");
    if (options->given[OPTION_SPREAD])
        json_object_set_new(request, "spread", json_true());
    bool any = options->given[OPTION_SPREAD] && !json_object_get(request, "device");
    return device || any ? parameters_add(request, word, 1, axes, error) : 0;
}

/* Returns FILE of the argument reference=FILE, borrowed from the command line; NULL: there is no such argument. */
static const char *reference_file(const struct command_line *options)
{
    static const char before[] = "reference=";
    for (int i = 1; i < options->word_count; i++)
        if (strncmp(options->words[i], before, sizeof before - 1) == 0)
            return options->words[i] + sizeof before - 1;
    return NULL;
}

/* Adds the source of the file that reference=FILE names to the request. Does nothing for the name of a stored kernel. */
static int make_reference(struct context *context, json_t *request, struct error *error)
{
    json_t *reference = json_object_get(request, "reference");
    const char *file = reference_file(&context->options);
    if (!file || !source_file_is(file))
        return 0;
    context->reference_file = file;
    json_object_del(reference, "kernel");
    return source_file_add(reference, file, error);
}

/* {"kernel" or "recipe": the first word, parameters}, released by the caller; NULL: the words are not
   valid, which has been reported. */
static json_t *make_request(struct context *context, const char *first, bool axes)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    json_t *request = json_object();
    const char *name = options->words[0];
    int failed = strchr(name, '=') ? error_set(&error, ERROR_INVALID,
                                               language_text("the first word is the %s's name, not \"%s\""),
                                               language_text(first), name)
                                   : 0;
    if (failed == 0 && strcmp(first, "kernel") == 0 && strchr(name, ',')) {
        char whole[1024];
        snprintf(whole, sizeof whole, "kernel=%s", name);
        failed = parameters_add(request, &(const char *){whole}, 1, axes, &error);
    } else if (failed == 0 && source_file_is(name)) {
        context->source_file = name;
        failed = source_file_add(request, name, &error);
    } else if (failed == 0) {
        json_object_set_new(request, first, json_string(name));
    }
    if (failed == 0)
        failed = parameters_add(request, options->words + 1, options->word_count - 1, axes, &error);
    if (failed == 0)
        failed = make_reference(context, request, &error);
    if (failed == 0 && options->given[OPTION_MEMBERS])
        failed = source_file_add_members(request, options->given[OPTION_MEMBERS], &error);
    if (failed == 0 && add_device(request, options, axes, &error) == 0)
        return request;
    json_decref(request);
    context_usage(context, &error);
    return NULL;
}

/* Submits one experiment. Takes the reference to the request; NULL: its error was reported. */
static int submit_experiment(struct context *context, json_t *request)
{
    const struct command_line *options = &context->options;
    struct error error = {0};
    int failed = 0;
    /* The service would refuse the table only after the run. */
    if (request && options->given[OPTION_VIEW] && json_integer_value(json_object_get(request, "repeat")) < 2)
        failed = error_set(&error, ERROR_INVALID,
                           language_text("--view is of several runs: with repeat=6, or of a sweep"));
    else if (request && (options->given[OPTION_X] || options->given[OPTION_Y]))
        failed = error_set(&error, ERROR_INVALID,
                           language_text("--%s is of the plot of a sweep: coalesce sweep ..."),
                           options->given[OPTION_X] ? "x" : "y");
    if (failed) {
        json_decref(request);
        return context_usage(context, &error);
    }
    return request ? client_submission_submit(context, "/v1/experiments", request) : EXIT_USAGE;
}

int command_run(struct context *context)
{
    const struct command_line *options = &context->options;
    int status = submit_experiment(context, make_request(context, "kernel", false));
    if (status == EXIT_REFUSED && parameters_have_list(options->words + 1, options->word_count - 1))
        screen_remark(&context->screen,
                      language_text("several values are an axis of a sweep: coalesce sweep %s ..."),
                      options->words[0]);
    return status;
}

/* Adds the names of the request's axes. Members that the service takes for no axis, though they are lists, are left out. */
static void add_axes(struct buffer *names, const json_t *request, bool spread)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)request, name, value) {
        const char *text = json_string_value(value);
        bool several = json_is_array(value) || (text && strstr(text, ".."));
        if (several && !words_contain("arguments constants counters source threads", name))
            buffer_format(names, "%s%s", names->size ? " " : "", name);
    }
    if (spread && !json_is_array(json_object_get(request, "device")))
        buffer_format(names, "%s%s", names->size ? " " : "", "device");
}

/* Checks that --x names an axis of the sweep. Without this check the error would appear only after the sweep has run. */
static int check_x(const struct command_line *options, const json_t *request, struct error *error)
{
    const char *x = options->given[OPTION_X];
    struct buffer names = {0};
    int failed = 0;
    if (x)
        add_axes(&names, request, options->given[OPTION_SPREAD] != NULL);
    if (x && !names.size)
        failed = error_set(error, ERROR_INVALID, "%s", language_text("--x: the sweep has no axis"));
    else if (x && !words_contain(names.data, x))
        failed = error_set(error, ERROR_INVALID, language_text("--%s is one of: %s"), "x", names.data);
    buffer_free(&names);
    return failed;
}

/* Submits a sweep. Takes the reference to the request; NULL: its error was reported. */
static int submit_sweep(struct context *context, json_t *request)
{
    struct error error = {0};
    bool axes_known = !json_object_get(request, "recipe");
    if (request && axes_known && check_x(&context->options, request, &error) != 0) {
        json_decref(request);
        return context_usage(context, &error);
    }
    return request ? client_submission_submit(context, "/v1/sweeps", request) : EXIT_USAGE;
}

int command_sweep(struct context *context)
{
    return submit_sweep(context, make_request(context, "kernel", true));
}

static enum style title_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    const char *english = json_path_text(row, "title", "");
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s",
             language_is_chinese() ? json_path_text(row, "zh.title", english) : english);
    return STYLE_NONE;
}

static void print_recipes(struct context *context, const json_t *document)
{
    static const struct rows_table_column columns[] = {
        {"recipe", NULL, SHEET_LEFT, .path = "name", .style = STYLE_STRONG},
        {"title", NULL, SHEET_LEFT, .cell = title_cell},
        {NULL}};
    rows_table_print(json_object_get(document, "recipes"), columns, &context->screen, stdout);
}

int command_recipe(struct context *context)
{
    if (context->options.word_count == 0)
        return fetch_show(context, "/v1/recipes", print_recipes);
    return submit_sweep(context, make_request(context, "recipe", true));
}

/* ---- again ---- */

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

/* Removes the grid from an experiment's request, and from its reference, where it is the smallest one that covers the size:
   the service then computes it from the new values. Another grid of the experiment stays, which is told. Returns an exit
   status. */
static int drop_covering_grids(struct context *context, json_t *request)
{
    json_t *reference = json_object_get(request, "reference");
    bool covering = false, of_reference = false;
    char text[JSON_PATH_TEXT_BYTES];
    int status = find_covering_grid(context, request, request, &covering);
    if (status == EXIT_FINE && json_object_get(reference, "grid"))
        status = find_covering_grid(context, request, reference, &of_reference);
    /* A reference that does not say how many threads it needs takes the grid of the experiment. */
    of_reference |=
        covering && json_equal(json_object_get(reference, "grid"), json_object_get(request, "grid"));
    if (covering)
        json_object_del(request, "grid");
    else if (status == EXIT_FINE) {
        json_path_value(text, json_object_get(request, "grid"));
        screen_remark(&context->screen, language_text("the grid stays %s: grid=... gives another one"), text);
    }
    if (of_reference)
        json_object_del(reference, "grid");
    return status;
}

static bool is_own_kernel(const json_t *request)
{
    return strncmp(json_path_text(request, "kernel", ""), "src-", 4) == 0;
}

/* A kernel of the user's own may have the size as an argument, as n in n=1000. The service refuses both: of the argument and
   the size, the one that the changes give stays in the request. Returns an exit status. */
static int drop_named_size(struct context *context, json_t *request, const json_t *changes)
{
    json_t *kernel = NULL, *argument;
    size_t i;
    char *path = fetch_path(context, "/v1/kernels", json_path_text(request, "kernel", ""), "");
    int status = fetch_json(context, path ? path : "", &kernel);
    json_array_foreach (json_object_get(kernel, "arguments"), i, argument)
        if (strcmp(json_path_text(argument, "value", ""), "size") == 0) {
            const char *name = json_path_text(argument, "name", "");
            if (json_object_get(changes, "size"))
                json_object_del(request, name);
            else if (json_object_get(changes, name))
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
        failed = make_reference(context, changes, error);
    /* --spread keeps a list of devices, or conditions. */
    if (options->given[OPTION_SPREAD] && !options->given[OPTION_DEVICE] &&
        !json_object_get(changes, "device") && (json_is_array(device) || json_is_object(device)))
        json_object_set(changes, "device", device);
    if (failed == 0 && add_device(changes, options, axes, error) == 0)
        return changes;
    json_decref(changes);
    return NULL;
}

/* Removes from the request what is null in the changes; of a label, which is a text, "null". */
static void remove_nulls(json_t *request, const json_t *changes)
{
    const char *name, *label;
    json_t *value, *text;
    json_object_foreach ((json_t *)changes, name, value)
        if (json_is_null(value))
            json_object_del(request, name);
        else if (json_is_object(value))
            remove_nulls(json_object_get(request, name), value);
    json_object_foreach (json_object_get(changes, "labels"), label, text)
        if (strcmp(json_string_value(text), "null") == 0)
            json_object_del(json_object_get(request, "labels"), label);
}

/* Replaces values of the request by those of the changes; null removes one. An object is changed member by member, except for
   a device and another reference kernel, which are replaced. Without a reference nothing has a tolerance. */
static void apply_changes(json_t *request, json_t *changes)
{
    if (json_object_get(changes, "device"))
        json_object_del(request, "device");
    const json_t *reference = json_object_get(changes, "reference");
    if (json_object_get(reference, "kernel") || json_object_get(reference, "source"))
        json_object_del(request, "reference");
    json_object_update_recursive(request, changes);
    remove_nulls(request, changes);
    if (json_is_null(reference) && !json_object_get(changes, "tolerance"))
        json_object_del(request, "tolerance");
}

/* Returns whether one of the changes may need another grid. */
static bool change_launch(const json_t *changes)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)changes, name, value)
        if (!words_contain(
                "labels measure counters priority timeout_s repeat transfers placement show tolerance", name))
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
    json_t *changes = read_changes(context, request, axes, &error);
    if (!changes)
        status = context_usage(context, &error);
    else if (!resource.sweep && change_launch(changes) && !json_object_get(changes, "grid"))
        status = drop_covering_grids(context, request);
    if (status == EXIT_FINE && is_own_kernel(request))
        status = drop_named_size(context, request, changes);
    if (status == EXIT_FINE) {
        if (!resource.sweep && axes)
            make_axes(request);
        apply_changes(request, changes);
        status = axes ? submit_sweep(context, json_incref(request))
                      : submit_experiment(context, json_incref(request));
    }
    json_decref(changes);
    json_decref(request);
    return status;
}
