/* The predicted time of a launch, and what limits it, as text. */
#include "client/answers/answers.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"
#include "client/terminal/sheet.h"

enum { BAR_COLUMNS = 32, BAR_LEAST = 8, BESIDE_COLUMNS = 62 }; /* of a bar, and of the rest of its row */

/* Prints the service's sentence in the language of the locale. A unit "us" behind a number is printed as screen_unit()
   writes it. */
static void print_words(const json_t *texts, const struct screen *screen)
{
    const char *text = json_path_text(texts, language_is_chinese() ? "zh" : "en", "");
    for (const char *unit; (unit = strstr(text, " us")); text = unit + 3) {
        bool is_unit = unit > text && isdigit((unsigned char)unit[-1]) && !isalpha((unsigned char)unit[3]);
        char *head = strndup(text, (size_t)(unit - text));
        if (head)
            screen_write(screen, head);
        free(head);
        printf(" %s", is_unit ? screen_unit(screen, "us") : "us");
    }
    screen_write(screen, text);
}

/* A bound as the answer names it; in Chinese with the words of the page. */
static const char *bound_words(const char *name)
{
    static const char *const words[][2] = {
        {"launch", "block launches"},     {"dram", "DRAM"},
        {"ask", "SMs to the L2"},         {"tag", "the L1"},
        {"lines", "L1 lines in flight"},  {"issue", "instructions issued"},
        {"latency", "latency of memory"},
    };
    for (size_t i = 0; language_is_chinese() && i < sizeof words / sizeof *words; i++)
        if (strcmp(name, words[i][0]) == 0)
            return language_text(words[i][1]);
    return name;
}

/* Prints a bound's name within a sentence; `ask` and `tag` are followed by what they stand for. */
static void print_bound(const char *name)
{
    const char *what = strcmp(name, "ask") == 0   ? " (SMs to the L2)"
                       : strcmp(name, "tag") == 0 ? " (the L1)"
                                                  : "";
    printf("%s%s", bound_words(name), language_is_chinese() ? "" : what);
}

static bool is_missing(const json_t *time, const struct screen *screen)
{
    if (!json_path_text(time, "status", NULL))
        return false;
    char reason[LANGUAGE_REASON_BYTES];
    const json_t *sentence = json_object_get(time, "explanation");
    if (sentence) {
        print_words(sentence, screen);
        puts("");
    } else
        printf(language_text("predicted time: no value, %s\n"),
               language_reason(json_path_text(time, "reason", "?"), reason));
    return true;
}

static bool is_limiter(const json_t *time, const char *name)
{
    return strcmp(name, json_path_text(time, "limiter", "")) == 0 ||
           strcmp(name, json_path_text(time, "close_second", "")) == 0;
}

static void print_limiter(const json_t *time, const struct screen *screen)
{
    const char *second = json_path_text(time, "close_second", NULL);
    const char *also = language_text(", and nearly as much by ");
    printf("%s", screen_style(screen, STYLE_STRONG));
    /* The bounds limit what is left when the fixed part is taken off. */
    double fixed_us = json_path_number(time, "floor_us") + json_path_number(time, "ramp_us");
    if (fixed_us > json_path_number(time, "predicted_us") / 2) {
        char text[NUMBER_BYTES];
        number_text(text, fixed_us);
        printf(language_text("%s %s fixed, the rest "), text, screen_unit(screen, "us"));
    }
    printf("%s", language_text("limited by "));
    print_bound(json_path_text(time, "limiter", "?"));
    if (second) {
        printf("%s", also);
        print_bound(second);
    }
    printf("%s", screen_style(screen, STYLE_NONE));
}

/* The longest bar: shorter on a narrow terminal, so that the columns behind it have room. */
static int bar_columns(const struct screen *screen)
{
    int room = screen->columns - BESIDE_COLUMNS;
    if (!screen->out || room >= BAR_COLUMNS)
        return BAR_COLUMNS;
    return room > BAR_LEAST ? room : BAR_LEAST;
}

static void add_bar(struct sheet *sheet, bool limits, double part, const struct screen *screen)
{
    char bar[BAR_COLUMNS * sizeof "█"] = "";
    for (int length = (int)lround(part * bar_columns(screen)); length > 0; length--)
        strcat(bar, screen->ascii ? "#" : "█");
    sheet_cell(sheet, limits ? STYLE_STRONG : STYLE_FAINT, bar);
}

static void print_bounds(const json_t *time, const struct screen *screen)
{
    char text[NUMBER_BYTES];
    struct sheet *sheet = sheet_new();
    sheet_column(sheet, SHEET_LEFT, language_text("bound"), "");
    sheet_column(sheet, SHEET_RIGHT, language_text("alone"), screen_unit(screen, "us"));
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE | SHEET_FIRST, "", ""); /* the bar */
    sheet_column(sheet, SHEET_RIGHT | SHEET_SPARE, language_text("of"), "");
    sheet_column(sheet, SHEET_LEFT | SHEET_SPARE, language_text("unit"), "");
    double most = json_path_number(time, "predicted_us");
    size_t i;
    json_t *bound;
    json_array_foreach (json_object_get(time, "bounds"), i, bound)
        most = fmax(most, json_path_number(bound, "us"));
    json_array_foreach (json_object_get(time, "bounds"), i, bound) {
        const char *name = json_path_text(bound, "name", "?");
        bool limits = is_limiter(time, name);
        double us = json_path_number(bound, "us");
        sheet_cell(sheet, limits ? STYLE_STRONG : STYLE_NONE, bound_words(name));
        number_text(text, us);
        sheet_cell(sheet, limits ? STYLE_STRONG : STYLE_NONE, text);
        add_bar(sheet, limits, isfinite(us) && most > 0 ? us / most : 0, screen);
        double amount = json_path_number(bound, "amount");
        if (amount < 1e4)
            number_text(text, amount);
        else
            number_count(text, llround(amount));
        sheet_cell(sheet, STYLE_FAINT, text);
        sheet_cell(sheet, STYLE_FAINT, language_text(json_path_text(bound, "unit", "")));
    }
    sheet_print(sheet, screen, stdout);
    double stays_us = json_path_number(time, "dram_stays_us");
    if (!(stays_us > 0))
        return;
    number_text(text, stays_us);
    printf(language_text("of dram %s %s are of stores that stay in the L2, and move no bytes\n"), text,
           screen_unit(screen, "us"));
}

/* Prints what the bounds come to together, if those that are close to the largest one add to it. */
static void print_together(const json_t *time, const struct screen *screen)
{
    static const double least = 1.005;
    const double us = json_path_number(time, "predicted_us") - json_path_number(time, "floor_us") -
                      json_path_number(time, "ramp_us");
    double most = 0;
    size_t i;
    json_t *bound;
    char text[NUMBER_BYTES];
    json_array_foreach (json_object_get(time, "bounds"), i, bound)
        most = fmax(most, json_path_number(bound, "us"));
    if (!(us > least * most))
        return;
    number_text(text, us);
    printf(language_text(
               " Bounds that are close to the largest one add to it, but for the start of blocks: together "
               "they come to %s %s."),
           text, screen_unit(screen, "us"));
}

static void print_changes(const json_t *changes, const struct screen *screen)
{
    size_t i;
    json_t *change;
    json_array_foreach (changes, i, change) {
        printf("%s%s%s", screen_style(screen, STYLE_BETTER), language_text("what if: "),
               screen_style(screen, STYLE_NONE));
        print_words(json_object_get(change, "text"), screen);
        putchar('\n');
    }
}

void answers_print_time(const json_t *time, const struct screen *screen)
{
    char text[NUMBER_BYTES];
    if (!time || is_missing(time, screen))
        return;
    number_text(text, json_path_number(time, "predicted_us"));
    printf(language_text("\n%s%s %s%s predicted, cold, for an %s: "), screen_style(screen, STYLE_STRONG),
           text, screen_unit(screen, "us"), screen_style(screen, STYLE_NONE),
           json_path_text(time, "device_name", "?"));
    print_limiter(time, screen);
    puts("");
    print_bounds(time, screen);
    print_words(json_object_get(time, "explanation"), screen);
    print_together(time, screen);
    puts("");
    const json_t *note = json_object_get(time, "note"); /* that the prediction is less sure than most */
    if (note) {
        print_words(note, screen);
        puts("");
    }
    print_changes(json_object_get(time, "what_if"), screen);
    /* By the table in docs/model.md, "Why it takes that long": 90.8 to 91.8 % of all launches are within 10 %. */
    if (!note) {
        screen_write(
            screen,
            language_text(
                "Nine of ten launches of 2^18 to 2^27 elements that were measured on an H100 or an H200 took "
                "a time within a tenth of such a prediction; docs/model.md tells where it fails."));
        puts("");
    }
}

void answers_print_result_time(const json_t *time, const struct screen *screen)
{
    char text[NUMBER_BYTES];
    if (!time || is_missing(time, screen))
        return;
    print_limiter(time, screen);
    number_text(text, json_path_number(time, "predicted_us"));
    printf(language_text("; %s %s predicted for the cold time"), text, screen_unit(screen, "us"));
    double error = json_path_number(time, "error_pct");
    if (isfinite(error))
        number_fixed(text, fabs(error), 1);
    if (isfinite(error))
        printf(error < 0 ? language_text(", %s %% too little") : language_text(", %s %% too much"), text);
    puts("");
    print_words(json_object_get(time, "explanation"), screen);
    puts("");
    const json_t *counted = json_object_get(time, "counted");
    if (!counted)
        return;
    const char *limiter = json_path_text(counted, "limiter", NULL);
    if (limiter)
        printf(language_text("by the counters: %s%s. "), bound_words(limiter),
               json_path_true(counted, "agrees") ? language_text(", too") : "");
    print_words(json_object_get(counted, "why"), screen);
    puts("");
}
