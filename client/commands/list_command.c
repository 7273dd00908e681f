/* The command ls: experiments or sweeps by filters, newest first. */
#include "client/commands/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "client/answers/json_path.h"
#include "client/answers/rows_table.h"
#include "client/terminal/language.h"
#include "client/work/fetch.h"

enum { LIMIT_MAX = 500 };

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
            return error_set(
                error, ERROR_INVALID,
                language_text("--%s is of experiments: sweeps are found by label, owner, device-uuid, since "
                              "and until"),
                manual_options[filters[i].option].name);
    if (options->given[OPTION_CSV])
        return error_set(error, ERROR_INVALID,
                         language_text("a list of sweeps is no table: --json has it whole"));
    return 0;
}

/* The path with its filters, freed by the caller. */
static char *make_path(struct context *context, int limit)
{
    const char *const *given = context->options.given;
    struct buffer path = {0};
    buffer_format(&path, "/v1/%s?page_size=%d", given[OPTION_SWEEPS] ? "sweeps" : "experiments", limit);
    for (int i = 0; i < FILTERS; i++)
        http_client_escape(&context->service, &path, filters[i].name, given[filters[i].option]);
    http_client_escape(&context->service, &path, "columns", given[OPTION_COLUMNS]);
    if (given[OPTION_LABEL]) {
        char label[512];
        snprintf(label, sizeof label, "%s", given[OPTION_LABEL]);
        char *equals = strchr(label, '=');
        if (equals)
            *equals = ':';
        http_client_escape(&context->service, &path, "label", label);
    }
    return buffer_take(&path);
}

static enum style state_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    const char *state = json_path_text(row, "state", "");
    /* A sweep that has not ended is called running, also where nothing of it runs. */
    if (json_path_true(row, "paused"))
        state = "paused";
    else if (strcmp(state, "running") == 0 && json_path_number(row, "running") == 0)
        state = "queued";
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", language_text(state));
    return strcmp(state, "failed") == 0 || strcmp(state, "finished") == 0 ? STYLE_WORSE : STYLE_NONE;
}

static void add_members(char text[ROWS_TABLE_CELL_BYTES], const json_t *request, bool common)
{
    static const char hidden[] =
        "kernel measure labels counters transfers timeout_s priority grid device dtype "
        "placement shared_bytes";
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)request, name, value) {
        char one[JSON_PATH_TEXT_BYTES];
        json_path_value(one, value);
        if (!words_contain(hidden, name) && words_contain("size block", name) == common && *one &&
            strcmp(one, "default") != 0)
            json_path_append(text, ROWS_TABLE_CELL_BYTES, "%s%s=%s", *text ? " " : "", name, one);
    }
}

/* The members of a request that distinguish it from others: first those that not every request has, as the end may be cut
   off. */
static enum style request_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    add_members(text, json_object_get(row, "request"), false);
    add_members(text, json_object_get(row, "request"), true);
    return STYLE_NONE;
}

enum { SPARE = SHEET_LEFT | SHEET_SPARE };
static const struct rows_table_column experiment_columns[] = {
    {"id", NULL, SHEET_ID, .path = "id"},
    {"state", NULL, SHEET_LEFT, .cell = state_cell},
    {"kernel", NULL, SHEET_LEFT, .path = "kernel"},
    {"request", NULL, SPARE | SHEET_CUT, .cell = request_cell},
    {"device", NULL, SPARE, .path = "device_name"},
    {"owner", NULL, SPARE, .path = "owner", .missing = "nobody"},
    {"submitted", NULL, SPARE, .path = "submitted_at"},
    {NULL},
};
static const struct rows_table_column sweep_columns[] = {
    {"id", NULL, SHEET_ID, .path = "id"},
    {"state", NULL, SHEET_LEFT, .cell = state_cell},
    {"kernel", NULL, SHEET_LEFT, .path = "kernel"},
    {"measured", NULL, SHEET_RIGHT, .path = "succeeded", .form = ROWS_TABLE_WHOLE},
    {"in all", NULL, SHEET_RIGHT, .path = "total", .form = ROWS_TABLE_WHOLE},
    {"failed", NULL, SHEET_RIGHT, .path = "failed", .form = ROWS_TABLE_WHOLE},
    {"cancelled", NULL, SHEET_RIGHT, .path = "cancelled", .form = ROWS_TABLE_WHOLE},
    {"request", NULL, SPARE | SHEET_CUT, .cell = request_cell},
    {"recipe", NULL, SPARE, .path = "recipe"},
    {"owner", NULL, SPARE, .path = "owner", .missing = "nobody"},
    {"submitted", NULL, SPARE, .path = "submitted_at"},
    {NULL},
};

static void print_list(struct context *context, const json_t *document)
{
    const char *const *given = context->options.given;
    bool sweeps = given[OPTION_SWEEPS] != NULL;
    rows_table_print(json_object_get(document, sweeps ? "sweeps" : "experiments"),
                     sweeps ? sweep_columns : experiment_columns, &context->screen, stdout);
    if (json_path_text(document, "next_page_token", NULL) && context->screen.out && !given[OPTION_LIMIT])
        screen_remark(&context->screen,
                      language_text("there are older ones: -n has up to %d, --until TIME those before"),
                      LIMIT_MAX);
}

int command_ls(struct context *context)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    double limit;
    if (context_number(options, OPTION_LIMIT, 20, 1, LIMIT_MAX, &limit, &error) != 0 ||
        check(options, &error) != 0)
        return context_usage(context, &error);
    char *path = make_path(context, (int)limit);
    int status = path ? fetch_show(context, path, print_list) : EXIT_FAILED;
    free(path);
    return status;
}
