/* The commands show, watch, cancel and export, which take ids. */
#include "client/commands/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/answers/answers.h"
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
                      ? "samples are an experiment's: coalesce ls --sweep %s lists those of the sweep"
                      : "samples have neither view nor columns",
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

static int cancel_one(struct context *context, const char *id)
{
    struct resource resource;
    struct http_client_response response;
    char path[CLIENT_SUBMISSION_PATH_BYTES];
    bool remove = context->options.given[OPTION_REMOVE] != NULL;
    int status = client_submission_find(context, id, &resource);
    if (status != EXIT_FINE)
        return status;
    snprintf(path, sizeof path, "%s%s", resource.path, remove ? "?remove=true" : "");
    status = http_client_send(&context->service,
                              &(struct http_client_request){.method = "DELETE", .path = path}, &response);
    if (status == EXIT_FINE && context->options.given[OPTION_JSON])
        fputs(response.body.data, stdout);
    else if (status == EXIT_FINE)
        printf("%s %s\n",
               remove                   ? "removed"
               : response.status == 202 ? "being cancelled"
                                        : "cancelled",
               resource.id);
    http_client_response_free(&response);
    return status;
}

int command_cancel(struct context *context)
{
    int status = EXIT_FINE;
    for (int i = 0; i < context->options.word_count; i++) {
        int one = cancel_one(context, context->options.words[i]);
        status = status ? status : one;
    }
    return status;
}

/* The exit status says whether the file was written, not whether the results are good. */
int command_export(struct context *context)
{
    struct command_line *options = &context->options;
    const char *name = options->given[OPTION_OUTPUT];
    struct resource resource;
    int status = client_submission_find(context, options->words[0], &resource);
    if (status != EXIT_FINE)
        return status;
    if (!options->given[OPTION_JSON])
        options->given[OPTION_CSV] = "";
    FILE *out = name ? fopen(name, "we") : stdout;
    if (!out) {
        screen_say(&context->screen, "%s: %s", name, strerror(errno));
        return EXIT_USAGE;
    }
    status = options->given[OPTION_SAMPLES] ? print_samples(context, &resource, out)
                                            : client_submission_print(context, &resource, out);
    bool bad = ferror(out) || (name ? fclose(out) : fflush(out)) != 0;
    if (bad) {
        screen_say(&context->screen, "%s cannot be written: %s", name ? name : "standard output",
                   strerror(errno));
        return EXIT_FAILED;
    }
    return status == EXIT_FAILED || status == EXIT_UNSTABLE ? EXIT_FINE : status;
}
