/* The command compare: a verdict for each point of two sides. */
#include "client/commands/command.h"

#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/answers.h"
#include "client/parameters/parameters.h"
#include "client/terminal/language.h"
#include "client/work/client_submission.h"
#include "client/work/fetch.h"

enum { FILTERS_MAX = 32, SIDE_BYTES = 2048 };

/* These members are texts even where they look like numbers. */
static void make_texts(json_t *side)
{
    static const char *const names[] = {"sweep",       "experiment", "kernel", "owner",
                                        "device_uuid", "since",      "until"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *value = json_object_get(side, names[i]);
        char text[JSON_PATH_TEXT_BYTES];
        if (!value || json_is_string(value))
            continue;
        json_path_value(text, value);
        json_object_set_new(side, names[i], json_string(text));
    }
}

/* As the page writes it, label:NAME=VALUE, where.NAME:VALUE and the like, it becomes one with "=". */
static void make_filter(char *word)
{
    char *sign = strpbrk(word, ":=");
    if (sign && *sign == ':')
        *sign = strncmp(word, "label:", 6) == 0 ? '.' : '=';
}

/* A sweep's id, or filters separated by commas. NULL with an error; else released by the caller. */
static json_t *read_side(const char *text, struct error *error)
{
    char copy[SIDE_BYTES];
    const char *words[FILTERS_MAX];
    int count = 0;
    json_t *side = json_object();
    if (!strpbrk(text, ":=,.")) {
        if (client_submission_check_id(text, error) < 0) {
            json_decref(side);
            return NULL;
        }
        json_object_set_new(side, "sweep", json_string(text));
        return side;
    }
    if (strlen(text) >= sizeof copy) {
        error_set(error, ERROR_INVALID, language_text("a side has at most %d characters"), SIDE_BYTES - 1);
        json_decref(side);
        return NULL;
    }
    strcpy(copy, text);
    char *rest = copy;
    for (char *word; (word = strsep(&rest, ",")) && count < FILTERS_MAX;) {
        make_filter(word);
        words[count++] = word;
    }
    if (parameters_add(side, words, count, false, error) != 0) {
        json_decref(side);
        return NULL;
    }
    make_texts(side);
    return side;
}

/* {"a", "b", "time", ...}. NULL with an error; else released by the caller. */
static json_t *make_request(const struct command_line *options, struct error *error)
{
    double within;
    json_t *a = read_side(options->words[0], error), *b = a ? read_side(options->words[1], error) : NULL;
    json_t *request = json_object();
    json_object_set_new(request, "a", a);
    if (!b || context_number(options, OPTION_SAME_WITHIN, 0, 0, 0.5, &within, error) != 0) {
        json_decref(b);
        json_decref(request);
        return NULL;
    }
    json_object_set_new(request, "b", b);
    if (options->given[OPTION_TIME])
        json_object_set_new(request, "time", json_string(options->given[OPTION_TIME]));
    if (options->given[OPTION_SAME_WITHIN])
        json_object_set_new(request, "same_within", json_real(within));
    if (options->given[OPTION_STABLE_ONLY])
        json_object_set_new(request, "stable_only", json_true());
    if (options->given[OPTION_BUT_FOR]) {
        json_t *fields = parameters_list(options->given[OPTION_BUT_FOR], error);
        if (!fields) {
            json_decref(request);
            return NULL;
        }
        json_object_set_new(request, "but_for", fields);
    }
    return request;
}

/* Appends the ids of a sweep's experiments. */
static int add_sweep(struct context *context, const char *id, json_t *experiments)
{
    struct http_client_response response;
    char *path = fetch_path(context, "/v1/sweeps", id, ".csv?columns=id");
    const struct http_client_request request = {
        .method = "GET", .path = path ? path : "", .accept = "text/csv"};
    int status = http_client_send(&context->service, &request, &response);
    char *rest = status == EXIT_FINE ? response.body.data : NULL;
    strsep(&rest, "\n"); /* the head */
    for (char *line; (line = strsep(&rest, "\r\n"));)
        if (*line)
            json_array_append_new(experiments, json_string(line));
    http_client_response_free(&response);
    free(path);
    return status;
}

/* Is the path found? */
static bool is_there(struct context *context, const char *path)
{
    struct http_client_response response;
    int status = http_client_send(
        &context->service, &(struct http_client_request){.method = "GET", .path = path, .accept_status = 404},
        &response);
    bool there = status == EXIT_FINE && response.status == 200;
    http_client_response_free(&response);
    return there;
}

/* An id that is an experiment's, and no sweep's. */
static void find_experiment(struct context *context, json_t *side)
{
    const char *id = json_path_text(side, "sweep", NULL);
    char *sweep = id && !strchr(id, '.') ? fetch_path(context, "/v1/sweeps", id, "?page_size=1") : NULL;
    char *experiment = sweep ? fetch_path(context, "/v1/experiments", id, "") : NULL;
    if (experiment && !is_there(context, sweep) && is_there(context, experiment)) {
        json_object_set(side, "experiment", json_object_get(side, "sweep"));
        json_object_del(side, "sweep");
    }
    free(sweep);
    free(experiment);
}

/* The page joins several sweeps, or experiments, as sweep:ID.ID and experiment:ID.ID. */
static int join_experiments(struct context *context, json_t *side)
{
    static const char *const names[] = {"sweep", "experiment"};
    json_t *experiments = json_array();
    int status = EXIT_FINE;
    for (int i = 0; i < 2; i++) {
        char *ids = strdup(json_path_text(side, names[i], "")), *rest = ids;
        bool joined = i == 1 || strchr(ids, '.') || json_object_get(side, "experiment");
        for (char *id; joined && status == EXIT_FINE && (id = strsep(&rest, "."));)
            if (i == 0 && *id)
                status = add_sweep(context, id, experiments);
            else if (*id)
                json_array_append_new(experiments, json_string(id));
        if (joined)
            json_object_del(side, names[i]);
        free(ids);
    }
    if (json_array_size(experiments) > 0)
        json_object_set(side, "experiments", experiments);
    json_decref(experiments);
    return status;
}

/* Points that were paired within each device have its uuid among their values: its name replaces it. */
static void name_devices(struct context *context, json_t *comparison)
{
    json_t *document = NULL, *point;
    size_t i;
    json_array_foreach (json_object_get(comparison, "points"), i, point) {
        json_t *values = json_object_get(point, "values"), *uuid = json_object_get(values, "device_uuid");
        if (!uuid || (!document && fetch_json(context, "/v1/devices", &document) != EXIT_FINE))
            continue;
        const json_t *device = json_path_find(json_object_get(document, "devices"), "uuid", uuid);
        const char *name = json_path_text(device, "device_name", json_string_value(uuid));
        json_object_set_new(values, "device", json_string(name));
        json_object_del(values, "device_uuid");
    }
    json_decref(document);
}

int command_compare(struct context *context)
{
    const char *const *given = context->options.given;
    struct http_client_response response;
    struct error error = {0};
    json_t *document = NULL, *request = make_request(&context->options, &error);
    if (!request)
        return context_usage(context, &error);
    find_experiment(context, json_object_get(request, "a"));
    find_experiment(context, json_object_get(request, "b"));
    int status = join_experiments(context, json_object_get(request, "a"));
    if (status == EXIT_FINE)
        status = join_experiments(context, json_object_get(request, "b"));
    if (status != EXIT_FINE) {
        json_decref(request);
        return status;
    }
    char *body = json_dumps(request, JSON_COMPACT);
    const struct http_client_request question = fetch_question(context, "/v1/comparisons", body);
    status = http_client_send(&context->service, &question, &response);
    if (status == EXIT_FINE && !(document = json_path_parse(&context->screen, response.body.data)))
        status = EXIT_UNREACHABLE;
    if (status == EXIT_FINE && given[OPTION_CSV])
        status = fetch_show_to(stdout, context, &question, NULL);
    else if (status == EXIT_FINE && given[OPTION_JSON])
        fputs(response.body.data, stdout);
    else if (status == EXIT_FINE) {
        name_devices(context, document);
        answers_print_comparison(document, &context->screen);
    }
    if (status == EXIT_FINE)
        status = answers_comparison_status(document);
    http_client_response_free(&response);
    json_decref(document);
    json_decref(request);
    free(body);
    return status;
}
