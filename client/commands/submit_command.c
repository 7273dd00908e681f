/* The commands run, sweep and recipe: make a request from the words and submit it. */
#include "client/commands/command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/parameters/parameters.h"
#include "client/parameters/value.h"
#include "client/terminal/sheet.h"
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

/* {"kernel" or "recipe": the first word, parameters}, released by the caller; NULL: the words are not
   valid, which has been reported. */
static json_t *make_request(struct context *context, const char *first, bool axes)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    json_t *request = json_object();
    const char *name = options->words[0];
    int failed = strchr(name, '=') ? error_set(&error, ERROR_INVALID,
                                               "the first word is the %s's name, not \"%s\"", first, name)
                                   : 0;
    if (failed == 0 && strcmp(first, "kernel") == 0 && strchr(name, ',')) {
        const char *word[] = {NULL};
        char whole[1024];
        snprintf(whole, sizeof whole, "kernel=%s", name);
        word[0] = whole;
        failed = parameters_add(request, word, 1, axes, &error);
    } else if (failed == 0) {
        json_object_set_new(request, first, json_string(name));
    }
    if (failed == 0)
        failed = parameters_add(request, options->words + 1, options->word_count - 1, axes, &error);
    if (failed == 0 && add_device(request, options, axes, &error) == 0)
        return request;
    json_decref(request);
    context_usage(context, &error);
    return NULL;
}

int command_run(struct context *context)
{
    const struct command_line *options = &context->options;
    json_t *request = make_request(context, "kernel", false);
    bool several = false;
    for (int i = 1; i < options->word_count; i++) {
        const char *word = options->words[i], *equals = strchr(word, '=');
        bool own = strncmp(word, "label.", 6) == 0 || strncmp(word, "counters=", 9) == 0;
        several = several || (!own && equals && value_is_list(equals + 1));
    }
    int status = request ? client_submission_submit(context, "/v1/experiments", request) : EXIT_USAGE;
    if (status == EXIT_REFUSED && several)
        screen_remark(&context->screen, "several values are an axis of a sweep: coalesce sweep %s ...",
                      options->words[0]);
    return status;
}

int command_sweep(struct context *context)
{
    json_t *request = make_request(context, "kernel", true);
    return request ? client_submission_submit(context, "/v1/sweeps", request) : EXIT_USAGE;
}

static int list_recipes(struct context *context)
{
    json_t *document, *row;
    size_t i;
    if (context->options.given[OPTION_JSON])
        return fetch_copy(context, "/v1/recipes", NULL, stdout);
    int status = fetch_json(context, "/v1/recipes", &document);
    if (status != EXIT_FINE)
        return status;
    struct sheet *sheet = sheet_new();
    sheet_column(sheet, SHEET_LEFT, "recipe", "");
    sheet_column(sheet, SHEET_LEFT, "title", "");
    json_array_foreach (json_object_get(document, "recipes"), i, row) {
        sheet_cell(sheet, STYLE_STRONG, json_path_text(row, "name", ""));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "title", ""));
    }
    sheet_print(sheet, &context->screen, stdout);
    json_decref(document);
    return status;
}

int command_recipe(struct context *context)
{
    if (context->options.word_count == 0)
        return list_recipes(context);
    json_t *request = make_request(context, "recipe", true);
    return request ? client_submission_submit(context, "/v1/sweeps", request) : EXIT_USAGE;
}
