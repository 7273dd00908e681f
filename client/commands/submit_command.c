/* The commands run, sweep and recipe: make a request from the words and submit it. */
#include "client/commands/submit_command.h"

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

int submit_add_device(json_t *request, const struct command_line *options, bool axes, struct error *error)
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

int submit_make_reference(struct context *context, json_t *request, struct error *error)
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
        failed = submit_make_reference(context, request, &error);
    if (failed == 0 && options->given[OPTION_MEMBERS])
        failed = source_file_add_members(request, options->given[OPTION_MEMBERS], &error);
    if (failed == 0 && submit_add_device(request, options, axes, &error) == 0)
        return request;
    json_decref(request);
    context_usage(context, &error);
    return NULL;
}

int submit_experiment(struct context *context, json_t *request)
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

int submit_sweep(struct context *context, json_t *request)
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
