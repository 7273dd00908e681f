/* The commands devices and kernels. */
#include "client/commands/command.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"
#include "client/work/fetch.h"

static void add_number(struct sheet *sheet, const json_t *row, const char *path, double factor)
{
    char text[NUMBER_BYTES];
    double value = json_path_number(row, path) * factor;
    number_text(text, value);
    if (json_is_integer(json_path_at(row, path)) && factor >= 1)
        snprintf(text, sizeof text, "%.0f", value);
    sheet_cell(sheet, STYLE_NONE, text);
}

static void print_devices(const json_t *document, const struct screen *screen)
{
    struct sheet *sheet = sheet_new();
    sheet_column(sheet, SHEET_LEFT, "device", "");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, "number", "");
    sheet_column(sheet, SHEET_LEFT, "what it is", "");
    sheet_column(sheet, SHEET_LEFT, "arch", "");
    sheet_column(sheet, SHEET_RIGHT, "memory", "GB");
    sheet_column(sheet, SHEET_RIGHT, "peak", "GB/s");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, "L2", "MB");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, "multiprocessors", "");
    sheet_column(sheet, SHEET_LEFT, "state", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "note", "");
    size_t i;
    json_t *row;
    json_array_foreach (json_object_get(document, "devices"), i, row) {
        sheet_cell(sheet, STYLE_STRONG, json_path_text(row, "device_name", "?"));
        sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(row, "index"));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "name", "not known yet"));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "arch", ""));
        add_number(sheet, row, "memory_bytes", 1e-9);
        add_number(sheet, row, "peak_gbps", 1);
        add_number(sheet, row, "l2_bytes", 1e-6);
        add_number(sheet, row, "multiprocessors", 1);
        const char *readiness = json_path_text(row, "readiness", "?"),
                   *reason = json_path_text(row, "status.reason", NULL);
        sheet_format(sheet, strcmp(readiness, "unhealthy") == 0 ? STYLE_WORSE : STYLE_NONE, "%s%s%s%s%s",
                     readiness, json_path_true(row, "paused") ? ", paused" : "",
                     json_is_false(json_object_get(row, "in_list")) ? ", not in the list" : "",
                     reason ? ": " : "", reason ? reason : "");
        sheet_cell(sheet, STYLE_FAINT, json_path_text(row, "note", ""));
    }
    sheet_print(sheet, screen, stdout);
}

/* A line for each member that is a number or a text, and for each that has a reason instead of a value. */
static void print_members(const json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        char text[JSON_PATH_TEXT_BYTES];
        json_path_value(text, value);
        bool missing = json_is_string(json_object_get(value, "reason"));
        if (missing)
            printf("  %-36s no value: %s\n", name, json_path_text(value, "reason", ""));
        else if (*text)
            printf("  %-36s %s\n", name, text);
    }
}

static void print_device(const json_t *device, const struct screen *screen)
{
    printf("%s%s%s: %s\n", screen_style(screen, STYLE_STRONG), json_path_text(device, "device_name", "?"),
           screen_style(screen, STYLE_NONE), json_path_text(device, "name", "not known yet"));
    print_members(device);
    const char *formula = json_path_text(device, "peak_bandwidth.formula", NULL);
    if (formula)
        printf("  %-36s %.4g GB/s = %s\n", "peak_bandwidth", json_path_number(device, "peak_bandwidth.gbps"),
               formula);
    puts("now:");
    print_members(json_object_get(device, "status"));
    print_members(json_object_get(device, "live"));
}

static void print_kernels(const json_t *document, const struct screen *screen)
{
    struct sheet *sheet = sheet_new();
    sheet_column(sheet, SHEET_LEFT, "kernel", "");
    sheet_column(sheet, SHEET_LEFT, "what it does", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "what it shows", "");
    size_t i;
    json_t *row;
    json_array_foreach (json_object_get(document, "kernels"), i, row) {
        sheet_cell(sheet, STYLE_STRONG, json_path_text(row, "name", ""));
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "title", ""));
        sheet_cell(sheet, STYLE_FAINT, json_path_text(row, "lesson", ""));
    }
    sheet_print(sheet, screen, stdout);
}

/* "0 to size", "1, 2, 4" or "ca cg ldg": what a parameter may be. */
static void range_text(char text[JSON_PATH_TEXT_BYTES], const json_t *parameter)
{
    const json_t *values = json_object_get(parameter, "choices");
    values = values ? values : json_object_get(parameter, "values");
    char least[JSON_PATH_TEXT_BYTES], most[JSON_PATH_TEXT_BYTES];
    size_t i, used = 0;
    json_t *value;
    text[0] = '\0';
    json_array_foreach (values, i, value) {
        json_path_value(least, value);
        if (used < JSON_PATH_TEXT_BYTES)
            used += (size_t)snprintf(text + used, JSON_PATH_TEXT_BYTES - used, "%s%s", i ? " " : "", least);
    }
    if (values)
        return;
    json_path_value(least, json_object_get(parameter, "min"));
    json_path_value(most, json_object_get(parameter, "max"));
    snprintf(text, JSON_PATH_TEXT_BYTES, "%.100s to %.100s", least, most);
}

static void print_kernel(const json_t *kernel, const struct screen *screen)
{
    char text[JSON_PATH_TEXT_BYTES];
    printf("%s%s%s: %s\n  %s\n  %s\n\n", screen_style(screen, STYLE_STRONG),
           json_path_text(kernel, "name", ""), screen_style(screen, STYLE_NONE),
           json_path_text(kernel, "title", ""), json_path_text(kernel, "text", ""),
           json_path_text(kernel, "lesson", ""));
    struct sheet *sheet = sheet_new();
    static const char *const heads[] = {"parameter", "unless given", "may be", "text"};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        sheet_column(sheet, SHEET_LEFT | (i == 3 ? SHEET_SPARE : 0), heads[i], "");
    const char *name;
    size_t i;
    json_t *row;
    json_object_foreach (json_object_get(kernel, "defaults"), name, row) {
        json_path_value(text, row);
        sheet_cell(sheet, STYLE_STRONG, name);
        sheet_cell(sheet, STYLE_NONE, text);
        sheet_cell(sheet, STYLE_NONE, "");
        sheet_cell(sheet, STYLE_NONE, "");
    }
    json_array_foreach (json_object_get(kernel, "parameters"), i, row) {
        sheet_cell(sheet, STYLE_STRONG, json_path_text(row, "name", ""));
        json_path_value(text, json_object_get(row, "default"));
        sheet_cell(sheet, STYLE_NONE, text);
        range_text(text, row);
        sheet_cell(sheet, STYLE_NONE, text);
        const char *unit = json_path_text(row, "unit", "");
        sheet_format(sheet, STYLE_FAINT, "%s%s%s", json_path_text(row, "text", ""), *unit ? ", in " : "",
                     unit);
    }
    sheet_print(sheet, screen, stdout);
}

/* Fetches and prints the one that the first word names, or the list. */
static int show(struct context *context, const char *list,
                void (*print_one)(const json_t *document, const struct screen *screen),
                void (*print_all)(const json_t *document, const struct screen *screen))
{
    char path[FETCH_PATH_BYTES];
    json_t *document = NULL;
    fetch_path(context, list, context->options.words[0], path);
    if (context->options.given[OPTION_JSON])
        return fetch_copy(context, path, NULL, stdout);
    int status = fetch_json(context, path, &document);
    if (document)
        (context->options.word_count ? print_one : print_all)(document, &context->screen);
    json_decref(document);
    return status;
}

int command_devices(struct context *context)
{
    return show(context, "/v1/devices", print_device, print_devices);
}

int command_kernels(struct context *context)
{
    return show(context, "/v1/kernels", print_kernel, print_kernels);
}
