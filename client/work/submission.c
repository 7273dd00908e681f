#include "client/work/submission.h"

#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/points_table.h"
#include "client/answers/result_table.h"
#include "client/answers/points_plot.h"
#include "client/terminal/interrupt.h"
#include "client/work/fetch.h"
#include "client/work/follow.h"
#include "client/work/progress.h"

enum { PATH_BYTES = 256, WAIT_S = 1, PLAIN_WAIT_S = 30 };

static void path_of(char path[PATH_BYTES], const struct submission *work, const char *more)
{
    snprintf(path, PATH_BYTES, "/v1/%s/%s%s", work->sweep ? "sweeps" : "experiments", work->id, more);
}

static bool has_ended(const json_t *document)
{
    const char *state = json_path_text(document, "state", "");
    return strcmp(state, "queued") != 0 && strcmp(state, "running") != 0;
}

/* The work is left in the queue, or cancelled when that was asked for. */
static int leave(struct context *context, const struct submission *work)
{
    interrupt_forget();
    if (!context->options.given[OPTION_CANCEL]) {
        screen_say(&context->screen, "interrupted; it stays in the queue: coalesce watch %s", work->id);
        return EXIT_INTERRUPTED;
    }
    char path[PATH_BYTES];
    struct answer answer;
    path_of(path, work, "");
    context->service.limit_s = 5;
    int status =
        http_client_ask(&context->service, &(struct question){.method = "DELETE", .path = path}, &answer);
    answer_free(&answer);
    if (status != EXIT_FINE)
        screen_say(&context->screen, "it could not be cancelled: coalesce cancel %s", work->id);
    else
        screen_say(&context->screen, "interrupted, and cancelled %s", work->id);
    return EXIT_INTERRUPTED;
}

/* Posts with a key of its own; when a signal comes meanwhile, asks once more under the same key what became of it. */
static int post(struct context *context, const char *path, const json_t *request, struct answer *answer,
                bool *interrupted)
{
    char key[SERVICE_KEY_BYTES], *body = json_dumps(request, JSON_COMPACT);
    http_client_key(key);
    const struct question question = {.method = "POST",
                                      .path = path,
                                      .body = body,
                                      .key = key,
                                      .arguments = (char *const *)context->options.words,
                                      .argument_count = context->options.word_count};
    int status = http_client_ask(&context->service, &question, answer);
    *interrupted = interrupt_came();
    if (status == EXIT_INTERRUPTED) {
        interrupt_forget();
        context->service.limit_s = 5;
        context->service.patience_s = 0;
        status = http_client_ask(&context->service, &question, answer);
    }
    free(body);
    return status;
}

int submission_submit(struct context *context, const char *path, json_t *request)
{
    struct answer answer;
    struct submission work = {false, ""};
    bool interrupted;
    int status = post(context, path, request, &answer, &interrupted);
    json_decref(request);
    if (status != EXIT_FINE)
        return status;
    json_t *document = json_path_parse(&context->screen, answer.body.data);
    work.sweep = json_object_get(document, "total") != NULL;
    snprintf(work.id, sizeof work.id, "%s", json_path_text(document, "id", ""));
    json_decref(document);
    if (interrupted)
        status = leave(context, &work);
    else if (context->options.given[OPTION_DETACH] && context->options.given[OPTION_JSON])
        fputs(answer.body.data, stdout);
    else if (context->options.given[OPTION_DETACH])
        puts(work.id);
    answer_free(&answer);
    if (interrupted || context->options.given[OPTION_DETACH])
        return status;
    status = submission_wait(context, &work);
    return status != EXIT_FINE ? status : submission_print(context, &work, stdout);
}

int submission_find(struct context *context, const char *id, struct submission *work)
{
    char path[PATH_BYTES];
    struct answer answer;
    *work = (struct submission){.sweep = true};
    if (strlen(id) >= sizeof work->id || id[strspn(id, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")]) {
        struct error error = {0};
        error_set(&error, ERROR_INVALID, "\"%.80s\" is no id: coalesce ls has them", id);
        return context_usage(context, &error);
    }
    snprintf(work->id, sizeof work->id, "%s", id);
    path_of(path, work, "?page_size=1");
    int status = http_client_ask(
        &context->service, &(struct question){.method = "GET", .path = path, .may_miss = true}, &answer);
    if (status == EXIT_FINE && answer.status == 404) {
        answer_free(&answer);
        work->sweep = false;
        path_of(path, work, "");
        status =
            http_client_ask(&context->service, &(struct question){.method = "GET", .path = path}, &answer);
    }
    answer_free(&answer);
    return status;
}

/* Asks how it is; the service holds the answer for so long, or until it has ended. NULL: *status says why. New. */
static json_t *ask(struct context *context, const struct submission *work, int wait_s, int *status)
{
    char path[PATH_BYTES], query[64];
    struct answer answer;
    snprintf(query, sizeof query, "?wait=%d%s", wait_s, work->sweep ? "&page_size=1" : "");
    path_of(path, work, query);
    const struct question question = {.method = "GET", .path = path, .wait_s = wait_s};
    *status = http_client_ask(&context->service, &question, &answer);
    if (*status != EXIT_FINE)
        return NULL;
    json_t *document = json_path_parse(&context->screen, answer.body.data);
    answer_free(&answer);
    if (!document)
        *status = EXIT_UNREACHABLE;
    return document;
}

/* By its events; where none are to be had, by asking again and again. A stream that was lost is resumed once the service
   answers. */
int submission_wait(struct context *context, const struct submission *work)
{
    char path[PATH_BYTES], last[FOLLOW_LAST_BYTES] = "";
    bool terminal = context->screen.err && !context->screen.quiet, ended = false;
    int wait_s = 0, status = EXIT_FINE;
    path_of(path, work, "");
    while (!ended) {
        json_t *document = ask(context, work, wait_s, &status);
        ended = !document || has_ended(document);
        if (!ended && !interrupt_came()) {
            progress_show(&context->screen, document, NULL);
            enum follow_end end = wait_s ? FOLLOW_USELESS : follow_events(context, path, document, last);
            if (end == FOLLOW_USELESS)
                wait_s = terminal ? WAIT_S : PLAIN_WAIT_S;
            ended = end == FOLLOW_ENDED;
        }
        json_decref(document);
        if (status == EXIT_INTERRUPTED || (!ended && interrupt_came()))
            return leave(context, work);
    }
    screen_clear_progress(&context->screen);
    return status;
}

static int print_sweep(struct context *context, const struct submission *work, FILE *out)
{
    const struct options *options = &context->options;
    json_t *document;
    char *only, path[PATH_BYTES];
    int status = fetch_sweep(context, work->id, &document, &only);
    if (status != EXIT_FINE)
        return status;
    if (options->given[OPTION_CSV]) {
        path_of(path, work, ".csv");
        char *whole = fetch_table_path(context, path);
        status = whole ? fetch_copy(context, whole, "text/csv", out) : EXIT_FAILED;
        free(whole);
    } else if (options->given[OPTION_JSON]) {
        if (only)
            fputs(only, out);
        else
            json_dumpf(document, out, JSON_COMPACT);
        if (!only)
            fputc('\n', out);
    } else {
        points_table_name_devices(document);
        points_table_print(document, &context->screen);
        if (!options->given[OPTION_NO_PLOT])
            points_plot_plot(document, &context->screen, options->given[OPTION_X], options->given[OPTION_Y]);
    }
    if (status == EXIT_FINE)
        status = points_table_status(document, options->given[OPTION_STRICT] != NULL);
    json_decref(document);
    free(only);
    return status;
}

/* Lost runs have the number of their device: its name is put beside it. */
static void name_lost(struct context *context, json_t *experiment)
{
    json_t *document = NULL, *run, *device;
    size_t i, k;
    json_array_foreach (json_object_get(experiment, "lost"), i, run) {
        if (!document && fetch_json(context, "/v1/devices", &document) != EXIT_FINE)
            return;
        json_array_foreach (json_object_get(document, "devices"), k, device)
            if (json_equal(json_object_get(device, "index"), json_object_get(run, "device")))
                json_object_set(run, "device_name", json_object_get(device, "device_name"));
    }
    json_decref(document);
}

int submission_print(struct context *context, const struct submission *work, FILE *out)
{
    const struct options *options = &context->options;
    char path[PATH_BYTES];
    struct answer answer;
    if (work->sweep)
        return print_sweep(context, work, out);
    path_of(path, work, "");
    int status =
        http_client_ask(&context->service, &(struct question){.method = "GET", .path = path}, &answer);
    if (status != EXIT_FINE)
        return status;
    json_t *document = json_path_parse(&context->screen, answer.body.data);
    if (options->given[OPTION_CSV])
        status = fetch_table_of_one(context, work->id, out);
    else if (options->given[OPTION_JSON])
        fwrite(answer.body.data, 1, answer.body.size, out);
    else if (document) {
        name_lost(context, document);
        result_table_print(document, &context->screen);
    }
    answer_free(&answer);
    if (status == EXIT_FINE)
        status = document ? result_table_status(document, options->given[OPTION_STRICT] != NULL)
                          : EXIT_UNREACHABLE;
    json_decref(document);
    return status;
}
