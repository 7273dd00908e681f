/* A comparison as text. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/manual/command_table.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"

static const struct verdict_word {
    const char *name, *sign, *plain, *text;
    enum style style;
} verdicts[] = {
    {"better", "▲", "+", "better", STYLE_BETTER},
    {"worse", "▼", "-", "worse", STYLE_WORSE},
    {"same", "●", "=", "same", STYLE_FAINT},
    {"cannot_tell", "◌", "?", "cannot tell", STYLE_NONE},
};
enum { VERDICTS = sizeof verdicts / sizeof *verdicts, DIFFERENCES_MAX = 12 };
enum { NEEDS_MOST = 1000 }; /* further runs: the service counts up to that, see needs in openapi.yaml */

static const struct verdict_word *find(const char *name)
{
    for (int i = 0; i < VERDICTS; i++)
        if (strcmp(verdicts[i].name, name) == 0)
            return &verdicts[i];
    return &verdicts[VERDICTS - 1];
}

/* "580.159 (40 runs), 575.1 (2 runs)" */
static void print_values(const json_t *values)
{
    size_t i;
    json_t *row;
    json_array_foreach (values, i, row) {
        char text[JSON_PATH_TEXT_BYTES];
        json_path_value(text, json_object_get(row, "value"));
        printf("%s%s", i ? language_text(", ") : "", *text ? text : language_text("not told"));
        if (json_array_size(values) > 1)
            printf(language_text(" (%.0f runs)"), json_path_number(row, "runs"));
    }
    if (json_array_size(values) == 0)
        printf(language_text("nothing"));
}

/* Of how many runs the arrays were allocated anew: each value is true or false. */
static void print_placed(const json_t *values)
{
    double anew = 0, all = 0;
    size_t i;
    json_t *row;
    json_array_foreach (values, i, row) {
        double runs = json_path_number(row, "runs");
        all += runs;
        anew += strcmp(json_path_text(row, "value", ""), "new") == 0 ? runs : 0;
    }
    printf(language_text("placed anew for %.0f of %.0f runs"), anew, all);
}

static void print_differences(const json_t *comparison, const struct screen *screen)
{
    size_t i;
    json_t *row, *name;
    const json_t *differs = json_object_get(comparison, "differs");
    bool kernels = false; /* may differ, and then their sources do */
    json_array_foreach (json_object_get(comparison, "but_for"), i, name)
        kernels |= strcmp(json_string_value(name), "kernel") == 0;
    json_array_foreach (differs, i, row) {
        if (i == DIFFERENCES_MAX) {
            printf(language_text("  and %zu more\n"), json_array_size(differs) - i);
            break;
        }
        const char *field = json_path_text(row, "field", "?");
        bool placed = strcmp(field, "request.placement") == 0;
        void (*print)(const json_t *) = placed ? print_placed : print_values;
        printf(language_text("%s%s%s differs: A "), screen_style(screen, STYLE_WORSE),
               placed ? "placement" : field, screen_style(screen, STYLE_NONE));
        print(json_object_get(row, "a"));
        printf("%sB ", language_text("; "));
        print(json_object_get(row, "b"));
        putchar('\n');
    }
    if (json_array_size(differs) == 0)
        puts(
            kernels
                ? language_text("Nothing differs beside what is measured and the kernel: device, driver and "
                                "version are the same.")
                : language_text("Nothing differs beside what is measured: device, driver, version and source "
                                "are the same."));
}

/* Prints a note that a longer time may come from more work, if the two sides may have different sizes or types. */
static void print_other_work(const json_t *comparison)
{
    size_t i;
    json_t *name;
    json_array_foreach (json_object_get(comparison, "but_for"), i, name) {
        const char *field = json_string_value(name);
        if (strcmp(field, "size") == 0 || strcmp(field, "dtype") == 0)
            printf(language_text("The sides may differ in %s, and so in how much they move: verdicts compare "
                                 "times, and a longer time may only mean more work. Compare bandwidths.\n"),
                   field);
    }
}

static void print_counts(const json_t *comparison, const struct screen *screen)
{
    const json_t *counts = json_object_get(comparison, "verdicts");
    const char *between = "";
    printf(language_text("%sB against A%s, %s times: "), screen_style(screen, STYLE_STRONG),
           screen_style(screen, STYLE_NONE), language_text(json_path_text(comparison, "time", "hot")));
    for (int i = 0; i < VERDICTS; i++) {
        double count = json_path_number(counts, verdicts[i].name);
        if (!(count > 0))
            continue;
        printf("%s%s%s %.0f %s%s", between, screen_style(screen, verdicts[i].style),
               screen->ascii ? verdicts[i].plain : verdicts[i].sign, count, language_text(verdicts[i].text),
               screen_style(screen, STYLE_NONE));
        between = language_text(", ");
    }
    printf("%s\n", *between ? "" : language_text("no point is on both sides"));
}

/* Prints how many runs of each side are not compared, and why: a line for each reason, as "A: 12 left out: not stable". */
static void print_left_out(const json_t *comparison)
{
    static const struct {
        const char *name, *text;
    } reasons[] = {{"not_ended", "not ended"},
                   {"not_succeeded", "failed or cancelled"},
                   {"cut_short", "of turns that were cancelled"},
                   {"not_verified", "not verified"},
                   {"not_timed", "without this time"},
                   {"unstable", "not stable"}};
    for (int side = 0; side < 2; side++) {
        const json_t *left_out = json_object_get(json_object_get(comparison, side ? "b" : "a"), "left_out");
        for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
            double count = json_path_number(left_out, reasons[i].name);
            if (count > 0)
                printf(language_text("%s: %.0f left out: %s\n"), side ? "B" : "A", count,
                       language_text(reasons[i].text));
        }
    }
}

/* True: no ratio is printed. */
static bool is_uneven(const json_t *point)
{
    return json_is_true(json_object_get(point, "uneven"));
}

static void add_median(struct sheet *sheet, const json_t *point, const char *side)
{
    char text[NUMBER_BYTES];
    number_text(text, json_path_number(json_object_get(point, side), "median_us"));
    sheet_cell(sheet, STYLE_NONE, text);
}

static void add_ratio(struct sheet *sheet, const json_t *point, const struct screen *screen)
{
    char text[NUMBER_BYTES];
    if (is_uneven(point))
        snprintf(text, sizeof text, "%s", screen->ascii ? "-" : "–");
    else
        number_fixed(text, json_path_number(point, "ratio"), 4);
    sheet_cell(sheet, STYLE_STRONG, text);
}

static void add_interval(struct sheet *sheet, const json_t *point)
{
    char from[NUMBER_BYTES], to[NUMBER_BYTES];
    double low = json_path_number(point, "ratio_ci95.0"), high = json_path_number(point, "ratio_ci95.1");
    number_fixed(from, low, 4);
    number_fixed(to, high, 4);
    sheet_format(sheet, STYLE_NONE,
                 isfinite(low) && isfinite(high) ? language_text("%s to %s") : language_text("no value"),
                 from, to);
}

/* "4, 2": how many more runs of A and of B may tell; nothing where there is a verdict. */
static void add_needs(struct sheet *sheet, const json_t *point)
{
    double a = json_path_number(point, "needs.a"), b = json_path_number(point, "needs.b");
    if (isfinite(a) && isfinite(b))
        sheet_format(sheet, STYLE_NONE, "%.0f%s, %.0f%s", a, a >= NEEDS_MOST ? "+" : "", b,
                     b >= NEEDS_MOST ? "+" : "");
    else
        sheet_cell(sheet, STYLE_NONE, "");
}

/* Whether the points have different values of that name. */
static bool differs(const json_t *points, const char *name)
{
    const json_t *first = json_object_get(json_object_get(json_array_get(points, 0), "values"), name), *point;
    size_t i;
    json_array_foreach (points, i, point) {
        const json_t *value = json_object_get(json_object_get(point, "values"), name);
        if (value != first && !(value && first && json_equal(value, first)))
            return true;
    }
    return false;
}

/* Whether the values of these names tell all points apart without that one. */
static bool tells_apart(const json_t *points, const json_t *names, const char *without)
{
    json_t *seen = json_object(), *point, *value;
    const char *name;
    size_t i;
    json_array_foreach (points, i, point) {
        json_t *values = json_array();
        json_object_foreach ((json_t *)names, name, value)
            if (strcmp(name, without) != 0)
                json_array_append_new(
                    values, json_pack("O?", json_object_get(json_object_get(point, "values"), name)));
        char *text = json_dumps(values, JSON_COMPACT);
        json_object_set_new(seen, text ? text : "", json_true());
        free(text);
        json_decref(values);
    }
    bool all = json_object_size(seen) == json_array_size(points);
    json_decref(seen);
    return all;
}

/* The names of the values that tell the points apart, as keys; a grid that follows from the size and the block is
   not among them. The caller releases it. */
static json_t *value_names(const json_t *points)
{
    json_t *names = json_object(), *point, *value;
    const char *name;
    size_t i;
    json_array_foreach (points, i, point)
        json_object_foreach (json_object_get(point, "values"), name, value)
            if (!json_object_get(names, name) && differs(points, name))
                json_object_set_new(names, name, json_true());
    if (tells_apart(points, names, "grid"))
        json_object_del(names, "grid");
    return names;
}

/* Prints each reason for which points have no verdict, with the number of such points. needs_shown: the table has the
   column "more runs", which is explained below it. */
static void print_reasons(const json_t *points, const struct screen *screen, bool needs_shown)
{
    json_t *reasons = json_object(), *point, *count;
    const char *reason;
    char text[LANGUAGE_REASON_BYTES];
    size_t i;
    bool more = false;
    json_array_foreach (points, i, point) {
        more = more || isfinite(json_path_number(point, "needs.a"));
        reason = json_path_text(point, "needs.reason", NULL);
        if (reason)
            json_object_set_new(reasons, reason,
                                json_integer(json_integer_value(json_object_get(reasons, reason)) + 1));
    }
    json_object_foreach (reasons, reason, count)
        printf(json_integer_value(count) == 1 ? language_text("%s cannot tell, %lld point: %s\n")
                                              : language_text("%s cannot tell, %lld points: %s\n"),
               screen->ascii ? "?" : "◌", (long long)json_integer_value(count),
               language_reason(reason, text));
    if (more && needs_shown)
        puts(language_text("\"more runs\": about how many more of A and of B may tell."));
    json_decref(reasons);
}

static void print_uneven(const json_t *points, const struct screen *screen)
{
    const json_t *point;
    int uneven = 0;
    size_t i;
    json_array_foreach (points, i, point)
        uneven += is_uneven(point);
    if (uneven)
        printf(language_text(
                   "%s no ratio, points: %d: the runs are so uneven that their pairs and the two medians "
                   "say different ones\n"),
               screen->ascii ? "-" : "–", uneven);
}

/* A narrow terminal leaves out columns from the right, so the verdict and its interval come first. True: "more runs" is
   shown. */
static bool print_points(const json_t *points, const struct screen *screen)
{
    struct sheet *sheet = sheet_new();
    json_t *names = value_names(points), *value, *point;
    const char *name, *unit = screen_unit(screen, "us");
    size_t i;
    json_object_foreach (names, name, value)
        sheet_column(sheet, SHEET_RIGHT, name, "");
    sheet_column(sheet, SHEET_RIGHT, "A", unit);
    sheet_column(sheet, SHEET_RIGHT, "B", unit);
    sheet_column(sheet, SHEET_RIGHT, "A/B", "");
    sheet_column(sheet, SHEET_LEFT, language_text("verdict"), "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, language_text("95 % interval"), "");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE | SHEET_FILLED, language_text("more runs"), "A, B");
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, language_text("placements"), "A, B");
    json_array_foreach (points, i, point) {
        const struct verdict_word *verdict = find(json_path_text(point, "verdict", ""));
        char text[JSON_PATH_TEXT_BYTES];
        json_object_foreach (names, name, value) {
            json_path_value(text, json_object_get(json_object_get(point, "values"), name));
            sheet_cell(sheet, STYLE_NONE, text);
        }
        add_median(sheet, point, "a");
        add_median(sheet, point, "b");
        add_ratio(sheet, point, screen);
        sheet_format(sheet, verdict->style, "%s %s", screen->ascii ? verdict->plain : verdict->sign,
                     language_text(verdict->text));
        add_interval(sheet, point);
        add_needs(sheet, point);
        sheet_format(sheet, STYLE_NONE, "%.0f, %.0f", json_path_number(point, "a.placements"),
                     json_path_number(point, "b.placements"));
    }
    int shown = sheet_print(sheet, screen, stdout), before = (int)json_object_size(names) + 5;
    json_decref(names);
    return shown > before;
}

static bool has_pairs(const json_t *points)
{
    const json_t *point;
    size_t i;
    json_array_foreach (points, i, point)
        if (json_path_number(point, "a.placements") > 1 || json_path_number(point, "b.placements") > 1)
            return true;
    return false;
}

static void print_only(const json_t *comparison, const char *side, const char *name)
{
    double count = json_path_number(json_object_get(comparison, side), "only_here.count");
    if (count > 0)
        printf(count == 1 ? language_text("%.0f point is on side %s alone\n")
                          : language_text("%.0f points are on side %s alone\n"),
               count, name);
}

void answers_print_comparison(const json_t *comparison, const struct screen *screen)
{
    bool matched = json_array_size(json_object_get(comparison, "points")) > 0;
    if (matched) {
        print_differences(comparison, screen);
        print_other_work(comparison);
    }
    print_counts(comparison, screen);
    print_left_out(comparison);
    bool needs_shown = matched && print_points(json_object_get(comparison, "points"), screen);
    if (matched && has_pairs(json_object_get(comparison, "points")))
        puts(language_text("A/B is the median over all pairs of a placement of A and one of B: it differs "
                           "from the ratio of the two medians, the more the runs scatter."));
    print_uneven(json_object_get(comparison, "points"), screen);
    print_reasons(json_object_get(comparison, "points"), screen, needs_shown);
    print_only(comparison, "a", "A");
    print_only(comparison, "b", "B");
    if (!matched)
        answers_print_apart(comparison, screen);
    double apart_us = json_path_number(comparison, "apart_us");
    if (matched && apart_us > 0)
        printf(
            language_text(
                "Other executors took the cold times of the other side: intervals are wider by %.2g %s, the "
                "levels of "
                "their timers.\n"),
            apart_us, screen_unit(screen, "us"));
    double expected = json_path_number(comparison, "chance.expected");
    if (expected > 0)
        printf(
            language_text(
                "By chance alone, on average at most %.2g of %.0f points would be called better or worse, at "
                "one look; adding runs and looking again makes that more frequent.\n"),
            expected, json_path_number(comparison, "chance.points"));
}

int answers_comparison_status(const json_t *comparison)
{
    const json_t *counts = json_object_get(comparison, "verdicts");
    if (json_path_number(counts, "worse") > 0)
        return EXIT_WORSE;
    bool none = json_array_size(json_object_get(comparison, "points")) == 0;
    return none || json_path_number(counts, "cannot_tell") > 0 ? EXIT_CANNOT_TELL : EXIT_FINE;
}
