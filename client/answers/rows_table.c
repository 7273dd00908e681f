#include "client/answers/rows_table.h"

#include <math.h>
#include <stdio.h>

#include "client/answers/json_path.h"
#include "client/terminal/language.h"
#include "client/terminal/number.h"

static void add_number(struct sheet *sheet, const struct rows_table_column *column, const json_t *value)
{
    char text[NUMBER_BYTES];
    double number = json_path_number(value, "") * (column->factor != 0 ? column->factor : 1);
    if (column->form == ROWS_TABLE_COUNT && json_is_integer(value))
        number_count(text, json_integer_value(value));
    else
        number_text(text, number);
    if (column->form == ROWS_TABLE_ABOVE_0 && !(number > 0))
        return sheet_cell(sheet, column->style, "");
    if ((column->form == ROWS_TABLE_WHOLE || column->form == ROWS_TABLE_ABOVE_0) && isfinite(number))
        snprintf(text, sizeof text, "%.0f", number);
    sheet_cell(sheet, column->style,
               isfinite(number) || !column->missing ? text : language_text(column->missing));
}

static void add_cell(struct sheet *sheet, const struct rows_table_column *column, const json_t *row)
{
    char text[ROWS_TABLE_CELL_BYTES] = "", short_text[JSON_PATH_TEXT_BYTES];
    const json_t *value = column->path ? json_path_at(row, column->path) : NULL;
    if (column->cell) {
        enum style style = column->cell(text, row);
        sheet_cell(sheet, style, text);
    } else if (column->form != ROWS_TABLE_TEXT) {
        add_number(sheet, column, value);
    } else if (json_is_string(value)) {
        sheet_cell(sheet, column->style, json_string_value(value));
    } else {
        json_path_value(short_text, value);
        sheet_cell(sheet, column->style,
                   *short_text || !column->missing ? short_text : language_text(column->missing));
    }
}

void rows_table_print(const json_t *rows, const struct rows_table_column *columns,
                      const struct screen *screen, FILE *out)
{
    struct sheet *sheet = sheet_new();
    const struct rows_table_column *column;
    size_t i;
    json_t *row;
    for (column = columns; column->title; column++)
        sheet_column(sheet, column->flags, language_text(column->title),
                     column->unit ? language_text(column->unit) : "");
    json_array_foreach (rows, i, row)
        for (column = columns; column->title; column++)
            add_cell(sheet, column, row);
    sheet_print(sheet, screen, out);
}

enum style rows_table_kernel(char text[ROWS_TABLE_CELL_BYTES], const json_t *row)
{
    const char *entry = json_path_text(row, "entry", NULL),
               *kernel = json_path_text(row, "kernel", json_path_text(row, "request.kernel", "?"));
    snprintf(text, ROWS_TABLE_CELL_BYTES, "%s%s%s", entry ? entry : "", entry ? " " : "", kernel);
    return STYLE_NONE;
}

bool rows_table_unwritten(const json_t *row)
{
    bool sweep = json_path_number(row, "unwritten") > 0 && json_path_number(row, "queued") == 0 &&
                 json_path_number(row, "running") == 0;
    return sweep || json_path_true(row, "unwritten");
}
