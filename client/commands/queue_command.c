/* queue and top: who waits for which devices, and what runs. */
#include "client/commands/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/rows_table.h"
#include "client/terminal/interrupt.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"
#include "client/work/fetch.h"

enum { DEVICES_NAMED = 3 };

/* Devices by the work that waits for them, in the order of the list: {text: [device, ...]}, where the text
   has all owners that wait. The caller releases it. */
static json_t *groups_of(const json_t *queue)
{
    json_t *groups = json_object(), *device, *owner;
    size_t i, k;
    json_array_foreach (json_object_get(queue, "devices"), i, device) {
        json_t *waits = json_array();
        json_array_foreach (json_object_get(device, "owners"), k, owner)
            if (json_path_number(owner, "queued") > 0)
                json_array_append_new(waits, json_pack("[O?, O?, O?]", json_object_get(owner, "owner"),
                                                       json_object_get(owner, "queued"),
                                                       json_object_get(owner, "next")));
        char *text = json_array_size(waits) ? json_dumps(waits, JSON_COMPACT) : NULL;
        if (text && !json_object_get(groups, text))
            json_object_set_new(groups, text, json_array());
        if (text)
            json_array_append(json_object_get(groups, text), device);
        free(text);
        json_decref(waits);
    }
    return groups;
}

/* "h200-1, h200-2 and 6 more" */
static void devices_text(char text[JSON_PATH_TEXT_BYTES], const json_t *devices)
{
    size_t i;
    json_t *device;
    text[0] = '\0';
    json_array_foreach (devices, i, device)
        if (i < DEVICES_NAMED)
            json_path_append(text, JSON_PATH_TEXT_BYTES, "%s%s", i ? language_text(", ") : "",
                             json_path_text(device, "device_name", "?"));
    if (i > DEVICES_NAMED)
        json_path_append(text, JSON_PATH_TEXT_BYTES, language_text(" and %zu more"), i - DEVICES_NAMED);
}

static void add_owner(struct sheet *sheet, const char *devices, const json_t *group, const json_t *owner)
{
    size_t i, runs = 0;
    json_t *device;
    char begins[NUMBER_BYTES];
    double share = json_path_number(owner, "share"), soonest = NAN;
    json_array_foreach (group, i, device) {
        const json_t *same =
            json_path_find(json_object_get(device, "owners"), "owner", json_object_get(owner, "owner"));
        runs += json_path_true(same, "running");
        soonest = fmin(soonest, json_path_number(same, "begins_seconds"));
    }
    number_duration(begins, soonest);
    sheet_cell(sheet, STYLE_NONE, devices);
    sheet_cell(sheet, STYLE_NONE, json_path_text(owner, "owner", language_text("nobody")));
    sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(owner, "queued"));
    sheet_format(sheet, STYLE_NONE, runs ? "%zu" : "", runs);
    sheet_cell(sheet, STYLE_NONE, begins);
    sheet_format(sheet, STYLE_NONE, "%.1f", share * 100);
}

/* Prints a reason that was not printed yet; NULL: none. */
static void print_reason(const char *why, json_t *printed, FILE *out)
{
    char reason[LANGUAGE_REASON_BYTES];
    if (!why || json_object_get(printed, why))
        return;
    fprintf(out, "%s\n", language_reason(why, reason));
    json_object_set_new(printed, why, json_true());
}

/* Why work cannot begin on these devices. */
static void print_reasons(const json_t *devices, json_t *printed, FILE *out)
{
    size_t i;
    json_t *device;
    json_array_foreach (devices, i, device)
        print_reason(json_path_text(device, "waits_for", NULL), printed, out);
}

/* Prints why experiments that wait cannot start, a line for each group of devices to which a reason applies. */
static void print_block_reasons(const json_t *groups, json_t *printed, FILE *out)
{
    const char *text;
    const json_t *group, *device;
    size_t i;
    json_object_foreach ((json_t *)groups, text, group) {
        bool all = true;
        json_array_foreach (group, i, device)
            all &= json_path_text(device, "waits_for", NULL) != NULL;
        if (all)
            print_reasons(group, printed, out);
    }
}

/* INFINITY: not known. */
static double begins_s(const json_t *owner)
{
    double seconds = json_path_number(owner, "begins_seconds");
    return isfinite(seconds) ? seconds : INFINITY;
}

/* The owners who have something queued, sorted by when it begins; then those of unknown begin, in the service's order, as
   who has something that runs and nothing else. The caller releases it. */
static json_t *busy_owners(const json_t *owners)
{
    json_t *busy = json_array(), *owner;
    size_t i;
    json_array_foreach (owners, i, owner) {
        size_t at = json_array_size(busy);
        while (at > 0 && begins_s(owner) < begins_s(json_array_get(busy, at - 1)))
            at--;
        if (json_path_number(owner, "queued") > 0 || json_path_true(owner, "running"))
            json_array_insert(busy, at, owner);
    }
    return busy;
}

static void print_overrides(const json_t *groups, FILE *out)
{
    const char *text;
    json_t *group, *owner;
    size_t i;
    json_object_foreach ((json_t *)groups, text, group)
        json_array_foreach (json_object_get(json_array_get(group, 0), "owners"), i, owner)
            if (json_path_number(owner, "overrides") > 0) {
                char devices[JSON_PATH_TEXT_BYTES];
                devices_text(devices, group);
                fprintf(out, language_text("%s: before all others, by an admin's priority: %.0f of %s\n"),
                        devices, json_path_number(owner, "overrides"),
                        json_path_text(owner, "owner", language_text("nobody")));
            }
}

static void print_groups(const json_t *groups, const struct screen *screen, FILE *out)
{
    json_t *group, *owner;
    const char *text;
    size_t i;
    struct sheet *sheet = sheet_new();
    sheet_column(sheet, SHEET_LEFT, language_text("device"), "");
    sheet_column(sheet, SHEET_LEFT, language_text("owner"), language_text("next first"));
    sheet_column(sheet, SHEET_RIGHT, language_text("queued"), "");
    sheet_column(sheet, SHEET_RIGHT, language_text("running"), "");
    sheet_column(sheet, SHEET_RIGHT, language_text("begins in"), "");
    sheet_column(sheet, SHEET_RIGHT, language_text("share"), language_text("% of time"));
    json_object_foreach ((json_t *)groups, text, group) {
        char devices[JSON_PATH_TEXT_BYTES];
        devices_text(devices, group);
        json_t *busy = busy_owners(json_object_get(json_array_get(group, 0), "owners"));
        json_array_foreach (busy, i, owner)
            add_owner(sheet, devices, group, owner);
        json_decref(busy);
    }
    sheet_print(sheet, screen, out);
    print_overrides(groups, out);
}

/* queue: the document of /v1/queue. Devices for which the same work waits share their rows. */
static void print_queue(const json_t *queue, const struct screen *screen, FILE *out)
{
    json_t *groups = groups_of(queue), *printed = json_object();
    if (json_object_size(groups)) {
        print_groups(groups, screen, out);
        print_block_reasons(groups, printed, out);
    } else {
        fputs(language_text("Nobody waits.\n"), out);
        print_reasons(json_object_get(queue, "devices"), printed, out);
    }
    print_reason(json_path_text(queue, "refuses", NULL), printed, out);
    /* The reason of a device names a pause, except while the service cannot write; without devices there is none. */
    if (json_path_true(queue, "paused") &&
        !strstr(json_path_text(queue, "devices.0.waits_for", ""), "the queue is paused"))
        fputs(language_text("the whole queue is paused\n"), out);
    json_decref(printed);
    json_decref(groups);
}

static void print_whole_queue(struct context *context, const json_t *queue)
{
    print_queue(queue, &context->screen, stdout);
    printf(language_text("%.0f queued, %.0f running\n"), json_path_number(queue, "queued"),
           json_path_number(queue, "running"));
}

int command_queue(struct context *context)
{
    return fetch_show(context, "/v1/queue", print_whole_queue);
}

/* ---- top ---- */

enum { DRAWN_MAX = 8, WAITING_MAX = 20 };

/* Adds the experiment that runs there, and the device's own document, to a row of the queue's devices. */
static int fetch_row(struct context *context, json_t *row)
{
    char path[128];
    json_t *about, *experiment;
    snprintf(path, sizeof path, "/v1/devices/%.0f", json_path_number(row, "device"));
    int status = fetch_json(context, path, &about);
    json_object_set_new(row, "about", about);
    if (status != EXIT_FINE || !json_path_text(row, "running", NULL))
        return status;
    snprintf(path, sizeof path, "/v1/experiments/%s", json_path_text(row, "running", ""));
    status = fetch_document(
        context, &(struct http_client_request){.method = "GET", .path = path, .accept_status = 404},
        &experiment);
    json_object_set_new(row, "experiment", experiment);
    return status;
}

/* The document of /v1/queue, to which "waiting" is added, and "about" to each device; where there are no more
   than DRAWN_MAX, "experiment" too. NULL or a part of it when the status is not EXIT_FINE. */
static int fetch_snapshot(struct context *context, json_t **queue)
{
    char path[128];
    json_t *row, *waiting = NULL, *devices = NULL;
    size_t i;
    int status = fetch_json(context, "/v1/queue", queue);
    const json_t *rows = json_object_get(*queue, "devices");
    bool many = json_array_size(rows) > DRAWN_MAX;
    snprintf(path, sizeof path, "/v1/experiments?state=queued&page_size=%d", WAITING_MAX);
    if (status == EXIT_FINE)
        status = fetch_json(context, path, &waiting);
    json_t *listed = json_object_get(waiting, "experiments");
    for (i = json_array_size(listed); i-- > 0;)
        if (rows_table_unwritten(json_array_get(listed, i)))
            json_array_remove(listed, i);
    json_object_set(*queue, "waiting", listed);
    if (status == EXIT_FINE && many)
        status = fetch_json(context, "/v1/devices", &devices);
    json_array_foreach (rows, i, row)
        if (many)
            json_object_set(row, "about",
                            json_path_find(json_object_get(devices, "devices"), "device_name",
                                           json_object_get(row, "device_name")));
        else if (status == EXIT_FINE)
            status = fetch_row(context, row);
    json_decref(waiting);
    json_decref(devices);
    return status;
}

static void add_reading(FILE *out, const json_t *live, const char *name, const char *unit)
{
    double value = json_path_number(live, name);
    if (isfinite(value))
        fprintf(out, "  %.0f %s", value, unit);
}

static void print_device(FILE *out, const struct screen *screen, const json_t *row)
{
    const json_t *device = json_object_get(row, "about"), *running = json_object_get(row, "experiment"),
                 *live = json_object_get(device, "live");
    const char *why = json_path_text(device, "status.reason", NULL);
    char text[NUMBER_BYTES], reason[LANGUAGE_REASON_BYTES];
    fprintf(out, "%s%s%s %s  %s%s%s", screen_style(screen, STYLE_STRONG),
            json_path_text(row, "device_name", "?"), screen_style(screen, STYLE_NONE),
            json_path_text(device, "name", language_text("not known yet")),
            language_text(json_path_text(device, "readiness", "")), why ? language_text(": ") : "",
            why ? language_reason(why, reason) : "");
    add_reading(out, live, "sm_clock_mhz", "MHz");
    add_reading(out, live, "temperature_c", "C");
    add_reading(out, live, "power_w", "W");
    add_reading(out, live, "utilisation_pct", language_text("% busy"));
    if (json_path_true(row, "paused"))
        fprintf(out, language_text("  %spaused%s"), screen_style(screen, STYLE_WORSE),
                screen_style(screen, STYLE_NONE));
    fputc('\n', out);
    if (json_path_text(running, "id", NULL))
        fprintf(out, language_text("  runs %s of %s  %s\n"), json_path_text(running, "request.kernel", "?"),
                json_path_text(running, "owner", language_text("nobody")), json_path_text(running, "id", ""));
    else
        fputs(language_text("  nothing runs\n"), out);
    double eta = json_path_number(row, "eta_seconds");
    number_duration(text, eta);
    fprintf(out, language_text("  %.0f queued%s%s\n"), json_path_number(row, "queued"),
            eta < 0.1 ? language_text(", a new one would begin at once")
            : *text   ? language_text(", a new one would begin in about ")
                      : "",
            eta < 0.1 ? "" : text);
}

static enum style state_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s%s", language_text(json_path_text(row, "about.readiness", "?")),
             json_path_true(row, "paused") ? language_text(", paused") : "");
    return STYLE_NONE;
}

/* Where there are many devices, they have a line each without readings, which would take a request each. */
static void print_snapshot(FILE *out, const struct screen *screen, const json_t *queue)
{
    static const struct rows_table_column columns[] = {
        {"device", NULL, SHEET_LEFT, .path = "device_name", .style = STYLE_STRONG, .missing = "?"},
        {"what it is", NULL, SHEET_LEFT | SHEET_SPARE, .path = "about.name", .missing = "?"},
        {"state", NULL, SHEET_LEFT, .cell = state_cell},
        {"runs", NULL, SHEET_LEFT, .path = "running"},
        {"queued", NULL, SHEET_RIGHT, .path = "queued", .form = ROWS_TABLE_WHOLE},
        {NULL},
    };
    const json_t *devices = json_object_get(queue, "devices"), *waiting = json_object_get(queue, "waiting");
    bool many = json_array_size(devices) > DRAWN_MAX;
    size_t i;
    json_t *row;
    if (many)
        rows_table_print(devices, columns, screen, out);
    json_array_foreach (devices, i, row)
        if (!many)
            print_device(out, screen, row);
    fputc('\n', out);
    print_queue(queue, screen, out);
    if (json_array_size(waiting) > 0)
        fprintf(out, language_text("\n%squeued last%s\n"), screen_style(screen, STYLE_STRONG),
                screen_style(screen, STYLE_NONE));
    json_array_foreach (waiting, i, row) {
        char kernel[ROWS_TABLE_CELL_BYTES];
        rows_table_kernel(kernel, row);
        fprintf(out, "  %s  %s  %s\n", json_path_text(row, "id", ""), kernel,
                json_path_text(row, "owner", language_text("nobody")));
    }
    size_t listed = json_array_size(waiting);
    double queued = json_path_number(queue, "queued");
    if (listed == WAITING_MAX && queued > (double)listed)
        fprintf(out, language_text("  and %.0f more, which were queued before: coalesce ls --state queued\n"),
                queued - (double)listed);
}

static int show_once(struct context *context, bool page)
{
    json_t *queue;
    char *text = NULL;
    size_t size = 0;
    int status = fetch_snapshot(context, &queue);
    FILE *out = status == EXIT_FINE && page ? open_memstream(&text, &size) : NULL;
    if (status == EXIT_FINE)
        print_snapshot(out ? out : stdout, &context->screen, queue);
    if (out) {
        fclose(out);
        screen_page_show(&context->screen, text);
    }
    free(text);
    json_decref(queue);
    return status;
}

int command_top(struct context *context)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    double seconds;
    if (context_number(options, OPTION_INTERVAL, 1, 0.1, 3600, &seconds, &error) != 0)
        return context_usage(context, &error);
    if (options->given[OPTION_JSON])
        return command_queue(context);
    if (!context->screen.out || options->given[OPTION_ONCE])
        return show_once(context, false);
    bool quiet = context->screen.quiet;
    json_t *first;
    int status = fetch_snapshot(context, &first); /* errors are printed before the screen changes */
    json_decref(first);
    if (status != EXIT_FINE)
        return status;
    screen_page_open();
    context->screen.quiet = true;
    do {
        screen_measure(&context->screen);
        status = show_once(context, true);
    } while (status == EXIT_FINE && screen_page_wait(seconds));
    screen_page_close();
    context->screen.quiet = quiet;
    return status == EXIT_INTERRUPTED || interrupt_received() ? EXIT_FINE : status;
}
