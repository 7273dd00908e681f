#include "client/commands/commands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/commands/queue_command.h"
#include "client/terminal/interrupt.h"
#include "client/terminal/number.h"
#include "client/terminal/full_screen.h"
#include "client/terminal/sheet.h"
#include "client/work/fetch.h"

enum { DRAWN_MOST = 8, WAITING_MOST = 20 };

struct look {
    json_t *queue, *waiting, *device[DRAWN_MOST], *running[DRAWN_MOST];
    json_t *devices; /* where they are more than are drawn: the list of all */
    size_t count;
};

static void forget(struct look *look)
{
    json_decref(look->queue);
    json_decref(look->waiting);
    for (size_t i = 0; i < look->count; i++) {
        json_decref(look->device[i]);
        json_decref(look->running[i]);
    }
    json_decref(look->devices);
    *look = (struct look){0};
}

static int take_look(struct context *context, struct look *look)
{
    char path[128];
    json_t *row;
    size_t i;
    int status = fetch_json(context, "/v1/queue", &look->queue);
    snprintf(path, sizeof path, "/v1/experiments?state=queued&page_size=%d", WAITING_MOST);
    if (status == EXIT_FINE)
        status = fetch_json(context, path, &look->waiting);
    if (status == EXIT_FINE && json_array_size(json_object_get(look->queue, "devices")) > DRAWN_MOST)
        return fetch_json(context, "/v1/devices", &look->devices);
    json_array_foreach (json_object_get(look->queue, "devices"), i, row) {
        if (status != EXIT_FINE)
            break;
        snprintf(path, sizeof path, "/v1/devices/%.0f", json_path_number(row, "device"));
        look->count = i + 1;
        status = fetch_json(context, path, &look->device[i]);
        if (status == EXIT_FINE && json_path_text(row, "running", NULL)) {
            snprintf(path, sizeof path, "/v1/experiments/%s", json_path_text(row, "running", ""));
            struct answer answer;
            status =
                http_client_ask(&context->service,
                                &(struct question){.method = "GET", .path = path, .may_miss = true}, &answer);
            if (status == EXIT_FINE)
                look->running[i] = json_loads(answer.body.data, 0, NULL);
            answer_free(&answer);
        }
    }
    return status;
}

static void add_reading(FILE *out, const json_t *live, const char *name, const char *unit)
{
    double value = json_path_number(live, name);
    if (isfinite(value))
        fprintf(out, "  %.0f %s", value, unit);
}

static void print_device(FILE *out, const struct screen *screen, const struct look *look, size_t i)
{
    const json_t *row = json_array_get(json_object_get(look->queue, "devices"), i), *device = look->device[i];
    const json_t *live = json_object_get(device, "live"), *running = look->running[i];
    char text[NUMBER_BYTES];
    const char *why = json_path_text(device, "status.reason", NULL);
    fprintf(out, "%s%s%s %s  %s%s%s", screen_style(screen, STYLE_STRONG),
            json_path_text(row, "device_name", "?"), screen_style(screen, STYLE_NONE),
            json_path_text(device, "name", "not known yet"), json_path_text(device, "readiness", ""),
            why ? ": " : "", why ? why : "");
    add_reading(out, live, "sm_clock_mhz", "MHz");
    add_reading(out, live, "temperature_c", "C");
    add_reading(out, live, "power_w", "W");
    add_reading(out, live, "utilisation_pct", "% busy");
    if (json_path_true(row, "paused"))
        fprintf(out, "  %spaused%s", screen_style(screen, STYLE_WORSE), screen_style(screen, STYLE_NONE));
    fputc('\n', out);
    if (json_path_text(running, "id", NULL))
        fprintf(out, "  runs %s of %s  %s\n", json_path_text(running, "request.kernel", "?"),
                json_path_text(running, "owner", "nobody"), json_path_text(running, "id", ""));
    else
        fputs("  nothing runs\n", out);
    double eta = json_path_number(row, "eta_seconds");
    number_duration(text, eta);
    fprintf(out, "  %.0f queued%s%s\n", json_path_number(row, "queued"),
            eta < 0.1 ? ", a new one would begin at once"
            : *text   ? ", a new one would begin in about "
                      : "",
            eta < 0.1 ? "" : text);
}

/* Of many devices a line each, without what only each of them could be asked for. */
static void print_many(FILE *out, const struct screen *screen, const struct look *look)
{
    struct sheet *sheet = sheet_new();
    sheet_column(sheet, SHEET_LEFT, "device", "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, "what it is", "");
    sheet_column(sheet, SHEET_LEFT, "state", "");
    sheet_column(sheet, SHEET_LEFT, "runs", "");
    sheet_column(sheet, SHEET_RIGHT, "queued", "");
    size_t i, k;
    json_t *row, *one;
    json_array_foreach (json_object_get(look->queue, "devices"), i, row) {
        const char *name = json_path_text(row, "device_name", "?");
        const json_t *device = NULL;
        sheet_cell(sheet, STYLE_STRONG, name);
        json_array_foreach (json_object_get(look->devices, "devices"), k, one)
            if (strcmp(json_path_text(one, "device_name", ""), name) == 0)
                device = one;
        sheet_cell(sheet, STYLE_NONE, json_path_text(device, "name", "?"));
        sheet_format(sheet, STYLE_NONE, "%s%s", json_path_text(device, "readiness", "?"),
                     json_path_true(row, "paused") ? ", paused" : "");
        sheet_cell(sheet, STYLE_NONE, json_path_text(row, "running", ""));
        sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(row, "queued"));
    }
    sheet_print(sheet, screen, out);
    sheet_free(sheet);
}

static void print_look(FILE *out, const struct screen *screen, const struct look *look)
{
    for (size_t i = 0; i < look->count; i++)
        print_device(out, screen, look, i);
    if (look->devices)
        print_many(out, screen, look);
    if (json_path_true(look->queue, "paused"))
        fputs("the whole queue is paused\n", out);
    fputc('\n', out);
    queue_command_print(look->queue, screen, out);
    size_t i;
    json_t *row;
    const json_t *waiting = json_object_get(look->waiting, "experiments");
    if (json_array_size(waiting) > 0)
        fprintf(out, "\n%squeued last%s\n", screen_style(screen, STYLE_STRONG),
                screen_style(screen, STYLE_NONE));
    json_array_foreach (waiting, i, row)
        fprintf(out, "  %s  %s  %s\n", json_path_text(row, "id", ""), json_path_text(row, "kernel", ""),
                json_path_text(row, "owner", "nobody"));
}

static int show_once(struct context *context, bool page)
{
    struct look look = {0};
    char *text = NULL;
    size_t size = 0;
    int status = take_look(context, &look);
    FILE *out = status == EXIT_FINE && page ? open_memstream(&text, &size) : NULL;
    if (status == EXIT_FINE)
        print_look(out ? out : stdout, &context->screen, &look);
    if (out) {
        fclose(out);
        full_screen_show(&context->screen, text);
    }
    free(text);
    forget(&look);
    return status;
}

int command_top(struct context *context)
{
    struct options *options = &context->options;
    struct error error = {0};
    double seconds;
    if (options_number(options, OPTION_INTERVAL, 1, 0.1, 3600, &seconds, &error) != 0)
        return context_usage(context, &error);
    if (options->given[OPTION_JSON])
        return fetch_copy(context, "/v1/queue", NULL, stdout);
    if (!context->screen.out || options->given[OPTION_ONCE])
        return show_once(context, false);
    bool quiet = context->screen.quiet;
    int status =
        show_once(context, false); /* what is wrong with the address is told before the screen changes */
    if (status != EXIT_FINE)
        return status;
    full_screen_open();
    context->screen.quiet = true;
    do {
        screen_measure(&context->screen);
        status = show_once(context, true);
    } while (status == EXIT_FINE && full_screen_wait(seconds));
    full_screen_close();
    context->screen.quiet = quiet;
    return status == EXIT_INTERRUPTED || interrupt_came() ? EXIT_FINE : status;
}
