#include "client/work/client_submission.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/answers.h"
#include "client/terminal/interrupt.h"
#include "client/terminal/language.h"
#include "client/work/fetch.h"
#include "client/work/follow.h"

enum { WAIT_S = 1, PLAIN_WAIT_S = 30, ID_LENGTH = 26 };

/* An id is written in capitals; small letters are taken, too. */
static void resource_set(struct resource *resource, const char *id, bool sweep)
{
    size_t i;
    for (i = 0; id[i] && i + 1 < sizeof resource->id; i++)
        resource->id[i] = (char)toupper((unsigned char)id[i]);
    resource->id[i] = '\0';
    resource->sweep = sweep;
    snprintf(resource->path, sizeof resource->path, "/v1/%s/%s", sweep ? "sweeps" : "experiments",
             resource->id);
}

static bool has_ended(const json_t *document)
{
    const char *state = json_path_text(document, "state", "");
    return strcmp(state, "queued") != 0 && strcmp(state, "running") != 0;
}

/* After an interrupt: it stays in the queue, or is cancelled when that was asked for. */
static int interrupt(struct context *context, const struct resource *resource)
{
    interrupt_reset();
    if (!context->options.given[OPTION_CANCEL]) {
        screen_say(&context->screen, language_text("it stays in the queue: coalesce watch %s"), resource->id);
        return EXIT_INTERRUPTED;
    }
    struct http_client_response response;
    context->service.limit_s = 5;
    int status = http_client_send(&context->service,
                                  &(struct http_client_request){.method = "DELETE", .path = resource->path},
                                  &response);
    http_client_response_free(&response);
    if (status != EXIT_FINE)
        screen_say(&context->screen, language_text("it could not be cancelled: coalesce cancel %s"),
                   resource->id);
    else
        screen_say(&context->screen, language_text("interrupted, and cancelled %s"), resource->id);
    return EXIT_INTERRUPTED;
}

/* Posts with a new idempotency key. After a signal it posts once more with the same key, to learn what
   became of it. */
static int post(struct context *context, const char *path, const json_t *request,
                struct http_client_response *response, bool *interrupted)
{
    char key[HTTP_CLIENT_KEY_BYTES], *body = json_dumps(request, JSON_COMPACT);
    http_client_key(key);
    struct http_client_request http_request = fetch_question(context, path, body);
    http_request.repeatable = false;
    http_request.idempotency_key = key;
    /* Columns are a table's; without a wait the answer is JSON all the same. */
    if (strstr(path, "columns="))
        http_request.accept = "text/csv";
    int status = http_client_send(&context->service, &http_request, response);
    *interrupted = interrupt_received();
    if (status == EXIT_INTERRUPTED) {
        interrupt_reset();
        context->service.limit_s = 5;
        context->service.retry_s = 0;
        status = http_client_send(&context->service, &http_request, response);
    }
    free(body);
    return status;
}

/* Checks --columns before anything is submitted, and writes the path of the submission to *whole. The service checks
   the columns of a sweep with the submission itself. Those of one experiment are checked by requesting a list with
   them; not of a kernel in a file, because lists do not have the columns of its arguments. */
static int check_columns(struct context *context, const char *path, const json_t *request,
                         struct buffer *whole)
{
    const char *columns = context->options.given[OPTION_COLUMNS];
    struct http_client_response response;
    bool sweep = strcmp(path, "/v1/sweeps") == 0,
         one = !sweep && !context->source_file && !json_object_get(request, "repeat");
    buffer_text(whole, one && columns ? "/v1/experiments?page_size=1" : path);
    if (columns && sweep)
        http_client_escape(&context->service, whole, "view", context->options.given[OPTION_VIEW]);
    if (columns && (sweep || one))
        http_client_escape(&context->service, whole, "columns", columns);
    if (!columns || !one)
        return EXIT_FINE;
    int status = http_client_send(
        &context->service,
        &(struct http_client_request){.method = "GET", .path = whole->data, .accept = "text/csv"}, &response);
    http_client_response_free(&response);
    whole->size = 0;
    buffer_text(whole, path);
    return status;
}

int client_submission_submit(struct context *context, const char *path, json_t *request)
{
    struct http_client_response response;
    struct resource resource;
    struct buffer whole = {0};
    bool interrupted = false;
    int status = check_columns(context, path, request, &whole);
    if (status == EXIT_FINE)
        status = post(context, whole.data, request, &response, &interrupted);
    json_decref(request);
    buffer_free(&whole);
    if (status != EXIT_FINE)
        return status;
    json_t *document = json_path_parse(&context->screen, response.body.data);
    resource_set(&resource, json_path_text(document, "id", ""), json_object_get(document, "total") != NULL);
    const double refused = json_path_number(document, "refused"), total = json_path_number(document, "total");
    json_decref(document);
    if (context->options.given[OPTION_DETACH] && refused > 0) {
        screen_remark(&context->screen,
                      language_text("%.0f of %.0f runs are refused: coalesce show %s says why"), refused,
                      total, resource.id);
        status = refused < total ? EXIT_FINE : EXIT_FAILED;
    }
    if (interrupted)
        status = interrupt(context, &resource);
    else if (context->options.given[OPTION_DETACH] && context->options.given[OPTION_JSON])
        fputs(response.body.data, stdout);
    else if (context->options.given[OPTION_DETACH])
        puts(resource.id);
    http_client_response_free(&response);
    if (interrupted || context->options.given[OPTION_DETACH])
        return status;
    status = client_submission_wait(context, &resource);
    return status != EXIT_FINE ? status : client_submission_print(context, &resource, stdout);
}

int client_submission_check_id(const char *text, struct error *error)
{
    static const char capitals[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
                      letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    if (*text && strlen(text) < RESOURCE_ID_BYTES &&
        !text[strspn(text, strlen(text) == ID_LENGTH ? letters : capitals)])
        return 0;
    return error_set(
        error, ERROR_INVALID,
        language_text("\"%.80s\" is no id: coalesce ls has them, and coalesce undo those that were removed"),
        text);
}

int client_submission_name(struct context *context, const char *id, bool sweep, struct resource *resource)
{
    struct error error = {0};
    if (client_submission_check_id(id, &error) < 0)
        return context_usage(context, &error);
    resource_set(resource, id, sweep);
    return EXIT_FINE;
}

int client_submission_find(struct context *context, const char *id, struct resource *resource)
{
    char path[CLIENT_SUBMISSION_PATH_BYTES];
    struct http_client_response response;
    int status = client_submission_name(context, id, true, resource);
    if (status != EXIT_FINE)
        return status;
    snprintf(path, sizeof path, "%s?page_size=1", resource->path);
    status = http_client_send(
        &context->service, &(struct http_client_request){.method = "GET", .path = path, .accept_status = 404},
        &response);
    if (status == EXIT_FINE && response.status == 404) {
        http_client_response_free(&response);
        resource_set(resource, id, false);
        status = http_client_get(&context->service, resource->path, &response);
    }
    http_client_response_free(&response);
    return status;
}

/* Its document; the service holds the response for wait_s, or until it has ended. NULL: *status says why. */
static json_t *fetch(struct context *context, const struct resource *resource, int wait_s, int *status)
{
    char path[CLIENT_SUBMISSION_PATH_BYTES];
    json_t *document;
    snprintf(path, sizeof path, "%s?wait=%d%s", resource->path, wait_s,
             resource->sweep ? "&page_size=1" : "");
    *status = fetch_document(
        context, &(struct http_client_request){.method = "GET", .path = path, .wait_s = wait_s}, &document);
    return document;
}

/* Follows its events, or polls where there are none. A stream that was lost is resumed once the service
   answers. */
int client_submission_wait(struct context *context, const struct resource *resource)
{
    char last_id[EVENT_READER_ID_BYTES] = "";
    bool terminal = context->screen.err && !context->screen.quiet, ended = false;
    int wait_s = 0, status = EXIT_FINE;
    while (!ended) {
        json_t *document = fetch(context, resource, wait_s, &status);
        ended = !document || has_ended(document);
        if (!ended && !interrupt_received()) {
            follow_show(&context->screen, document, NULL);
            enum follow_end end =
                wait_s ? FOLLOW_UNAVAILABLE : follow_events(context, resource->path, document, last_id);
            if (end == FOLLOW_UNAVAILABLE)
                wait_s = terminal ? WAIT_S : PLAIN_WAIT_S;
            ended = end == FOLLOW_ENDED;
        }
        json_decref(document);
        if (status == EXIT_INTERRUPTED || (!ended && interrupt_received()))
            return interrupt(context, resource);
    }
    screen_clear_progress(&context->screen);
    if (status == EXIT_UNREACHABLE)
        screen_say(&context->screen, language_text("it was submitted: coalesce watch %s"), resource->id);
    return status;
}

static int print_sweep(struct context *context, const struct resource *resource, FILE *out)
{
    const struct command_line *options = &context->options;
    json_t *document;
    char *only, path[CLIENT_SUBMISSION_PATH_BYTES];
    int status = fetch_sweep(context, resource->id, &document, &only);
    if (status != EXIT_FINE)
        return status;
    if (options->given[OPTION_CSV]) {
        snprintf(path, sizeof path, "%s.csv", resource->path);
        status = fetch_table(context, path, true, out);
    } else if (options->given[OPTION_JSON]) {
        if (only)
            fputs(only, out);
        else if (json_dumpf(document, out, JSON_COMPACT) == 0)
            fputc('\n', out);
    } else {
        answers_name_devices(document);
        answers_print_sweep(document, &context->screen);
        if (!options->given[OPTION_NO_PLOT])
            answers_plot_sweep(document, &context->screen, options->given[OPTION_X],
                               options->given[OPTION_Y]);
    }
    if (status == EXIT_FINE)
        status = answers_sweep_status(document, options->given[OPTION_STRICT] != NULL);
    json_decref(document);
    free(only);
    return status;
}

/* Adds the device's name to each lost run, which has its number alone. */
static void name_lost(struct context *context, json_t *experiment)
{
    json_t *document = NULL, *run;
    size_t i;
    json_array_foreach (json_object_get(experiment, "lost"), i, run) {
        if (!document && fetch_json(context, "/v1/devices", &document) != EXIT_FINE)
            return;
        const json_t *device =
            json_path_find(json_object_get(document, "devices"), "index", json_object_get(run, "device"));
        if (device)
            json_object_set(run, "device_name", json_object_get(device, "device_name"));
    }
    json_decref(document);
}

/* Adds to an experiment of a user's kernel with faults or notes the source that these are about, as far as this user may see it,
   and what it is called. */
static void name_source(struct context *context, json_t *experiment)
{
    static const char of_reference[] = "the reference: ";
    bool other =
        strncmp(json_path_text(experiment, "failure.detail", ""), of_reference, sizeof of_reference - 1) == 0;
    const char *kernel =
        json_path_text(experiment, other ? "request.reference.kernel" : "request.kernel", "");
    struct http_client_response response;
    if (!answers_is_interpreted(experiment))
        return;
    const char *file = other ? context->reference_file : context->source_file;
    json_object_set_new(experiment, "file", json_string(file ? file : kernel));
    json_object_set_new(experiment, "of_reference", json_boolean(other));
    char *path = fetch_path(context, "/v1/kernels", kernel, "");
    const struct http_client_request asked = {.method = "GET", .path = path, .accept_status = 404};
    if (path && json_array_size(json_object_get(experiment, "faults")) +
                    json_array_size(json_object_get(experiment, "notes"))) {
        int status = http_client_send(&context->service, &asked, &response);
        json_t *found = status == EXIT_FINE && response.status == 200
                            ? json_path_parse(&context->screen, response.body.data)
                            : NULL;
        json_object_set(experiment, "source", json_object_get(found, "source"));
        json_decref(found);
        http_client_response_free(&response);
    }
    free(path);
}

int client_submission_print(struct context *context, const struct resource *resource, FILE *out)
{
    const struct command_line *options = &context->options;
    struct http_client_response response;
    if (resource->sweep)
        return print_sweep(context, resource, out);
    int status = http_client_get(&context->service, resource->path, &response);
    if (status != EXIT_FINE)
        return status;
    json_t *document = json_path_parse(&context->screen, response.body.data);
    if (options->given[OPTION_CSV])
        status = fetch_table_of_one(context, resource->id, out);
    else if (options->given[OPTION_JSON])
        fwrite(response.body.data, 1, response.body.size, out);
    else if (document) {
        name_lost(context, document);
        name_source(context, document);
        answers_print_result(document, &context->screen);
    }
    http_client_response_free(&response);
    if (status == EXIT_FINE)
        status = document ? answers_result_status(document, options->given[OPTION_STRICT] != NULL)
                          : EXIT_UNREACHABLE;
    json_decref(document);
    return status;
}
