/* queue: who waits for which devices. */
#include "client/commands/queue_command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/commands/commands.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"
#include "client/work/fetch.h"

enum { DEVICES_NAMED = 3 };

/* What waits for a device, as a text that is the same where the same waits; to be freed. NULL: nothing. */
static char *waiting_text(const json_t *device)
{
    json_t *waits = json_array(), *owner;
    size_t i;
    json_array_foreach (json_object_get(device, "owners"), i, owner)
        if (json_path_number(owner, "queued") > 0)
            json_array_append_new(waits, json_pack("[O?, O?, O?]", json_object_get(owner, "owner"),
                                                   json_object_get(owner, "queued"),
                                                   json_object_get(owner, "next")));
    char *text = json_array_size(waits) ? json_dumps(waits, JSON_COMPACT) : NULL;
    json_decref(waits);
    return text;
}

/* Devices by what waits for them, in the order of the list: {text: [device, ...]}. New. */
static json_t *lines_of(const json_t *queue)
{
    json_t *lines = json_object(), *device;
    size_t i;
    json_array_foreach (json_object_get(queue, "devices"), i, device) {
        char *text = waiting_text(device);
        if (text && !json_object_get(lines, text))
            json_object_set_new(lines, text, json_array());
        if (text)
            json_array_append(json_object_get(lines, text), device);
        free(text);
    }
    return lines;
}

/* "h200-1, h200-2 and 6 more" */
static void devices_text(char text[FIELDS_TEXT_BYTES], const json_t *devices)
{
    size_t i;
    json_t *device;
    char more[32];
    json_path_value(text, NULL);
    json_array_foreach (devices, i, device) {
        if (i < DEVICES_NAMED)
            json_path_add(text, i ? ", " : "");
        if (i < DEVICES_NAMED)
            json_path_add(text, json_path_text(device, "device_name", "?"));
    }
    snprintf(more, sizeof more, " and %zu more", i - DEVICES_NAMED);
    if (i > DEVICES_NAMED)
        json_path_add(text, more);
}

/* The same owner's entry of one device of the line. */
static const json_t *owner_of(const json_t *device, const char *name)
{
    size_t i;
    json_t *owner;
    json_array_foreach (json_object_get(device, "owners"), i, owner)
        if (strcmp(json_path_text(owner, "owner", ""), name) == 0)
            return owner;
    return NULL;
}

static void add_owner(struct sheet *sheet, const char *devices, const json_t *line, const json_t *owner)
{
    size_t i, runs = 0;
    json_t *device;
    char begins[NUMBER_BYTES];
    double share = json_path_number(owner, "share"), soonest = NAN;
    json_array_foreach (line, i, device) {
        const json_t *same = owner_of(device, json_path_text(owner, "owner", ""));
        runs += json_path_true(same, "running");
        soonest = fmin(soonest, json_path_number(same, "begins_seconds"));
    }
    number_duration(begins, soonest);
    sheet_cell(sheet, STYLE_NONE, devices);
    sheet_cell(sheet, STYLE_NONE, json_path_text(owner, "owner", "nobody"));
    sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(owner, "queued"));
    sheet_format(sheet, STYLE_NONE, runs ? "%zu" : "", runs);
    sheet_cell(sheet, STYLE_NONE, begins);
    sheet_format(sheet, STYLE_NONE, "%.0f", share * 100);
}

/* What keeps their work from beginning: of all that share a line, when no other can take it. */
static void print_why(const json_t *lines, FILE *out)
{
    const char *text;
    const json_t *line, *device;
    size_t i;
    json_object_foreach ((json_t *)lines, text, line) {
        bool all = true;
        json_array_foreach (line, i, device)
            all &= json_path_text(device, "waits_for", NULL) != NULL;
        json_array_foreach (line, i, device)
            if (all)
                fprintf(out, "%s\n", json_path_text(device, "waits_for", ""));
    }
}

void queue_command_print(const json_t *queue, const struct screen *screen, FILE *out)
{
    struct sheet *sheet = sheet_new();
    json_t *lines = lines_of(queue), *line, *owner;
    const char *text;
    size_t i;
    sheet_column(sheet, SHEET_LEFT, "device", "");
    sheet_column(sheet, SHEET_LEFT, "owner", "next first");
    sheet_column(sheet, SHEET_RIGHT, "queued", "");
    sheet_column(sheet, SHEET_RIGHT, "running", "");
    sheet_column(sheet, SHEET_RIGHT, "begins in", "");
    sheet_column(sheet, SHEET_RIGHT, "share", "% of time");
    json_object_foreach (lines, text, line) {
        char devices[FIELDS_TEXT_BYTES];
        devices_text(devices, line);
        json_array_foreach (json_object_get(json_array_get(line, 0), "owners"), i, owner)
            if (json_path_number(owner, "queued") > 0)
                add_owner(sheet, devices, line, owner);
    }
    if (json_object_size(lines))
        sheet_print(sheet, screen, out);
    else
        fputs("Nobody waits.\n", out);
    print_why(lines, out);
    sheet_free(sheet);
    json_decref(lines);
}

int command_queue(struct context *context)
{
    json_t *queue = NULL;
    if (context->options.given[OPTION_JSON])
        return fetch_copy(context, "/v1/queue", NULL, stdout);
    int status = fetch_json(context, "/v1/queue", &queue);
    if (queue)
        queue_command_print(queue, &context->screen, stdout);
    if (queue)
        printf("%.0f queued, %.0f running%s\n", json_path_number(queue, "queued"),
               json_path_number(queue, "running"),
               json_path_true(queue, "paused") ? "; the whole queue is paused" : "");
    json_decref(queue);
    return status;
}
