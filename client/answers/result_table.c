/* An experiment as text. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/words.h"
#include "client/answers/json_path.h"
#include "client/answers/point_figures.h"
#include "client/answers/rows_table.h"
#include "client/manual/command_table.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"

/* "device=arch=sm_90,counters=on" */
static void print_conditions(const json_t *device)
{
    const char *name, *between = " device=";
    json_t *value;
    json_object_foreach ((json_t *)device, name, value) {
        char text[JSON_PATH_TEXT_BYTES];
        json_path_value(text, value);
        printf("%s%s=%s", between, name, text);
        between = ",";
    }
}

/* The runs that were lost, each with its reason. */
static void print_lost(const json_t *experiment)
{
    size_t i;
    json_t *row;
    char why[LANGUAGE_REASON_BYTES];
    json_array_foreach (json_object_get(experiment, "lost"), i, row)
        printf(language_text("run %.0f was lost, on %s at %s: %s\n"), json_path_number(row, "attempt"),
               json_path_text(row, "device_name", language_text("a device that is gone")),
               json_path_text(row, "at", "?"), language_reason(json_path_text(row, "why", "?"), why));
}

bool answers_kernel_is_own(const char *name)
{
    return strncmp(name, "src-", 4) == 0;
}

void answers_print_launch(const json_t *request)
{
    static const char *const members[] = {"size", "block", "grid"};
    char text[JSON_PATH_TEXT_BYTES];
    if (!request)
        return;
    putchar(' ');
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        json_path_value(text, json_object_get(request, members[i]));
        printf(" %s=%s", members[i], text);
    }
    putchar('\n');
}

/* The members of the request, without those that are rarely of interest. */
static void print_request(const json_t *request)
{
    static const char hidden[] = "kernel measure labels counters transfers timeout_s";
    const char *name;
    json_t *value;
    putchar(' ');
    json_object_foreach ((json_t *)request, name, value) {
        char text[JSON_PATH_TEXT_BYTES];
        json_path_value(text, value);
        bool usual = strcmp(name, "priority") == 0 && strcmp(text, "0") == 0;
        if (!words_contain(hidden, name) && *text && !usual)
            printf(" %s=%s", name, text);
        if (strcmp(name, "device") == 0)
            print_conditions(value);
    }
    json_object_foreach (json_object_get(request, "labels"), name, value)
        printf(" label.%s=%s", name, json_string_value(value));
    putchar('\n');
}

static void print_times(const json_t *experiment, const struct screen *screen)
{
    static const char *const kinds[] = {"cold", "hot"};
    const struct point_figures figures[] = {point_figures_of("cold"), point_figures_of("hot")};
    struct sheet *sheet = sheet_new();
    bool peak = isfinite(point_figures_number(experiment, figures[0].peak)) ||
                isfinite(point_figures_number(experiment, figures[1].peak));
    sheet_column(sheet, SHEET_LEFT, "", "");
    point_figures_column(sheet, screen, SHEET_RIGHT, figures[1].median, language_text("median"),
                         language_text(", 95 %"));
    point_figures_column(sheet, screen, SHEET_RIGHT, figures[1].rate, NULL, "");
    if (peak)
        point_figures_column(sheet, screen, SHEET_RIGHT | SHEET_SPARE, figures[1].peak, NULL, "");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, language_text("samples"), "");
    for (size_t i = 0; i < 2; i++) {
        char samples[64];
        if (!isfinite(point_figures_number(experiment, figures[i].median)))
            continue;
        snprintf(samples, sizeof samples, "timing.%s.samples", kinds[i]);
        sheet_cell(sheet, STYLE_NONE, language_text(kinds[i]));
        point_figures_time_cell(sheet, screen, STYLE_STRONG, experiment, &figures[i]);
        point_figures_cell(sheet, experiment, figures[i].rate);
        if (peak)
            point_figures_cell(sheet, experiment, figures[i].peak);
        sheet_format(sheet, STYLE_NONE, "%.0f", json_path_number(experiment, samples));
    }
    sheet_print(sheet, screen, stdout);
    if (strcmp(json_path_text(experiment, "timing.hot.interval_of",
                              json_path_text(experiment, "timing.cold.interval_of", "")),
               "placement") == 0)
        printf(language_text(
                   "%san interval holds where these arrays lie; repeat=6 gives one for other places too%s\n"),
               screen_style(screen, STYLE_FAINT), screen_style(screen, STYLE_NONE));
}

/* "; loads 50 % efficient, 131,071 lines" */
static const char *print_side(const json_t *made, const char *side, const char *name, const char *between)
{
    char path[64], text[NUMBER_BYTES];
    snprintf(path, sizeof path, "%s_efficiency_pct", side);
    double efficiency = json_path_number(made, path);
    if (!isfinite(efficiency))
        return between;
    snprintf(path, sizeof path, "%s_transactions", side);
    long long count = (long long)json_path_number(made, path);
    number_count(text, count);
    snprintf(path, sizeof path, "%s_unit", side);
    printf(language_text("%s %s %.4g %% efficient, %s %s"), between, name, efficiency, text,
           answers_unit_words(json_path_text(made, path, "sector"), (size_t)count));
    return language_text(";");
}

/* Transactions as predicted, in the units of that chip. */
static void print_predicted(const json_t *experiment)
{
    const json_t *made = json_path_at(experiment, "prediction");
    const double atomics = json_path_number(made, "atomic_sectors");
    const char *between = "";
    if (!isfinite(json_path_number(made, "gld_efficiency_pct")) &&
        !isfinite(json_path_number(made, "gst_efficiency_pct")) && !(atomics > 0))
        return;
    printf(language_text("predicted (%s):"), json_path_text(made, "arch", "?"));
    between = print_side(made, "gld", language_text("loads"), between);
    between = print_side(made, "gst", language_text("stores"), between);
    if (atomics > 0) {
        char text[NUMBER_BYTES];
        number_count(text, (long long)atomics);
        printf(language_text("%s atomics %s %s"), between, text,
               answers_unit_words("sector", (size_t)atomics));
    }
    putchar('\n');
    const char *inexact = answers_inexact(made);
    if (inexact)
        puts(inexact);
}

/* Transactions as counted, where there are counters. */
static void print_counted(const json_t *experiment)
{
    const json_t *counters = json_path_at(experiment, "counters");
    char reason[LANGUAGE_REASON_BYTES];
    if (strcmp(json_path_text(counters, "status", ""), "measured") == 0) {
        const json_t *equal = json_path_at(counters, "against_prediction.equal");
        printf(language_text("counted: loads %.4g %% efficient, stores %.4g %% efficient; %s\n"),
               json_path_number(counters, "gld_efficiency_pct"),
               json_path_number(counters, "gst_efficiency_pct"),
               json_is_true(equal)    ? language_text("equal to the prediction")
               : json_is_false(equal) ? language_text("not as predicted")
                                      : language_text("not comparable with the prediction"));
    } else if (strcmp(json_path_text(counters, "status", ""), "unavailable") == 0) {
        printf(language_text("counters: no value, %s\n"),
               language_reason(json_path_text(counters, "reason", "?"), reason));
    }
}

void answers_print_limits(const json_t *occupancy)
{
    double part = json_path_number(occupancy, "theoretical");
    if (!isfinite(part))
        return;
    bool most = json_is_null(json_path_at(occupancy, "registers_per_thread")); /* which may allow less */
    printf(language_text("occupancy (%s): %s%.0f %%, %.0f blocks and %.0f of %.0f warps a multiprocessor"),
           json_path_text(occupancy, "arch", "?"), most && part > 0 ? language_text("at most ") : "",
           part * 100, json_path_number(occupancy, "blocks_per_sm"),
           json_path_number(occupancy, "warps_per_sm"), json_path_number(occupancy, "max_warps_per_sm"));
    size_t i;
    json_t *limit;
    json_array_foreach (json_object_get(occupancy, "limited_by"), i, limit)
        printf("%s%s", language_text(i ? ", " : "; limited by "),
               answers_limit_words(json_string_value(limit)));
    putchar('\n');
}

static void print_stability(const json_t *experiment, const struct screen *screen)
{
    size_t i;
    json_t *reason;
    char text[LANGUAGE_REASON_BYTES];
    json_array_foreach (json_path_at(experiment, "stability.reasons"), i, reason)
        printf("%s%s %s%s%s\n", screen_style(screen, STYLE_WORSE), screen->ascii ? "!" : "△",
               language_text("not stable: "), language_reason(json_string_value(reason), text),
               screen_style(screen, STYLE_NONE));
    if (json_path_true(experiment, "timing.near_floor"))
        printf(language_text("the cold time is mostly the launch: an empty kernel takes %.4g %s\n"),
               json_path_number(experiment, "timing.floor_us"), screen_unit(screen, "us"));
}

/* What the headline has of a result: the operations of a kernel that is about them, else the bandwidth.
   NULL: it has neither. */
static const struct figure *headline_figure(const json_t *experiment, bool steps, const struct figure *rate)
{
    const struct figure *ns = point_figures_find("hot_ns_per_operation"),
                        *gops = point_figures_find("hot_gops");
    if (isfinite(point_figures_number(experiment, ns)) && isfinite(point_figures_number(experiment, gops)))
        return steps ? ns : gops;
    return isfinite(point_figures_number(experiment, rate)) ? rate : NULL;
}

static void print_headline(const json_t *experiment, const struct screen *screen)
{
    bool unwritten = json_path_true(experiment, "unwritten");
    const char *state = unwritten ? "ended, not written" : json_path_text(experiment, "state", "?"),
               *strong = screen_style(screen, STYLE_STRONG), *plain = screen_style(screen, STYLE_NONE),
               *kernel = json_path_text(experiment, "request.kernel", "?");
    char text[NUMBER_BYTES], name[ROWS_TABLE_CELL_BYTES];
    bool steps = strcmp(kernel, "pointer_chase") == 0;
    const char *which = point_figures_first(experiment);
    const struct point_figures first = point_figures_of(which);
    const struct figure *figure =
        strcmp(state, "succeeded") == 0 ? headline_figure(experiment, steps, first.rate) : NULL;
    rows_table_kernel(name, experiment);
    if (figure) {
        bool rate = figure == first.rate;
        double part = point_figures_number(experiment, first.peak);
        number_text(text, point_figures_number(experiment, figure));
        printf("%s%s: %s %s%s%s", strong, name, text, screen_unit(screen, figure->unit),
               steps && !rate ? language_text(" a load") : "", plain);
        printf("%s%s", language_text(", "), language_text(rate ? which : "hot"));
        number_fixed(text, part * 100, 0);
        if (isfinite(part) && rate)
            printf(language_text(", %s %% of the memory's peak"), text);
        printf(language_text(", on %s, %s\n"), json_path_text(experiment, "device_name", "?"),
               json_path_text(experiment, "device.name", "?"));
    } else {
        printf("%s%s: %s%s\n", strong, name, language_text(state), plain);
    }
    double eta = json_path_number(experiment, "eta_seconds"),
           position = json_path_number(experiment, "position");
    if (isfinite(position) && position > 0)
        printf(language_text("%.0f before it in the queue\n"), position);
    if (isfinite(eta)) {
        number_duration(text, eta);
        printf(language_text("ends in about %s\n"), text);
    }
    const char *why = json_path_text(experiment, "waits_for", NULL);
    if (why)
        printf(unwritten ? "%s\n" : language_text("it waits: %s\n"),
               language_reason(why, (char[LANGUAGE_REASON_BYTES]){0}));
    else if (json_path_true(experiment, "paused"))
        puts(language_text("its device or the queue is paused"));
}

static void print_correctness(const json_t *experiment)
{
    if (json_path_true(experiment, "correctness.verified"))
        printf(json_path_number(experiment, "correctness.elements_checked") == 1
                   ? language_text("output verified, %.0f element\n")
                   : language_text("output verified, %.0f elements\n"),
               json_path_number(experiment, "correctness.elements_checked"));
    else if (json_path_at(experiment, "correctness.mismatches"))
        printf(language_text("output WRONG in %.0f elements\n"),
               json_path_number(experiment, "correctness.mismatches"));
}

const char *answers_said(const json_t *row, const char *member, char reason[LANGUAGE_REASON_BYTES])
{
    const char *english = json_path_text(row, member, ""),
               *chinese = json_path_text(json_object_get(row, "zh"), member, NULL);
    return chinese && language_is_chinese() ? chinese : language_reason(english, reason);
}

static bool has_fault(const json_t *experiment, const char *detail)
{
    size_t i;
    json_t *fault;
    json_array_foreach (json_object_get(experiment, "faults"), i, fault)
        if (strstr(detail, json_path_text(fault, "detail", "?")))
            return true;
    return false;
}

void answers_print_result(const json_t *experiment, const struct screen *screen)
{
    print_headline(experiment, screen);
    print_request(json_path_at(experiment, "request"));
    const char *detail = json_path_text(experiment, "failure.detail", "?");
    /* What stands below, at its place, is not said here. */
    if (json_is_object(json_object_get(experiment, "failure")) && !has_fault(experiment, detail))
        printf(
            "%s%s %s%s%s%s\n", screen_style(screen, STYLE_WORSE), screen->ascii ? "x" : "✕",
            language_text(json_path_text(experiment, "failure.kind", "?")), language_text(": "),
            answers_said(json_object_get(experiment, "failure"), "detail", (char[LANGUAGE_REASON_BYTES]){0}),
            screen_style(screen, STYLE_NONE));
    if (isfinite(json_path_number(experiment, "timing.cold.median_us")) ||
        isfinite(json_path_number(experiment, "timing.hot.median_us")))
        print_times(experiment, screen);
    else if (answers_is_interpreted(experiment))
        printf(language_text("no times: %s"),
               language_reason(json_path_text(experiment, "timing.reason", "?"),
                               (char[LANGUAGE_REASON_BYTES]){0})),
            putchar('\n');
    if (!answers_is_interpreted(experiment))
        answers_print_result_time(json_object_get(experiment, "time"), screen);
    print_predicted(experiment);
    if (!answers_is_interpreted(experiment))
        print_counted(experiment);
    answers_print_limits(json_path_at(experiment, "occupancy"));
    if (!answers_print_outputs(experiment, screen)) {
        print_correctness(experiment);
        print_stability(experiment, screen);
    }
    print_lost(experiment);
    printf("%sid %s%s\n", screen_style(screen, STYLE_FAINT), json_path_text(experiment, "id", "?"),
           screen_style(screen, STYLE_NONE));
}

int answers_result_status(const json_t *experiment, bool strict)
{
    const char *state = json_path_text(experiment, "state", "");
    if (strcmp(state, "queued") == 0 || strcmp(state, "running") == 0)
        return EXIT_FINE;
    if (strcmp(state, "succeeded") != 0 || json_is_false(json_path_at(experiment, "correctness.verified")))
        return EXIT_FAILED;
    return strict && !answers_is_interpreted(experiment) && !json_path_true(experiment, "stability.stable")
               ? EXIT_UNSTABLE
               : EXIT_FINE;
}
