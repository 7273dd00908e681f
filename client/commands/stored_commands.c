/* The commands show, watch, cancel, remove, undo and export, which take ids. */
#include "client/commands/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/answers.h"
#include "client/answers/json_path.h"
#include "client/answers/rows_table.h"
#include "client/terminal/language.h"
#include "client/work/fetch.h"
#include "client/work/client_submission.h"

static void print_samples_table(struct context *context, const json_t *document)
{
    answers_print_samples(document, &context->screen);
}

/* As the options say: CSV, JSON or a table. */
static int print_samples(struct context *context, const struct resource *resource, FILE *out)
{
    const struct command_line *options = &context->options;
    struct error error = {0};
    char path[CLIENT_SUBMISSION_PATH_BYTES];
    if (resource->sweep || options->given[OPTION_VIEW] || options->given[OPTION_COLUMNS]) {
        error_set(&error, ERROR_INVALID,
                  resource->sweep
                      ? language_text(
                            "samples are an experiment's: coalesce ls --sweep %s lists those of the sweep")
                      : language_text("samples have neither view nor columns"),
                  resource->id);
        return context_usage(context, &error);
    }
    snprintf(path, sizeof path, "%s/samples%s", resource->path, options->given[OPTION_CSV] ? ".csv" : "");
    return fetch_show_to(out, context, &(struct http_client_request){.method = "GET", .path = path},
                         print_samples_table);
}

int command_show(struct context *context)
{
    struct resource resource;
    int status = client_submission_find(context, context->options.words[0], &resource);
    if (status == EXIT_FINE && context->options.given[OPTION_SAMPLES])
        return print_samples(context, &resource, stdout);
    return status != EXIT_FINE ? status : client_submission_print(context, &resource, stdout);
}

int command_watch(struct context *context)
{
    struct resource resource;
    int status = client_submission_find(context, context->options.words[0], &resource);
    if (status == EXIT_FINE)
        status = client_submission_wait(context, &resource);
    return status != EXIT_FINE ? status : client_submission_print(context, &resource, stdout);
}

/* Prints the service's answer, or what was done to which one, on a line that a program may read. */
static int ask(struct context *context, const char *method, const char *path, const struct resource *resource,
               bool accept_404, const char *done, long *code)
{
    struct http_client_response response;
    int status = http_client_send(
        &context->service,
        &(struct http_client_request){.method = method, .path = path, .accept_status = accept_404 ? 404 : 0},
        &response);
    *code = response.status;
    if (status == EXIT_FINE && response.status != 404 && context->options.given[OPTION_JSON])
        fputs(response.body.data ? response.body.data : "", stdout);
    else if (status == EXIT_FINE && response.status != 404)
        printf("%s %s\n", language_text(response.status == 202 ? "being cancelled" : done), resource->id);
    http_client_response_free(&response);
    return status;
}

static int cancel_one(struct context *context, const char *id)
{
    struct resource resource;
    long code;
    int status = client_submission_find(context, id, &resource);
    return status != EXIT_FINE ? status
                               : ask(context, "DELETE", resource.path, &resource, false, "cancelled", &code);
}

/* Prints until when the removed experiment or sweep can be restored, or that it cannot be restored. */
static void remark_undo(struct context *context, const char *id)
{
    json_t *document = NULL, *one;
    size_t i;
    if (fetch_json(context, "/v1/removals", &document) == EXIT_FINE) {
        if (json_path_number(document, "undo_seconds") == 0)
            screen_remark(&context->screen,
                          language_text("it cannot be brought back: this service deletes at once"));
        json_array_foreach (json_object_get(document, "removals"), i, one)
            if (strcmp(json_path_text(one, "id", ""), id) == 0)
                screen_remark(&context->screen, language_text("coalesce undo %s brings it back until %s"), id,
                              json_path_text(one, "restorable_until", "?"));
    }
    json_decref(document);
}

static int remove_one(struct context *context, const char *id)
{
    struct resource resource;
    long code;
    char path[CLIENT_SUBMISSION_PATH_BYTES];
    int status = client_submission_find(context, id, &resource);
    if (status != EXIT_FINE)
        return status;
    snprintf(path, sizeof path, "%s?remove=true", resource.path);
    status = ask(context, "DELETE", path, &resource, false, "removed", &code);
    if (status == EXIT_FINE)
        remark_undo(context, resource.id);
    return status;
}

/* Sets *there to whether the path can be read: nothing has to be brought back then. */
static int look(struct context *context, const char *path, bool *there)
{
    struct http_client_response response;
    int status = http_client_send(
        &context->service, &(struct http_client_request){.method = "GET", .path = path, .accept_status = 404},
        &response);
    *there = status == EXIT_FINE && response.status != 404;
    http_client_response_free(&response);
    return status;
}

/* What was removed is not found by its id, so it is tried as a sweep first. */
static int undo_one(struct context *context, const char *id)
{
    struct resource resource = {0};
    long code = 404;
    int status = EXIT_FINE;
    for (int sweep = 1; status == EXIT_FINE && code == 404 && sweep >= 0; sweep--) {
        char path[CLIENT_SUBMISSION_PATH_BYTES];
        status = client_submission_name(context, id, sweep, &resource);
        bool there = false;
        if (status == EXIT_FINE)
            status = look(context, resource.path, &there);
        if (there)
            printf(language_text("%s is not removed\n"), resource.id);
        if (there || status != EXIT_FINE)
            break;
        snprintf(path, sizeof path, "%s/restore", resource.path);
        status = ask(context, "POST", path, &resource, sweep, "restored", &code);
    }
    if (status == EXIT_REFUSED && code == 404)
        screen_remark(
            &context->screen, "%s",
            language_text("What was removed can be brought back for a while only: coalesce undo lists it."));
    return status;
}

/* Checks the form of all ids before the first request is sent, so that a malformed one changes nothing. */
static int each_word(struct context *context, int (*one)(struct context *context, const char *id))
{
    int status = EXIT_FINE;
    struct resource named;
    for (int i = 0; i < context->options.word_count; i++)
        if ((status = client_submission_name(context, context->options.words[i], false, &named)) != EXIT_FINE)
            return status;
    for (int i = 0; i < context->options.word_count; i++) {
        int next = one(context, context->options.words[i]);
        status = status ? status : next;
    }
    return status;
}

int command_cancel(struct context *context)
{
    return each_word(context, cancel_one);
}

int command_remove(struct context *context)
{
    return each_word(context, remove_one);
}

int command_undo(struct context *context)
{
    static const struct rows_table_column columns[] = {
        {"id", NULL, SHEET_ID, .path = "id"},
        {"experiments", NULL, SHEET_RIGHT, .path = "experiments", .form = ROWS_TABLE_COUNT},
        {"owner", NULL, SHEET_LEFT | SHEET_SPARE, .path = "owner", .missing = "nobody"},
        {"removed by", NULL, SHEET_LEFT | SHEET_SPARE, .path = "removed_by", .missing = "nobody"},
        {"until", NULL, SHEET_LEFT, .path = "restorable_until"},
        {NULL},
    };
    json_t *document = NULL;
    if (context->options.word_count)
        return each_word(context, undo_one);
    if (context->options.given[OPTION_JSON])
        return fetch_show(context, "/v1/removals", NULL);
    int status = fetch_json(context, "/v1/removals", &document);
    const json_t *removals = json_object_get(document, "removals");
    if (status == EXIT_FINE && json_array_size(removals))
        rows_table_print(removals, columns, &context->screen, stdout);
    else if (status == EXIT_FINE)
        fputs(language_text("nothing that was removed can be brought back\n"), stdout);
    json_decref(document);
    return status;
}

static int write_out(struct context *context, const char *name, const char *text, size_t size)
{
    if (name && strcmp(name, "-") == 0)
        name = NULL;
    FILE *out = name ? fopen(name, "we") : stdout;
    if (!out) {
        screen_say(&context->screen, language_text("%s cannot be written: %s"), name,
                   language_system(strerror(errno)));
        return EXIT_FAILED;
    }
    bool bad = fwrite(text, 1, size, out) < size || ferror(out);
    bad = (name ? fclose(out) : fflush(out)) != 0 || bad;
    if (!bad)
        return EXIT_FINE;
    screen_say(&context->screen, language_text("%s cannot be written: %s"),
               name ? name : language_text("standard output"), language_system(strerror(errno)));
    return EXIT_FAILED;
}

/* The exit status says whether the file was written, not whether the results are good. The answer is written to
   memory first, so that an existing file keeps its content if the service refuses the request. */
int command_export(struct context *context)
{
    static const enum option of_table[] = {OPTION_VIEW, OPTION_COLUMNS, OPTION_CSV};
    struct command_line *options = &context->options;
    const char *name = options->given[OPTION_OUTPUT], *ending = name ? strrchr(name, '.') : NULL;
    struct resource resource;
    struct error error = {0};
    if (ending && strcmp(ending, ".json") == 0) {
        for (size_t i = 0; i < sizeof of_table / sizeof *of_table; i++)
            if (options->given[of_table[i]]) {
                error_set(&error, ERROR_INVALID,
                          language_text("-o %s is to hold JSON, and --%s is of a table: name it .csv"), name,
                          manual_options[of_table[i]].name);
                return context_usage(context, &error);
            }
        options->given[OPTION_JSON] = "";
    }
    int status = client_submission_find(context, options->words[0], &resource);
    if (status != EXIT_FINE)
        return status;
    if (!options->given[OPTION_JSON])
        options->given[OPTION_CSV] = "";
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    bool bad = !memory;
    if (memory) {
        status = options->given[OPTION_SAMPLES] ? print_samples(context, &resource, memory)
                                                : client_submission_print(context, &resource, memory);
        bad = ferror(memory) != 0;
        bad = fclose(memory) != 0 || bad;
    }
    if (bad) {
        screen_say(&context->screen, "%s", language_system(strerror(errno)));
        status = EXIT_FAILED;
    } else if (status == EXIT_FINE || status == EXIT_FAILED || status == EXIT_UNSTABLE) {
        status = write_out(context, name, text, size);
    }
    free(text);
    return status;
}
