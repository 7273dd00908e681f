/* The commands devices, calibration and kernels: what experiments run on, and what can be run. */
#include "client/commands/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/rows_table.h"
#include "client/terminal/language.h"
#include "client/work/fetch.h"

enum { SPARE_TEXT = SHEET_LEFT | SHEET_SPARE, SPARE_NUMBER = SHEET_RIGHT | SHEET_SPARE };

/* Prints the one that the first word names, or the list. */
static int show(struct context *context, const char *list, fetch_print *print_one, fetch_print *print_all)
{
    char *path = fetch_path(context, list, context->options.words[0], "");
    int status = fetch_show(context, path, context->options.word_count ? print_one : print_all);
    free(path);
    return status;
}

/* ---- devices ---- */

static enum style state_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    const char *readiness = json_path_text(row, "readiness", "?"),
               *reason = json_path_text(row, "status.reason", NULL),
               *by = json_path_text(row, "paused_by", NULL);
    char chinese[LANGUAGE_REASON_BYTES];
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s%s%s%s%s%s", language_text(readiness),
             by                              ? language_text(", paused by ")
             : json_path_true(row, "paused") ? language_text(", paused")
                                             : "",
             by ? by : "",
             json_is_false(json_object_get(row, "in_list")) ? language_text(", not in the list") : "",
             reason ? language_text(": ") : "", reason ? language_reason(reason, chinese) : "");
    return strcmp(readiness, "unhealthy") == 0 ? STYLE_WORSE : STYLE_NONE;
}

static void print_devices(struct context *context, const json_t *document)
{
    bool cpu = false;
    size_t i;
    json_t *device;
    json_array_foreach (json_object_get(document, "devices"), i, device)
        cpu = cpu || strcmp(json_path_text(device, "backend", ""), "cpu") == 0;
    const struct rows_table_column columns[] = {
        {"device", NULL, SHEET_LEFT, .path = "device_name", .style = STYLE_STRONG, .missing = "?"},
        {"number", NULL, SPARE_NUMBER, .path = "index", .form = ROWS_TABLE_WHOLE},
        {"what it is", NULL, SHEET_LEFT, .path = "name", .missing = "not known yet"},
        {"arch", NULL, SHEET_LEFT, .path = "arch"},
        {"memory", "GB", SHEET_RIGHT, .path = "memory_bytes", .form = ROWS_TABLE_NUMBER, .factor = 1e-9},
        {"peak", "GB/s", SHEET_RIGHT, .path = "peak_gbps", .form = ROWS_TABLE_NUMBER},
        {cpu ? "last cache" : "L2", "MB", SPARE_NUMBER, .path = "l2_bytes", .form = ROWS_TABLE_NUMBER,
         .factor = 1e-6},
        {"multiprocessors", NULL, SPARE_NUMBER, .path = "multiprocessors", .form = ROWS_TABLE_WHOLE},
        {"state", NULL, SHEET_LEFT, .cell = state_cell},
        {"note", NULL, SPARE_TEXT, .path = "note", .style = STYLE_FAINT},
        {NULL},
    };
    rows_table_print(json_object_get(document, "devices"), columns, &context->screen, stdout);
    const char *by = json_path_text(document, "paused_by", NULL);
    if (by)
        printf(language_text("the whole queue is paused by %s\n"), by);
    else if (json_path_true(document, "paused"))
        fputs(language_text("the whole queue is paused\n"), stdout);
}

/* A line for each member that is a number or a text, and for each that has a reason instead of a value. */
static void print_members(const json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        char text[JSON_PATH_TEXT_BYTES], reason[LANGUAGE_REASON_BYTES];
        json_path_value(text, value);
        bool missing = json_is_string(json_object_get(value, "reason"));
        if (missing)
            printf(language_text("  %-36s no value: %s\n"), name,
                   language_reason(json_path_text(value, "reason", ""), reason));
        else if (*text)
            printf("  %-36s %s\n", name, language_reason(text, reason));
    }
}

static void print_device(struct context *context, const json_t *device)
{
    const struct screen *screen = &context->screen;
    printf("%s%s%s: %s\n", screen_style(screen, STYLE_STRONG), json_path_text(device, "device_name", "?"),
           screen_style(screen, STYLE_NONE), json_path_text(device, "name", language_text("not known yet")));
    print_members(device);
    const char *formula = json_path_text(device, "peak_bandwidth.formula", NULL);
    if (formula)
        printf("  %-36s %.4g GB/s = %s\n", "peak_bandwidth", json_path_number(device, "peak_bandwidth.gbps"),
               formula);
    puts(language_text("now:"));
    print_members(json_object_get(device, "status"));
    print_members(json_object_get(device, "live"));
}

int command_devices(struct context *context)
{
    return show(context, "/v1/devices", print_device, print_devices);
}

/* ---- calibration ---- */

/* The member in the language: of the object, or of its "zh" where it has it. */
static const char *told(const json_t *object, const char *name)
{
    const char *english = json_path_text(object, name, "");
    return language_is_chinese() ? json_path_text(json_object_get(object, "zh"), name, english) : english;
}

static enum style about_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", told(row, "text"));
    return STYLE_NONE;
}

static enum style measured_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", told(row, "measured"));
    return STYLE_FAINT;
}

static const struct rows_table_column constants[] = {
    {"constants", NULL, SHEET_LEFT, .path = "name", .style = STYLE_STRONG},
    {"value", NULL, SHEET_RIGHT, .path = "value", .form = ROWS_TABLE_NUMBER},
    {"unit", NULL, SHEET_LEFT, .path = "unit"},
    {"spread", "%", SHEET_RIGHT, .path = "spread", .form = ROWS_TABLE_NUMBER, .factor = 100, .missing = ""},
    {"what it is", NULL, SPARE_TEXT, .cell = about_cell},
    {"found by", NULL, SPARE_TEXT, .cell = measured_cell},
    {NULL},
};

static void print_calibration(struct context *context, const json_t *document)
{
    const struct screen *screen = &context->screen;
    static const char *const members[] = {"reason", "failure", "sweep"};
    char reason[LANGUAGE_REASON_BYTES];
    const json_t *calibration = json_object_get(document, "calibration");
    printf("%s%s%s: %s%s\n", screen_style(screen, STYLE_STRONG), json_path_text(document, "device_name", "?"),
           screen_style(screen, STYLE_NONE), language_text(json_path_text(document, "state", "?")),
           json_path_true(document, "automatic")
               ? ""
               : language_text("; a new one is made only when it is asked for"));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (json_path_text(document, members[i], NULL))
            printf("  %-12s %s\n", language_text(members[i]),
                   language_reason(json_path_text(document, members[i], NULL), reason));
    if (!json_is_object(calibration))
        return;
    printf(language_text("  of           %s, %s, driver %s, build %s\n"),
           json_path_text(calibration, "name", "?"), json_path_text(calibration, "arch", "?"),
           json_path_text(calibration, "driver", "?"), json_path_text(calibration, "build", "?"));
    printf(language_text("  made         from %.0f experiments, %s\n\n"),
           json_path_number(calibration, "experiments"), json_path_text(calibration, "made_at", "?"));
    rows_table_print(json_object_get(calibration, "constants"), constants, screen, stdout);
}

int command_calibration(struct context *context)
{
    char *path = fetch_path(context, "/v1/devices", context->options.words[0], "/calibration");
    const char *method = context->options.given[OPTION_AGAIN] ? "POST" : "GET";
    int status = fetch_show_to(stdout, context, &(struct http_client_request){.method = method, .path = path},
                               print_calibration);
    free(path);
    return status;
}

/* ---- kernels ---- */

static enum style title_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", told(row, "title"));
    return STYLE_NONE;
}

static enum style lesson_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", told(row, "lesson"));
    return STYLE_FAINT;
}

static void print_kernels(struct context *context, const json_t *document)
{
    static const struct rows_table_column columns[] = {
        {"kernel", NULL, SHEET_LEFT, .path = "name", .style = STYLE_STRONG},
        {"what it does", NULL, SHEET_LEFT, .cell = title_cell},
        {"what it shows", NULL, SPARE_TEXT | SHEET_CUT, .cell = lesson_cell},
        {NULL},
    };
    rows_table_print(json_object_get(document, "kernels"), columns, &context->screen, stdout);
}

/* "0 to size" or "ca cg ldg": what a parameter may be. */
static enum style range_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    char least[JSON_PATH_TEXT_BYTES], most[JSON_PATH_TEXT_BYTES];
    size_t i;
    json_t *value;
    json_array_foreach (json_object_get(row, "values"), i, value)
        json_path_append(text, ROWS_TABLE_CELL_BYTES, "%s%lld", i ? " " : "", json_integer_value(value));
    json_path_value(least, json_object_get(row, json_object_get(row, "choices") ? "choices" : "min"));
    json_path_value(most, json_object_get(row, "max"));
    if (!*text)
        snprintf(text, ROWS_TABLE_CELL_BYTES, "%s%s%s", least, *most ? language_text(" to ") : "", most);
    return STYLE_NONE;
}

/* What a parameter is, on lines of its own: a column would be too narrow for it. */
static void print_meaning(const json_t *row)
{
    const char *unit = json_path_text(row, "unit", "");
    printf("  %s: %s%s%s\n", json_path_text(row, "name", ""), told(row, "text"),
           *unit ? language_text(", in ") : "", *unit ? language_text(unit) : "");
}

/* What every kernel has besides its own parameters. */
static const char *shape_text(const char *name, bool matrix)
{
    return strcmp(name, "dtype") == 0   ? language_text("type of an element")
           : strcmp(name, "block") == 0 ? language_text("threads of a block, at most 1024")
           : strcmp(name, "size") != 0  ? ""
           : matrix                     ? language_text("rows and columns of a matrix")
                                        : language_text("number of elements");
}

static void print_kernel(struct context *context, const json_t *kernel)
{
    static const struct rows_table_column columns[] = {
        {"parameter", NULL, SHEET_LEFT, .path = "name", .style = STYLE_STRONG},
        {"unless given", NULL, SHEET_LEFT, .path = "default"},
        {"may be", NULL, SHEET_LEFT, .cell = range_cell},
        {NULL},
    };
    const struct screen *screen = &context->screen;
    json_t *rows = json_array(), *value;
    const char *name;
    size_t i;
    printf("%s%s%s: %s\n  %s\n  %s\n\n", screen_style(screen, STYLE_STRONG),
           json_path_text(kernel, "name", ""), screen_style(screen, STYLE_NONE), told(kernel, "title"),
           told(kernel, "text"), told(kernel, "lesson"));
    json_object_foreach (json_object_get(kernel, "defaults"), name, value) {
        json_t *row = json_pack("{s:s, s:O, s:s}", "name", name, "default", value, "text",
                                shape_text(name, json_is_array(value)));
        if (strcmp(name, "dtype") == 0)
            json_object_set(row, "choices", json_object_get(kernel, "dtypes"));
        json_array_append_new(rows, row);
    }
    json_array_append_new(rows,
                          json_pack("{s:s, s:s}", "name", "grid", "text",
                                    json_path_true(kernel, "grid_stride")
                                        ? language_text("blocks; at most as many as the device holds at once "
                                                        "unless given")
                                        : language_text("blocks; as many as cover the size unless given")));
    json_array_extend(rows, json_object_get(kernel, "parameters"));
    rows_table_print(rows, columns, screen, stdout);
    putchar('\n');
    json_array_foreach (rows, i, value)
        print_meaning(value);
    json_decref(rows);
}

int command_kernels(struct context *context)
{
    return show(context, "/v1/kernels", print_kernel, print_kernels);
}
