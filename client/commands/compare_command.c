/* The command compare: a verdict for each point of two sides. */
#include "client/commands/command.h"

#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/verdicts_table.h"
#include "client/parameters/parameters.h"
#include "client/parameters/value.h"
#include "client/work/fetch.h"

enum { FILTERS_MAX = 32, SIDE_BYTES = 2048 };

/* These members are texts even where they look like numbers. */
static void make_texts(json_t *side)
{
    static const char *const names[] = {"sweep", "kernel", "owner", "device_uuid", "since", "until"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        json_t *value = json_object_get(side, names[i]);
        char text[JSON_PATH_TEXT_BYTES];
        if (!value || json_is_string(value))
            continue;
        json_path_value(text, value);
        json_object_set_new(side, names[i], json_string(text));
    }
}

/* A sweep's id, or filters separated by commas. NULL with an error; else released by the caller. */
static json_t *read_side(const char *text, struct error *error)
{
    char copy[SIDE_BYTES];
    const char *words[FILTERS_MAX];
    int count = 0;
    json_t *side = json_object();
    if (!strchr(text, '=')) {
        json_object_set_new(side, "sweep", json_string(text));
        return side;
    }
    if (strlen(text) >= sizeof copy) {
        error_set(error, ERROR_INVALID, "a side has at most %d characters", SIDE_BYTES - 1);
        json_decref(side);
        return NULL;
    }
    strcpy(copy, text);
    char *rest = copy;
    for (char *word; (word = strsep(&rest, ",")) && count < FILTERS_MAX;)
        words[count++] = word;
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
        json_t *fields = value_list(options->given[OPTION_BUT_FOR], error);
        if (!fields) {
            json_decref(request);
            return NULL;
        }
        json_object_set_new(request, "but_for", fields);
    }
    return request;
}

/* Points that were paired within each device have its uuid among their values: its name replaces it. */
static void name_devices(struct context *context, json_t *comparison)
{
    json_t *document = NULL, *point, *device;
    size_t i, k;
    json_array_foreach (json_object_get(comparison, "points"), i, point) {
        json_t *values = json_object_get(point, "values");
        const char *uuid = json_path_text(values, "device_uuid", NULL), *name = uuid;
        if (!uuid || (!document && fetch_json(context, "/v1/devices", &document) != EXIT_FINE))
            continue;
        json_array_foreach (json_object_get(document, "devices"), k, device)
            if (strcmp(json_path_text(device, "uuid", ""), uuid) == 0)
                name = json_path_text(device, "device_name", uuid);
        json_object_set_new(values, "device", json_string(name));
        json_object_del(values, "device_uuid");
    }
    json_decref(document);
}

int command_compare(struct context *context)
{
    struct error error = {0};
    const char *const *given = context->options.given;
    char *body = NULL, *table = NULL;
    json_t *request = make_request(&context->options, &error);
    if (!request)
        return context_usage(context, &error);
    int status = fetch_post(context, "/v1/comparisons", request, NULL, &body);
    if (status == EXIT_FINE && given[OPTION_CSV])
        status = fetch_post(context, "/v1/comparisons", request, "text/csv", &table);
    json_decref(request);
    json_t *document = status == EXIT_FINE ? json_path_parse(&context->screen, body) : NULL;
    if (status == EXIT_FINE && !document)
        status = EXIT_UNREACHABLE;
    if (document && (given[OPTION_CSV] || given[OPTION_JSON]))
        fputs(given[OPTION_CSV] ? table : body, stdout);
    else if (document) {
        name_devices(context, document);
        verdicts_table_print(document, &context->screen);
    }
    if (document)
        status = verdicts_table_status(document);
    json_decref(document);
    free(body);
    free(table);
    return status;
}
