/* The command ls: experiments or sweeps by filters, newest first. */
#include "client/commands/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/sheet.h"
#include "client/work/fetch.h"

enum { LIMIT_MAX = 500 };

static void add_filter(struct context *context, struct buffer *query, const char *name, const char *value)
{
    char *escaped = http_client_escape(&context->service, value);
    if (escaped)
        buffer_format(query, "&%s=%s", name, escaped);
    free(escaped);
}

static const struct filter {
    enum option option;
    const char *name; /* of the query parameter */
    bool sweeps;      /* it filters sweeps too */
} filters[] = {
    {OPTION_KERNEL, "kernel", false}, {OPTION_STATE, "state", false},
    {OPTION_DEVICE, "device", false}, {OPTION_DEVICE_UUID, "device_uuid", true},
    {OPTION_OWNER, "owner", true},    {OPTION_SWEEP, "sweep", false},
    {OPTION_SINCE, "since", true},    {OPTION_UNTIL, "until", true},
};
enum { FILTERS = sizeof filters / sizeof *filters };

/* Sweeps have fewer filters, and no table. */
static int check(const struct command_line *options, struct error *error)
{
    if (!options->given[OPTION_SWEEPS])
        return 0;
    for (int i = 0; i < FILTERS; i++)
        if (options->given[filters[i].option] && !filters[i].sweeps)
            return error_set(error, ERROR_INVALID,
                             "--%s is of experiments: sweeps are found by label, owner, device-uuid, since "
                             "and until",
                             manual_options[filters[i].option].name);
    if (options->given[OPTION_CSV])
        return error_set(error, ERROR_INVALID, "a list of sweeps is no table: --json has it whole");
    return 0;
}

/* The path with its filters, freed by the caller. */
static char *make_path(struct context *context, int limit)
{
    const char *const *given = context->options.given;
    struct buffer path = {0};
    buffer_format(&path, "/v1/%s?page_size=%d", given[OPTION_SWEEPS] ? "sweeps" : "experiments", limit);
    for (int i = 0; i < FILTERS; i++)
        if (given[filters[i].option])
            add_filter(context, &path, filters[i].name, given[filters[i].option]);
    if (given[OPTION_COLUMNS])
        add_filter(context, &path, "columns", given[OPTION_COLUMNS]);
    if (given[OPTION_LABEL]) {
        char label[512];
        snprintf(label, sizeof label, "%s", given[OPTION_LABEL]);
        char *equals = strchr(label, '=');
        if (equals)
            *equals = ':';
        add_filter(context, &path, "label", label);
    }
    return buffer_take(&path);
}

static enum style style_of(const char *state)
{
    return strcmp(state, "failed") == 0 || strcmp(state, "finished") == 0 ? STYLE_WORSE : STYLE_NONE;
}

/* The members of a request that distinguish it from others. */
static void request_text(char text[JSON_PATH_TEXT_BYTES], const json_t *request)
{
    static const char *const hidden[] = {"kernel",    "measure",   "labels",    "counters",
                                         "transfers", "timeout_s", "priority",  "grid",
                                         "device",    "dtype",     "placement", "shared_bytes"};
    const char *name;
    json_t *value;
    size_t used = 0;
    text[0] = '\0';
    json_object_foreach ((json_t *)request, name, value) {
        char one[JSON_PATH_TEXT_BYTES];
        bool skip = false;
        for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
            skip = skip || strcmp(name, hidden[i]) == 0;
        json_path_value(one, value);
        if (skip || !*one || used >= JSON_PATH_TEXT_BYTES)
            continue;
        used +=
            (size_t)snprintf(text + used, JSON_PATH_TEXT_BYTES - used, "%s%s=%s", used ? " " : "", name, one);
    }
}

static void print_experiments(const json_t *document, const struct screen *screen)
{
    struct sheet *sheet = sheet_new();
    sheet_column(sheet, SHEET_LEFT, "id", "");
    sheet_column(sheet, SHEET_LEFT, "state", "");
    sheet_column(sheet, SHEET_LEFT, "kernel", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "request", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "device", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "owner", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "submitted", "");
    size_t i;
    json_t *row;
    json_array_foreach (json_object_get(document, "experiments"), i, row) {
        char text[JSON_PATH_TEXT_BYTES];
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "id", ""));
        sheet_cell(sheet, style_of(json_path_text(row, "state", "")), json_path_text(row, "state", ""));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "kernel", ""));
        request_text(text, json_object_get(row, "request"));
        sheet_cell(sheet, STYLE_NONE, text);
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "device_name", ""));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "owner", "nobody"));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "submitted_at", ""));
    }
    sheet_print(sheet, screen, stdout);
}

/* "copy", "copy copy_ldg". */
static void names_text(char text[JSON_PATH_TEXT_BYTES], const json_t *names)
{
    size_t i;
    json_t *name;
    json_path_value(text, json_is_string(names) ? names : NULL);
    json_array_foreach (names, i, name) {
        json_path_append(text, i ? " " : "");
        json_path_append(text, json_is_string(name) ? json_string_value(name) : "");
    }
}

static void print_sweeps(const json_t *document, const struct screen *screen)
{
    struct sheet *sheet = sheet_new();
    sheet_column(sheet, SHEET_LEFT, "id", "");
    sheet_column(sheet, SHEET_LEFT, "state", "");
    sheet_column(sheet, SHEET_LEFT, "kernel", "");
    sheet_column(sheet, SHEET_RIGHT, "done", "");
    sheet_column(sheet, SHEET_RIGHT, "of", "");
    sheet_column(sheet, SHEET_RIGHT, "failed", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "recipe", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "owner", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "submitted", "");
    size_t i;
    json_t *row;
    json_array_foreach (json_object_get(document, "sweeps"), i, row) {
        char text[JSON_PATH_TEXT_BYTES];
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "id", ""));
        sheet_cell(sheet, style_of(json_path_text(row, "state", "")), json_path_text(row, "state", ""));
        names_text(text, json_object_get(row, "kernel"));
        sheet_cell(sheet, STYLE_NONE, text);
        sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(row, "done"));
        sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(row, "total"));
        sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(row, "failed"));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "recipe", ""));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "owner", "nobody"));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "submitted_at", ""));
    }
    sheet_print(sheet, screen, stdout);
}

int command_ls(struct context *context)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    double limit;
    json_t *document = NULL;
    if (context_number(options, OPTION_LIMIT, 20, 1, LIMIT_MAX, &limit, &error) != 0 ||
        check(options, &error) != 0)
        return context_usage(context, &error);
    char *path = make_path(context, (int)limit);
    int status = EXIT_FAILED;
    if (path && options->given[OPTION_CSV])
        status = fetch_copy(context, path, "text/csv", stdout);
    else if (path && options->given[OPTION_JSON])
        status = fetch_copy(context, path, NULL, stdout);
    else if (path)
        status = fetch_json(context, path, &document);
    if (document && options->given[OPTION_SWEEPS])
        print_sweeps(document, &context->screen);
    else if (document)
        print_experiments(document, &context->screen);
    if (json_path_text(document, "next_page_token", NULL) && context->screen.out &&
        !options->given[OPTION_LIMIT])
        screen_remark(&context->screen, "there are older ones: -n has up to %d, --until TIME those before",
                      LIMIT_MAX);
    json_decref(document);
    free(path);
    return status;
}
