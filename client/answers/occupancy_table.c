/* What fits a multiprocessor: a line an architecture, and the staircases of a single one. */
#include "client/answers/answers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/answers/rows_table.h"
#include "client/terminal/language.h"

enum { BAR_COLUMNS = 32 }; /* an SM has no more block slots */

const char *answers_limit_words(const char *limit)
{
    static const char *const limits[][2] = {
        {"blocks", "block slots"},
        {"shared_memory", "shared memory"},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (strcmp(limit, limits[i][0]) == 0)
            return language_text(limits[i][1]);
    return language_text(limit);
}

static enum style limits_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    size_t i;
    const json_t *limit;
    json_array_foreach (json_object_get(row, "limited_by"), i, limit)
        json_path_append(text, ROWS_TABLE_CELL_BYTES, "%s%s", i ? language_text(", ") : "",
                         answers_limit_words(json_string_value(limit)));
    return STYLE_NONE;
}

static enum style warps_cell(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%.0f/%.0f", json_path_number(row, "warps_per_sm"),
             json_path_number(row, "max_warps_per_sm"));
    return STYLE_NONE;
}

static void print_rows(const json_t *rows, const struct screen *screen)
{
    enum { SPARE = SHEET_RIGHT | SHEET_SPARE };
    static const struct rows_table_column columns[] = {
        {"arch", "", SHEET_LEFT, .path = "arch", .style = STYLE_STRONG},
        {"occupancy", "%", SHEET_RIGHT, .path = "theoretical", .form = ROWS_TABLE_COUNT, .factor = 100},
        {"blocks", "", SHEET_RIGHT, .path = "blocks_per_sm", .form = ROWS_TABLE_COUNT},
        {"warps", "", SHEET_RIGHT, .cell = warps_cell},
        {"limited by", "", SHEET_LEFT, .cell = limits_cell},
        {"to hide a register's latency", "warps", SPARE, .path = "warps_to_hide_register_latency",
         .form = ROWS_TABLE_COUNT, .missing = ""},
        {"", "instructions", SPARE, .path = "instructions_to_hide_register_latency", .form = ROWS_TABLE_COUNT,
         .missing = ""},
        {NULL},
    };
    rows_table_print(rows, columns, screen, stdout);
}

/* One figure: a line for each range in which as many blocks fit, with as many marks. */
static void print_staircase(const json_t *steps, const char *title, double now, const struct screen *screen)
{
    const size_t count = json_array_size(steps);
    struct sheet *sheet = sheet_new();
    putchar('\n');
    sheet_column(sheet, SHEET_RIGHT, title, "");
    sheet_column(sheet, SHEET_RIGHT, language_text("blocks"), "");
    sheet_column(sheet, SHEET_RIGHT, language_text("warps"), "");
    sheet_column(sheet, SHEET_LEFT, "", "");
    for (size_t from = 0, to; from < count; from = to) {
        const json_t *step = json_array_get(steps, from);
        double blocks = json_path_number(step, "blocks_per_sm"), first = json_path_number(step, "from");
        for (to = from + 1;
             to < count && json_path_number(json_array_get(steps, to), "blocks_per_sm") == blocks; to++)
            ;
        const json_t *end = json_array_get(steps, to - 1);
        double last = json_path_number(end, "to"), least = json_path_number(step, "warps_per_sm"),
               most = json_path_number(end, "warps_per_sm");
        bool here = now >= first && now <= last;
        char bar[ROWS_TABLE_CELL_BYTES] = "";
        for (int k = 0; k < (int)fmin(blocks, BAR_COLUMNS); k++)
            strcat(bar, screen->ascii ? "#" : "█");
        enum style style = here ? STYLE_STRONG : STYLE_NONE;
        sheet_format(sheet, style, "%.0f..%.0f", first, last);
        sheet_format(sheet, style, "%.0f", blocks);
        sheet_format(sheet, style, least < most ? "%.0f..%.0f" : "%.0f", least, most);
        sheet_format(sheet, style, "%s%s", bar, !here ? "" : language_text(" here"));
    }
    sheet_print(sheet, screen, stdout);
}

void answers_print_occupancy(const json_t *document, const struct screen *screen)
{
    static const struct {
        const char *axis, *text, *asked;
    } axes[] = {
        {"registers", "registers a thread", "registers_per_thread"},
        {"shared_bytes", "shared bytes a block", "shared_bytes"},
        {"threads", "threads a block", "block"},
    };
    const json_t *rows = json_object_get(document, "occupancies");
    print_rows(rows, screen);
    for (size_t i = 0; i < sizeof axes / sizeof *axes && json_array_size(rows) == 1; i++) {
        const json_t *staircases = json_object_get(json_array_get(rows, 0), "staircases");
        print_staircase(json_object_get(staircases, axes[i].axis), language_text(axes[i].text),
                        json_path_number(document, axes[i].asked), screen);
    }
}
