/* The memory chart as text: the sectors that one warp accesses. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/rows_table.h"
#include "client/terminal/language.h"

/* A cell is four bytes: eight make a sector, 32 a line of 128 bytes. */
enum {
    LINE = 128,
    SECTOR = 32,
    CELL = 4,
    CELLS = LINE / CELL,
    LANES = 32,
    LINES_MAX = 8,
    LANES_PARTS_MAX = 5
};

/* Shared memory: the number of banks at most, and the bytes of a word and of the widest access of a lane. */
enum { BANKS = 32, WORD = 4, LANE_BYTES_MAX = 16 };

const char *answers_inexact(const json_t *prediction)
{
    return json_is_false(json_object_get(prediction, "exact")) && !json_path_text(prediction, "inexact", NULL)
               ? language_text("not exact: blocks were sampled, addresses depend on the contents of memory, "
                               "there are atomic updates, or threads wait for others")
               : NULL;
}

const char *answers_unit_words(const char *unit, size_t count)
{
    static const char *const words[][3] = {
        {"sector", "sector", "sectors"},
        {"line", "line", "lines"},
        {"segment", "segment", "segments"},
        {"half_warp_segment", "half-warp segment", "half-warp segments"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(unit, words[i][0]) == 0)
            return language_text(words[i][count == 1 ? 1 : 2]);
    return unit;
}

static enum style access_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s %s", language_text(json_path_text(row, "kind", "")),
             json_path_text(row, "array", language_text(json_path_text(row, "space", ""))));
    return STYLE_NONE;
}

static enum style unit_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s", answers_unit_words(json_path_text(row, "unit", ""), 2));
    return STYLE_NONE;
}

static enum style efficiency_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    double part = json_path_number(row, "efficiency_pct");
    snprintf(text, ROWS_TABLE_CELL_BYTES, isfinite(part) ? "%.2f" : "", part);
    return STYLE_STRONG;
}

enum { SPARE = SHEET_RIGHT | SHEET_SPARE };
static const struct rows_table_column sums[] = {
    {"instruction", NULL, SHEET_LEFT, .cell = access_cell},
    {"requests", NULL, SHEET_RIGHT, .path = "requests", .form = ROWS_TABLE_COUNT, .missing = ""},
    {"transactions", NULL, SHEET_RIGHT, .path = "transactions", .form = ROWS_TABLE_COUNT, .missing = ""},
    {"unit", NULL, SHEET_LEFT | SHEET_SPARE, .cell = unit_cell},
    {"used", "bytes", SPARE, .path = "used_bytes", .form = ROWS_TABLE_COUNT, .missing = ""},
    {"moved", "bytes", SPARE, .path = "moved_bytes", .form = ROWS_TABLE_COUNT, .missing = ""},
    {"efficient", "%", SHEET_RIGHT, .cell = efficiency_cell},
    {"bank", "conflicts", SHEET_RIGHT, .path = "bank_conflicts", .form = ROWS_TABLE_COUNT, .missing = ""},
    {NULL},
};

/* Whether a transaction moves the byte at that address, and the used bytes of its sector as a bit mask. Segments
   of whole warps move their touched sectors. */
static bool find_sector(const json_t *access, bool touched_alone, long long address, unsigned long *mask)
{
    size_t i;
    json_t *one;
    *mask = 0;
    json_array_foreach (json_object_get(access, "sectors"), i, one)
        if (json_integer_value(json_object_get(one, "address")) == address) {
            *mask = strtoul(json_path_text(one, "used_mask", "0"), NULL, 16);
            return true;
        }
    json_array_foreach (json_object_get(access, "transactions"), i, one) {
        long long from = json_integer_value(json_object_get(one, "address"));
        if (!touched_alone && from <= address &&
            address < from + json_integer_value(json_object_get(one, "bytes")))
            return true;
    }
    return false;
}

static void print_cell(const struct screen *screen, bool moved, unsigned used)
{
    if (!moved)
        putchar(' ');
    else if (used == 0)
        printf("%s%s%s", screen_style(screen, STYLE_WORSE), screen->ascii ? "." : "·",
               screen_style(screen, STYLE_NONE));
    else
        printf("%s%s%s", screen_style(screen, STYLE_BETTER),
               used == 15 ? (screen->ascii ? "#" : "█") : (screen->ascii ? "o" : "▒"),
               screen_style(screen, STYLE_NONE));
}

/* Returns how many of the lanes, from lanes[0] on, follow each other with the same step. lanes: ascending. */
static int regular_lanes(const int *lanes, int count)
{
    int regular = count < 2 ? count : 2;
    while (regular < count && lanes[regular] - lanes[regular - 1] == lanes[1] - lanes[0])
        regular++;
    return regular;
}

/* Prints the lanes whose access begins in this line of memory: "lanes 0 to 7, 16", "lanes 0 to 24 step 8". */
static void print_lanes(const json_t *addresses, long long line)
{
    int lanes[LANES], count = 0, parts = 0;
    for (int lane = 0; lane < LANES; lane++) {
        const json_t *at = json_array_get(addresses, (size_t)lane);
        if (json_is_integer(at) && json_integer_value(at) / LINE * LINE == line)
            lanes[count++] = lane;
    }
    if (count)
        fputs(count == 1 ? language_text("  lane ") : language_text("  lanes "), stdout);
    for (int i = 0, taken; i < count; i += taken, parts++) {
        int step = i + 1 < count ? lanes[i + 1] - lanes[i] : 1, regular = regular_lanes(&lanes[i], count - i);
        taken = regular >= (step == 1 ? 3 : 4) ? regular : 1;
        if (parts == LANES_PARTS_MAX) {
            printf(language_text(" and %zu more"), (size_t)(count - i));
            return;
        }
        if (parts)
            fputs(language_text(", "), stdout);
        if (taken == 1)
            printf("%d", lanes[i]);
        else
            printf(step == 1 ? language_text("%d to %d") : language_text("%d to %d step %d"), lanes[i],
                   lanes[i + taken - 1], step);
    }
}

static void print_lines(const json_t *access, bool touched_alone, const struct screen *screen)
{
    const json_t *lines = json_object_get(access, "lines");
    const char *bar = screen->ascii ? "|" : "│";
    size_t i;
    json_t *line;
    json_array_foreach (lines, i, line) {
        long long address = json_integer_value(line);
        if (i == LINES_MAX) {
            printf(language_text("  %12s and %zu lines more\n"), "", json_array_size(lines) - i);
            break;
        }
        printf(language_text("  byte %-7lld %s"), address, bar);
        for (int sector = 0; sector < LINE / SECTOR; sector++) {
            unsigned long mask = 0;
            bool moved = find_sector(access, touched_alone, address + sector * SECTOR, &mask);
            for (int cell = 0; cell < SECTOR / CELL; cell++)
                print_cell(screen, moved, (unsigned)(mask >> (cell * CELL)) & 15u);
            fputs(bar, stdout);
        }
        print_lanes(json_object_get(access, "addresses"), address);
        putchar('\n');
    }
}

/* Whether each half of a warp is a request of its own, to 16 banks. */
static bool has_half_requests(const json_t *explanation)
{
    return json_path_number(explanation, "bank_count") == BANKS / 2;
}

/* Prints how many lanes access each bank; of 16 banks the lanes of the first half of the warp, then those of the second. A
   lane accesses `bytes` bytes, which may be several words in several banks. */
static void print_banks(const json_t *access, double bytes, bool halves, const struct screen *screen)
{
    int lanes[BANKS] = {0}, words = (int)fmin(fmax(bytes, WORD), LANE_BYTES_MAX) / WORD;
    const int banks = halves ? BANKS / 2 : BANKS;
    size_t i;
    json_t *value;
    json_array_foreach (json_object_get(access, "banks"), i, value) {
        json_int_t bank = json_is_integer(value) && i < LANES ? json_integer_value(value) : -1;
        int first = halves && i >= LANES / 2 ? banks : 0;
        for (int word = 0; bank >= 0 && bank < banks && word < words; word++)
            lanes[first + (bank + word) % banks]++;
    }
    printf(language_text("  lanes a bank %s"), screen->ascii ? "|" : "│");
    for (int k = 0; k < BANKS; k++) {
        if (halves && k == banks)
            fputs(screen->ascii ? "|" : "│", stdout);
        if (lanes[k])
            putchar(lanes[k] < 10 ? '0' + lanes[k] : '+');
        else
            fputs(screen->ascii ? "." : "·", stdout);
    }
    printf(language_text("%s  turns: %.0f, conflicts: %.0f\n"), screen->ascii ? "|" : "│",
           json_path_number(access, "wavefronts"), json_path_number(access, "bank_conflicts"));
}

static void print_access(const json_t *explanation, const json_t *access, const struct screen *screen)
{
    size_t number = (size_t)json_integer_value(json_object_get(access, "instruction"));
    const json_t *row = json_array_get(json_object_get(explanation, "instructions"), number);
    const json_t *sectors = json_object_get(access, "sectors");
    const char *index = json_path_text(access, "index", NULL);
    printf("\n%s%s %s%s%s%s%s", screen_style(screen, STYLE_STRONG),
           language_text(json_path_text(row, "kind", "?")),
           json_path_text(row, "array", language_text(json_path_text(row, "space", "?"))), index ? "[" : "",
           index ? index : "", index ? "]" : "", screen_style(screen, STYLE_NONE));
    if (json_integer_value(json_object_get(access, "time")) > 0)
        printf(language_text(", time %.0f"), json_path_number(access, "time") + 1);
    const char *unit = json_path_text(row, "unit", NULL);
    size_t transactions = json_array_size(json_object_get(access, "transactions"));
    if (sectors && unit)
        printf(language_text(": %zu %s, %.0f bytes moved, %.0f used, %.4g %%"), transactions,
               answers_unit_words(unit, transactions), json_path_number(access, "moved_bytes"),
               json_path_number(access, "used_bytes"), json_path_number(access, "efficiency_pct"));
    else if (sectors)
        printf(language_text(": %zu sectors"), json_array_size(sectors));
    putchar('\n');
    if (sectors)
        print_lines(access, unit && strcmp(unit, "segment") == 0, screen);
    if (json_object_get(access, "banks"))
        print_banks(access, json_path_number(row, "access_bytes"), has_half_requests(explanation), screen);
    if (json_object_get(access, "banks") && strcmp(json_path_text(row, "kind", ""), "atomic") == 0)
        fputs(language_text("  lanes that update one word count as one turn; where the hardware updates by "
                            "compare-and-swap, as floats, each takes its turn\n"),
              stdout);
}

/* Returns whether the drawing is of a source line in which no thread of the warp accesses memory. */
static bool line_is_idle(const json_t *explanation)
{
    return json_is_array(json_object_get(explanation, "lines")) &&
           !(json_path_number(explanation, "lanes_active") > 0);
}

/* Prints why a source line has no drawing. */
static void print_idle_line(const json_t *explanation)
{
    const json_t *lines = json_object_get(explanation, "lines"), *line = json_object_get(explanation, "line");
    size_t i;
    json_t *one;
    if (!json_array_size(lines)) {
        printf(language_text("line %.0f accesses no memory, nor does another\n"), json_number_value(line));
        return;
    }
    json_array_foreach (lines, i, one)
        if (json_equal(one, line)) {
            printf(language_text("no thread of this warp accesses memory in line %.0f\n"),
                   json_number_value(line));
            return;
        }
    printf(language_text("line %.0f accesses no memory; lines that do:"), json_number_value(line));
    json_array_foreach (lines, i, one)
        printf("%s %.0f", i ? "," : "", json_number_value(one));
    putchar('\n');
}

void answers_print_explanation(const json_t *answer, const struct screen *screen)
{
    const json_t *explanation = json_object_get(answer, "explain");
    const json_t *block = json_object_get(explanation, "block");
    printf(line_is_idle(explanation)
               ? language_text("%s%s%s: warp %.0f of block (%.0f, %.0f, %.0f)\n")
               : language_text("%s%s%s: warp %.0f of block (%.0f, %.0f, %.0f), %.0f of %.0f lanes active\n"),
           screen_style(screen, STYLE_STRONG),
           json_path_text(answer, "request.entry", json_path_text(answer, "request.kernel", "?")),
           screen_style(screen, STYLE_NONE), json_path_number(explanation, "warp"),
           json_path_number(block, "0"), json_path_number(block, "1"), json_path_number(block, "2"),
           json_path_number(explanation, "lanes_active"), json_path_number(explanation, "lanes"));
    if (json_path_text(explanation, "arch", NULL))
        printf(language_text("As %s moves it.\n"), json_path_text(explanation, "arch", ""));
    else if (json_path_text(answer, "predictions.0.reason", NULL))
        puts(language_reason(json_path_text(answer, "predictions.0.reason", ""),
                             (char[LANGUAGE_REASON_BYTES]){0}));
    const char *inexact = answers_inexact(json_path_at(answer, "predictions.0"));
    if (inexact)
        puts(inexact);
    if (json_path_text(explanation, "note", NULL))
        puts(language_reason(json_path_text(explanation, "note", ""), (char[LANGUAGE_REASON_BYTES]){0}));
    if (line_is_idle(explanation)) {
        print_idle_line(explanation);
        return;
    }
    printf(language_text("A cell is 4 bytes, 8 cells a sector:  "));
    print_cell(screen, true, 15);
    printf(language_text(" used  "));
    print_cell(screen, true, 1);
    printf(language_text(" partly used  "));
    print_cell(screen, true, 0);
    printf(language_text(" moved and not used  (blank: not moved)\n"));
    size_t i;
    json_t *access;
    bool banks = false;
    json_array_foreach (json_object_get(explanation, "accesses"), i, access)
        banks = banks || json_object_get(access, "banks");
    if (banks)
        puts(has_half_requests(explanation)
                 ? language_text("Of shared memory: how many lanes of each half warp ask at each of the 16 "
                                 "banks, + for ten or more.")
                 : language_text(
                       "Of shared memory: how many lanes ask at each of the 32 banks, + for ten or more."));
    json_array_foreach (json_object_get(explanation, "accesses"), i, access)
        print_access(explanation, access, screen);
    if (json_path_number(explanation, "accesses_left_out") > 0)
        printf(language_text("\n%.0f more accesses of this warp are not listed\n"),
               json_path_number(explanation, "accesses_left_out"));
    const char *arch = json_path_text(explanation, "arch", NULL);
    if (arch)
        printf(language_text("\nThe whole launch on %s:\n"), arch);
    else
        puts(language_text("\nThe whole launch:"));
    rows_table_print(json_object_get(explanation, "instructions"), sums, screen, stdout);
}
