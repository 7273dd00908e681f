/* The command ls: experiments or sweeps by filters, newest first. */
#include "client/commands/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "client/answers/answers.h"
#include "client/answers/json_path.h"
#include "client/answers/rows_table.h"
#include "client/terminal/language.h"
#include "client/work/fetch.h"

enum {
    PAGE = 500, /* rows that the service gives at once */
    ROWS_MAX = 10000,
    WRITTEN_MAX = 6, /* values of an axis */
    JSON_DIGITS = 15 /* more than the service writes, and few enough that 0.1 stays 0.1 */
};

static const struct filter {
    enum option option;
    const char *name; /* of the query parameter */
    bool sweeps;      /* it filters sweeps too */
} filters[] = {
    {OPTION_KERNEL, "kernel", false}, {OPTION_STATE, "state", true},
    {OPTION_DEVICE, "device", false}, {OPTION_DEVICE_UUID, "device_uuid", true},
    {OPTION_OWNER, "owner", true},    {OPTION_SWEEP, "sweep", false},
    {OPTION_SINCE, "since", true},    {OPTION_UNTIL, "until", true},
    {OPTION_LABEL, "label", true},
};
enum { FILTERS = sizeof filters / sizeof *filters };

/* Experiments and sweeps have states of their own; sweeps have fewer filters, and no table. */
static int check(const struct command_line *options, struct error *error)
{
    bool sweeps = options->given[OPTION_SWEEPS] != NULL;
    const char *state = options->given[OPTION_STATE],
               *states = sweeps ? "running succeeded finished cancelled"
                                : "queued running succeeded failed cancelled";
    if (state && sweeps && strcmp(state, "queued") == 0)
        return error_set(
            error, ERROR_INVALID, "%s",
            language_text("--state running finds all sweeps that have not ended, also those that wait"));
    if (state && !words_contain(states, state))
        return error_set(error, ERROR_INVALID, language_text("--%s is one of: %s"), "state", states);
    if (!sweeps)
        return 0;
    for (int i = 0; i < FILTERS; i++)
        if (options->given[filters[i].option] && !filters[i].sweeps)
            return error_set(
                error, ERROR_INVALID,
                language_text("--%s is of experiments: sweeps are found by state, label, owner, device-uuid, "
                              "since and until"),
                manual_options[filters[i].option].name);
    if (options->given[OPTION_CSV])
        return error_set(error, ERROR_INVALID,
                         language_text("a list of sweeps is no table: --json has it whole"));
    return 0;
}

/* The owner to ask the service for. The list shows "nobody" in the terminal's language for experiments that were submitted
   without a token, and that word is accepted here. */
static const char *owner_name(const char *given)
{
    return given && strcmp(given, language_text("nobody")) == 0 ? "nobody" : given;
}

/* Returns the path of a page with its filters: `rows` rows, beginning at the page token ("": the first page). The caller
   frees it. */
static char *make_path(struct context *context, int rows, const char *token)
{
    const char *const *given = context->options.given;
    struct buffer path = {0};
    buffer_format(&path, "/v1/%s?page_size=%d", given[OPTION_SWEEPS] ? "sweeps" : "experiments", rows);
    for (int i = 0; i < FILTERS; i++)
        http_client_escape(&context->service, &path, filters[i].name,
                           filters[i].option == OPTION_OWNER ? owner_name(given[OPTION_OWNER])
                                                             : given[filters[i].option]);
    http_client_escape(&context->service, &path, "page_token", *token ? token : NULL);
    return buffer_take(&path);
}

static enum style state_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    const char *state = rows_table_unwritten(row) ? "ended, not written" : json_path_text(row, "state", "");
    /* A sweep that has not ended is called running, also where nothing of it runs. */
    if (json_path_true(row, "paused"))
        state = "paused";
    else if (strcmp(state, "running") == 0 && json_path_number(row, "running") == 0)
        state = "queued";
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", language_text(state));
    return strcmp(state, "failed") == 0 || strcmp(state, "finished") == 0 ? STYLE_WORSE : STYLE_NONE;
}

/* Returns whether a value is the one that most requests have. */
static bool is_usual(const char *name, const char *value)
{
    return strcmp(value, "default") == 0 || (strcmp(name, "dtype") == 0 && strcmp(value, "f32") == 0) ||
           (strcmp(name, "shared_bytes") == 0 && strcmp(value, "0") == 0);
}

/* Appends the request's values that may tell it from another. only: the one with this name; NULL: all but block, size and
   grid. */
static void add_members(char text[ROWS_TABLE_CELL_BYTES], const json_t *request, const char *only)
{
    static const char hidden[] = "kernel measure labels counters transfers timeout_s priority device "
                                 "placement tolerance reference show";
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)request, name, value) {
        char one[JSON_PATH_TEXT_BYTES];
        json_path_value(one, value);
        bool axis = (strchr(one, ',') || strstr(one, "..")) && strcmp(name, "kernel") != 0;
        bool wanted = only ? strcmp(name, only) == 0 : !words_contain("block grid size", name);
        if (wanted && (axis || !words_contain(hidden, name)) && *one && !is_usual(name, one))
            json_path_append(text, ROWS_TABLE_CELL_BYTES, "%s%s=%s", *text ? " " : "", name, one);
    }
}

/* The members of a request that distinguish it from others. The end may be cut off: those that every request has come
   last. */
static enum style request_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    add_members(text, json_object_get(row, "request"), NULL);
    add_members(text, json_object_get(row, "request"), "block");
    add_members(text, json_object_get(row, "request"), "size");
    add_members(text, json_object_get(row, "request"), "grid");
    return STYLE_NONE;
}

/* The kernel stands in the same column as the request: it may be a long name, or several. */
static enum style sweep_request_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    char kernel[JSON_PATH_TEXT_BYTES];
    json_path_value(kernel, json_object_get(row, "kernel"));
    if (!json_path_text(row, "recipe", NULL))
        snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", json_path_text(row, "entry", kernel));
    return request_cell(text, row);
}

static enum style measured_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    snprintf(text, ROWS_TABLE_CELL_BYTES, language_text("%.0f of %.0f"), json_path_number(row, "succeeded"),
             json_path_number(row, "total"));
    return STYLE_NONE;
}

/* Refused points are not counted, because they are no experiments and ls --state failed does not list them. */
static enum style failed_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    double failed = json_path_number(row, "failed") - fmax(0, json_path_number(row, "refused"));
    snprintf(text, ROWS_TABLE_CELL_BYTES, failed > 0 ? "%.0f" : "", failed);
    return STYLE_WORSE;
}

#define ABOVE_0 .style = STYLE_WORSE, .form = ROWS_TABLE_ABOVE_0
enum { SPARE = SHEET_LEFT | SHEET_SPARE };
static const struct rows_table_column experiment_columns[] = {
    {"id", NULL, SHEET_ID, .path = "id"},
    {"state", NULL, SHEET_LEFT, .cell = state_cell},
    {"kernel", NULL, SHEET_LEFT, .cell = rows_table_kernel},
    {"request", NULL, SPARE | SHEET_CUT, .cell = request_cell},
    {"device", NULL, SPARE, .path = "device_name"},
    {"owner", NULL, SPARE, .path = "owner", .missing = "nobody"},
    {"submitted", NULL, SPARE, .path = "submitted_at"},
    {NULL},
};
static const struct rows_table_column sweep_columns[] = {
    {"id", NULL, SHEET_ID, .path = "id"},
    {"state", NULL, SHEET_LEFT, .cell = state_cell},
    {"measured", NULL, SHEET_RIGHT, .cell = measured_cell},
    {"failed", NULL, SHEET_RIGHT | SHEET_FILLED, .cell = failed_cell},
    {"refused", NULL, SHEET_RIGHT | SHEET_FILLED, .path = "refused", ABOVE_0},
    {"ended, not written", NULL, SHEET_RIGHT | SHEET_FILLED, .path = "unwritten", ABOVE_0},
    {"request", NULL, SPARE | SHEET_CUT, .cell = sweep_request_cell},
    {"owner", NULL, SPARE, .path = "owner", .missing = "nobody"},
    {"submitted", NULL, SPARE, .path = "submitted_at"},
    {"cancelled", NULL, SHEET_RIGHT | SHEET_SPARE | SHEET_FILLED, .path = "cancelled", ABOVE_0},
    {NULL},
};

/* Axes become texts as they are typed, "64,128" and "32x8,16x16". A flat list is one, but for a size that the point, too,
   has as a list. The caller releases it. */
static json_t *typed_request(const json_t *sweep)
{
    const json_t *point = json_array_get(json_object_get(sweep, "points"), 0);
    json_t *request = json_copy(json_object_get(sweep, "request")), *value, *one;
    const char *name;
    void *next;
    size_t i;
    json_object_foreach_safe (request, next, name, value) {
        char text[JSON_PATH_TEXT_BYTES] = "", part[JSON_PATH_TEXT_BYTES];
        bool shape = strcmp(name, "size") == 0 && !json_is_array(json_array_get(value, 0)) &&
                     json_is_array(json_object_get(json_object_get(point, "values"), name));
        if (!json_is_array(value) || shape)
            continue;
        size_t count = json_array_size(value);
        json_array_foreach (value, i, one) {
            json_path_value(part, one);
            if (count <= WRITTEN_MAX || i == 0)
                json_path_append(text, sizeof text, "%s%s", i ? "," : "", part);
            else if (i + 1 == count)
                json_path_append(text, sizeof text, language_text(",...,%s (%zu values)"), part, count);
        }
        json_object_set_new(request, name, json_string(text));
    }
    return request;
}

/* Reads the request of each sweep: the list of sweeps leaves it out, because it may be long. */
static void fetch_requests(struct context *context, const json_t *sweeps)
{
    json_t *row, *sweep;
    size_t i;
    json_array_foreach (sweeps, i, row) {
        char *path = fetch_path(context, "/v1/sweeps", json_path_text(row, "id", ""), "?page_size=1");
        const struct http_client_request question = {
            .method = "GET", .path = path ? path : "", .accept_status = 404};
        if (fetch_document(context, &question, &sweep) == EXIT_FINE)
            json_object_set_new(row, "request", typed_request(sweep));
        json_decref(sweep);
        free(path);
    }
}

/* Checks that the kernel exists, or that there is an experiment of it: a list also finds those of removed kernels. */
static int check_kernel(struct context *context, const char *name)
{
    json_t *document = NULL, *kernel = NULL;
    struct buffer experiments = {0};
    buffer_format(&experiments, "/v1/experiments?page_size=1");
    http_client_escape(&context->service, &experiments, "kernel", name);
    char *path = fetch_path(context, "/v1/kernels", name, ""), *list = buffer_take(&experiments);
    int status = path && list ? fetch_json(context, list, &document) : EXIT_FAILED;
    if (status == EXIT_FINE && !json_array_size(json_object_get(document, "experiments")))
        status = fetch_json(context, path, &kernel);
    json_decref(document);
    json_decref(kernel);
    free(path);
    free(list);
    return status;
}

/* Checks that the sweep exists. If some of its points were refused, prints a remark that the list does not have them. */
static int check_sweep(struct context *context, const char *id)
{
    json_t *sweep = NULL;
    char *path = fetch_path(context, "/v1/sweeps", id, "?page_size=1");
    int status = path ? fetch_json(context, path, &sweep) : EXIT_FAILED;
    double refused = json_path_number(sweep, "refused");
    if (refused > 0)
        screen_remark(&context->screen,
                      language_text("refused, and therefore no experiments: %.0f; coalesce show %s says why"),
                      refused, id);
    json_decref(sweep);
    free(path);
    return status;
}

static bool has_owner(const json_t *rows)
{
    size_t i;
    json_t *row;
    json_array_foreach (rows, i, row)
        if (json_path_text(row, "owner", NULL))
            return true;
    return false;
}

/* Without the columns that tell nothing: the kernel that was asked for, and the owner where nobody is one. */
static void print_rows(struct context *context, const json_t *rows, const struct rows_table_column *all)
{
    struct rows_table_column columns[sizeof experiment_columns / sizeof *experiment_columns +
                                     sizeof sweep_columns / sizeof *sweep_columns];
    const bool owned = has_owner(rows), chosen = context->options.given[OPTION_KERNEL] != NULL;
    size_t count = 0;
    for (; all->title; all++)
        if (!(strcmp(all->title, "owner") == 0 && !owned) && !(strcmp(all->title, "kernel") == 0 && chosen))
            columns[count++] = *all;
    columns[count] = *all;
    rows_table_print(rows, columns, &context->screen, stdout);
}

/* Unless a number was asked for, which is then what was wanted. */
static void remark_older(struct context *context, const json_t *document)
{
    if (json_path_text(document, "next_page_token", NULL) && !context->options.given[OPTION_LIMIT])
        screen_remark(&context->screen, language_text("there are older ones: -n N has more of them"));
}

static const char *list_name(const struct context *context)
{
    return context->options.given[OPTION_SWEEPS] ? "sweeps" : "experiments";
}

static void print_list(struct context *context, const json_t *document)
{
    bool sweeps = context->options.given[OPTION_SWEEPS] != NULL;
    if (sweeps)
        fetch_requests(context, json_object_get(document, "sweeps"));
    print_rows(context, json_object_get(document, list_name(context)),
               sweeps ? sweep_columns : experiment_columns);
}

/* Fetches one page as JSON. With --csv the page is also written as a table: only the JSON has the token of the next page. */
static int fetch_page(struct context *context, int rows, const char *token, json_t **page)
{
    struct http_client_response response;
    char *path = make_path(context, rows, token);
    int status = path ? EXIT_FINE : EXIT_FAILED;
    if (path && context->options.given[OPTION_CSV])
        status = fetch_table(context, path, !*token, stdout);
    if (status == EXIT_FINE)
        status = http_client_get(&context->service, path, &response);
    free(path);
    if (status != EXIT_FINE)
        return status;
    *page = (context->options.given[OPTION_JSON] ? json_path_load : json_path_parse)(&context->screen,
                                                                                     response.body.data);
    http_client_response_free(&response);
    return *page ? EXIT_FINE : EXIT_UNREACHABLE;
}

/* Fetches the list page by page, up to `most` rows. *document gets all rows; with --csv the rows are written to standard
   output, and *document gets only the last page. The caller releases *document, also after an error. */
static int fetch_rows(struct context *context, int most, json_t **document)
{
    char token[128] = "";
    int status = EXIT_FINE;
    *document = NULL;
    for (int left = most; left > 0; left -= PAGE) {
        json_t *page = NULL;
        status = fetch_page(context, left < PAGE ? left : PAGE, token, &page);
        if (status != EXIT_FINE)
            break;
        snprintf(token, sizeof token, "%s", json_path_text(page, "next_page_token", ""));
        if (*document && !context->options.given[OPTION_CSV]) {
            json_t *rows = json_object_get(*document, list_name(context));
            json_array_extend(rows, json_object_get(page, list_name(context)));
            json_object_set(page, list_name(context), rows);
        }
        json_decref(*document);
        *document = page;
        if (!*token)
            break;
    }
    return status;
}

static int show_list(struct context *context, int most)
{
    const char *const *given = context->options.given;
    json_t *document = NULL;
    int status = fetch_rows(context, most, &document);
    if (status == EXIT_FINE && given[OPTION_JSON]) {
        json_dumpf(document, stdout, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS));
        putchar('\n');
    } else if (status == EXIT_FINE) {
        if (!given[OPTION_CSV])
            print_list(context, document);
        remark_older(context, document);
    }
    json_decref(document);
    return status;
}

int command_ls(struct context *context)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    double rows;
    if (context_number(options, OPTION_LIMIT, 20, 1, ROWS_MAX, &rows, &error) != 0 ||
        check(options, &error) != 0)
        return context_usage(context, &error);
    int status = fetch_whole_id(context, &options->given[OPTION_SWEEP]);
    if (status == EXIT_FINE && options->given[OPTION_KERNEL])
        status = check_kernel(context, options->given[OPTION_KERNEL]);
    if (status == EXIT_FINE && options->given[OPTION_SWEEP])
        status = check_sweep(context, options->given[OPTION_SWEEP]);
    return status == EXIT_FINE ? show_list(context, (int)rows) : status;
}
