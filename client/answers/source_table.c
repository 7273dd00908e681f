/* A source kernel: its lines with what they cost in the margin, its faults as a compiler prints them. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"

/* 0: the row of accesses of no line. NULL: there is no such row. */
static const json_t *line_find(const json_t *lines, int number)
{
    size_t i;
    json_t *line;
    json_array_foreach (lines, i, line)
        if (json_integer_value(json_object_get(line, "line")) == number)
            return line;
    return NULL;
}

enum { MARGIN_BYTES = 2 * NUMBER_BYTES + 32, SOURCE_LINE_BYTES = 1024 };
/* The margin's figures; these with the number of the line, to its bars; and so much of a line stands beside it at least. */
enum { MARGIN_WIDTH = 30, MARGIN_COLUMNS = MARGIN_WIDTH + 8, BESIDE_LEAST = 16 };

/* "  131,072  50.0 %   4 |": transactions, efficiency, bank conflicts; blanks where the line accesses nothing. */
static enum style margin_write(char text[MARGIN_BYTES], const json_t *line)
{
    char count[NUMBER_BYTES] = "", efficiency[16] = "", conflicts[NUMBER_BYTES] = "";
    double part = json_path_number(line, "efficiency_pct"), banks = json_path_number(line, "bank_conflicts");
    double transactions = json_path_number(line, "transactions");
    if (line && transactions > 0)
        number_count(count, (long long)transactions);
    if (line && isfinite(part))
        snprintf(efficiency, sizeof efficiency, "%.1f", part);
    if (line && banks > 0)
        number_count(conflicts, (long long)banks);
    snprintf(text, MARGIN_BYTES, "%13s %6s %9s", count, efficiency, conflicts);
    return !line ? STYLE_FAINT : (isfinite(part) && part < 75) || banks > 0 ? STYLE_WORSE : STYLE_BETTER;
}

/* The line of the source beside its margin; on a terminal what does not fit goes on below, beside an empty one. */
static void print_beside(const struct screen *screen, const char *bar, const char *text)
{
    int columns = screen->out ? screen->columns - MARGIN_COLUMNS : 0;
    for (;;) {
        char piece[SOURCE_LINE_BYTES];
        size_t length = columns < BESIDE_LEAST ? strlen(text) : screen_text_cut(text, columns);
        snprintf(piece, sizeof piece, "%.*s", (int)length, text);
        screen_write(screen, piece);
        putchar('\n');
        text += length;
        if (!*text || !length)
            return;
        printf("%*s %s%4s%s ", MARGIN_WIDTH, "", bar, "", bar);
    }
}

/* The scalars that were assumed, one that was not given is 0: "  with n = 1000, stride = 0". */
static void print_scalars(const json_t *answer)
{
    const json_t *request = json_object_get(answer, "request");
    char text[SOURCE_LINE_BYTES] = "", count[NUMBER_BYTES];
    size_t i;
    json_t *argument;
    json_array_foreach (json_object_get(request, "arguments"), i, argument) {
        const char *name = json_path_text(argument, "name", "?");
        bool size = strcmp(json_path_text(argument, "value", ""), "size") == 0;
        const json_t *value = json_object_get(request, size ? "size" : name);
        if (!json_object_get(argument, "value") || !json_is_number(value))
            continue;
        if (json_is_integer(value))
            number_count(count, json_integer_value(value));
        else
            snprintf(count, sizeof count, "%.6g", json_real_value(value));
        json_path_append(text, sizeof text, "%s%s = %s", *text ? language_text(", ") : "", name, count);
    }
    if (*text)
        printf(language_text("  with %s\n"), text);
}

/* Prints what accesses of no line cost, and between which lines the compiler joined them. */
static void print_without_line(const json_t *lines, const struct screen *screen, const char *bar)
{
    const json_t *row = line_find(lines, 0), *access, *joined;
    char margin[MARGIN_BYTES], text[SOURCE_LINE_BYTES] = "";
    size_t i;
    if (!row)
        return;
    json_array_foreach (json_object_get(row, "accesses"), i, access) {
        joined = json_object_get(access, "joined_lines");
        json_path_append(text, sizeof text, "%s", *text ? language_text("; ") : "");
        const int first = (int)json_integer_value(json_array_get(joined, 0)),
                  second = (int)json_integer_value(json_array_get(joined, 1));
        const char *array = json_path_text(access, "array", language_text("shared memory"));
        const char *kind = language_text(json_path_text(access, "kind", ""));
        if (joined)
            json_path_append(text, sizeof text,
                             language_text("%s of %s, which the compiler made of lines %d and %d"), kind,
                             array, first, second);
        else
            json_path_append(text, sizeof text, language_text("%s of %s, which the compiler moved"), kind,
                             array);
    }
    enum style style = margin_write(margin, row);
    printf("%s%s%s %s%4s%s ", screen_style(screen, style), margin, screen_style(screen, STYLE_NONE), bar, "-",
           bar);
    print_beside(screen, bar, text);
}

/* Prints which architectures of the table are not counted exactly. It leaves out the one whose lines are shown, of which
   the line above says it. */
static void print_inexact(const json_t *predictions, const json_t *shown)
{
    char text[SOURCE_LINE_BYTES] = "";
    size_t i;
    json_t *one;
    json_array_foreach (predictions, i, one)
        if (one != shown && json_is_false(json_object_get(one, "exact")))
            json_path_append(text, sizeof text, "%s%s", *text ? language_text(", ") : "",
                             json_path_text(one, "arch", ""));
    if (*text)
        printf(language_text("not counted exactly: %s; arch=... with one of them says why\n"), text);
}

/* Prints how many bank conflicts atomic operations have, which the table's sums leave out. */
static void print_atomic_conflicts(const json_t *lines)
{
    char count[NUMBER_BYTES];
    double conflicts = 0;
    size_t i, k;
    json_t *line, *access;
    json_array_foreach (lines, i, line)
        json_array_foreach (json_object_get(line, "accesses"), k, access)
            if (strcmp(json_path_text(access, "kind", ""), "atomic") == 0 &&
                json_is_number(json_object_get(access, "bank_conflicts")))
                conflicts += json_path_number(access, "bank_conflicts");
    number_count(count, (long long)conflicts);
    if (conflicts > 0)
        printf(language_text(
                   "%s conflicts of atomic operations on shared memory stand at their lines, and in no "
                   "sum\n"),
               count);
}

void answers_print_source(const json_t *answer, const json_t *prediction, const char *source, int only,
                          const struct screen *screen)
{
    bool several = json_array_size(json_object_get(answer, "predictions")) > 1;
    const json_t *lines = json_object_get(prediction, "lines");
    const char *bar = screen->ascii ? "|" : "│";
    char reason[LANGUAGE_REASON_BYTES];
    print_scalars(answer);
    if (!lines)
        return;
    printf("\n%s%s%s%s\n", json_path_text(prediction, "arch", ""), language_text(", "),
           json_is_true(json_object_get(prediction, "exact"))
               ? language_text("counted exactly")
               : language_reason(json_path_text(prediction, "inexact", language_text("not exact")), reason),
           several ? language_text("; arch=... lists the lines of another one") : "");
    print_inexact(json_object_get(answer, "predictions"), prediction);
    print_atomic_conflicts(lines);
    printf("%13s %6s %9s\n", language_text("transactions"), "%", language_text("conflicts"));
    for (int number = 1; *source; number++) {
        size_t length = strcspn(source, "\n");
        char margin[MARGIN_BYTES], text[SOURCE_LINE_BYTES];
        enum style style = margin_write(margin, line_find(lines, number));
        snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), source);
        if (!only || only == number) {
            printf("%s%s%s %s%4d%s ", screen_style(screen, style), margin, screen_style(screen, STYLE_NONE),
                   bar, number, bar);
            print_beside(screen, bar, text);
        }
        source += length + (source[length] == '\n');
    }
    print_without_line(lines, screen, bar);
}

static void print_place(const char *file, const json_t *row, const char *kind, const char *kind_style,
                        const char *plain)
{
    double line = json_path_number(row, "line"), column = json_path_number(row, "column");
    printf("%s:", file);
    if (isfinite(line))
        printf("%.0f:", line);
    if (isfinite(line) && isfinite(column))
        printf("%.0f:", column);
    printf(" %s%s%s", kind_style, kind, plain);
}

/* "   7 |     out[i] = in[i];" */
static void print_line(const char *source, int line, const struct screen *screen)
{
    char text[SOURCE_LINE_BYTES];
    for (int number = 1; number < line && *source; number++) {
        source += strcspn(source, "\n");
        source += *source == '\n';
    }
    size_t length = strcspn(source, "\n");
    if (line < 1 || !length)
        return;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), source);
    printf("%4d %s ", line, screen->ascii ? "|" : "│");
    screen_write(screen, text);
    putchar('\n');
}

void answers_print_faults(const json_t *rows, const char *file, const char *source, bool notes,
                          const struct screen *screen)
{
    size_t i;
    json_t *row;
    json_array_foreach (rows, i, row) {
        print_place(file, row, language_text(notes ? "note: " : "error: "),
                    screen_style(screen, notes ? STYLE_FAINT : STYLE_WORSE),
                    screen_style(screen, STYLE_NONE));
        char reason[LANGUAGE_REASON_BYTES];
        screen_write(screen, language_without_line(answers_said(row, "detail", reason),
                                                   (int)json_path_number(row, "line")));
        putchar('\n');
        if (source && isfinite(json_path_number(row, "line")))
            print_line(source, (int)json_path_number(row, "line"), screen);
    }
}

/* Where as many threads run as there are elements, a kernel that forgets its bound has no fault. */
static void print_all_busy(const json_t *request)
{
    double threads = 1, size = json_path_number(request, "size");
    size_t i;
    json_t *argument;
    for (size_t axis = 0; axis < 3; axis++)
        threads *= json_number_value(json_array_get(json_object_get(request, "block"), axis)) *
                   json_number_value(json_array_get(json_object_get(request, "grid"), axis));
    if (threads != size || size < 2)
        return;
    json_array_foreach (json_object_get(request, "arguments"), i, argument)
        if (strcmp(json_path_text(argument, "value", ""), "size") == 0) {
            printf(language_text("  as many threads as %s: if thread i takes element i, a wrong bound shows "
                                 "only with another number, as %s=%.0f\n"),
                   json_path_text(argument, "name", "n"), json_path_text(argument, "name", "n"), size - 1);
            return;
        }
}

void answers_print_check(const json_t *answer, const char *file)
{
    const json_t *check = json_object_get(answer, "check");
    char checked[NUMBER_BYTES], all[NUMBER_BYTES];
    number_count(checked, (long long)json_path_number(check, "blocks_checked"));
    number_count(all, (long long)json_path_number(check, "blocks"));
    bool complete = json_is_true(json_object_get(check, "complete"));
    printf(!complete ? language_text("%s: no fault found in the %s blocks that were looked at, of %s\n")
           : json_path_number(check, "blocks") == 1 ? language_text("%s: no fault found in its one block\n")
                                                    : language_text("%s: no fault found in all %s blocks\n"),
           file, checked, all);
    if (json_is_false(json_object_get(check, "races")) && json_path_number(check, "blocks_checked") > 0)
        fputs(language_text("  races were not looked for: the launch accesses too much memory for that; a "
                            "smaller one can "
                            "be checked\n"),
              stdout);
    print_scalars(answer);
    print_all_busy(json_object_get(answer, "request"));
    fputs(
        language_text("  not looked for: races between instructions that a warp executes in step, local "
                      "variables that are read before they are written, and barriers that threads leave out "
                      "by ending\n"),
        stdout);
}
