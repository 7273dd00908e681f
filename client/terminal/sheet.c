#include "client/terminal/sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 64, GAP = 2 };

struct cell {
    enum style style;
    char *text;
};

struct column {
    int flags, width;
    char *name, *unit;
};

struct sheet {
    struct column columns[COLUMNS_MAX];
    int column_count;
    struct cell *cells;
    size_t cell_count, capacity;
};

struct sheet *sheet_new(void)
{
    return calloc(1, sizeof(struct sheet));
}

static void widen(struct column *column, const char *text)
{
    int width = text ? screen_text_columns(text) : 0;
    if (width > column->width)
        column->width = width;
}

void sheet_column(struct sheet *sheet, int flags, const char *name, const char *unit)
{
    if (!sheet || sheet->column_count == COLUMNS_MAX)
        return;
    struct column *column = &sheet->columns[sheet->column_count++];
    *column = (struct column){.flags = flags, .name = strdup(name), .unit = strdup(unit)};
    widen(column, name);
    widen(column, unit);
}

void sheet_cell(struct sheet *sheet, enum style style, const char *text)
{
    if (!sheet || !sheet->column_count)
        return;
    if (sheet->cell_count == sheet->capacity) {
        size_t capacity = sheet->capacity ? sheet->capacity * 2 : 64;
        struct cell *cells = realloc(sheet->cells, capacity * sizeof *cells);
        if (!cells)
            return;
        sheet->cells = cells;
        sheet->capacity = capacity;
    }
    widen(&sheet->columns[sheet->cell_count % (size_t)sheet->column_count], text);
    sheet->cells[sheet->cell_count++] = (struct cell){style, strdup(text)};
}

void sheet_format(struct sheet *sheet, enum style style, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sheet_cell(sheet, style, text);
}

static int width_of(const struct sheet *sheet, const bool *left_out)
{
    int width = 0;
    for (int i = 0; i < sheet->column_count; i++)
        if (!left_out[i])
            width += sheet->columns[i].width + (width ? GAP : 0);
    return width;
}

static void leave_columns_out(const struct sheet *sheet, const struct screen *screen, bool *left_out)
{
    if (!screen->out)
        return;
    for (int i = sheet->column_count - 1; i > 0 && width_of(sheet, left_out) > screen->columns; i--)
        if (sheet->columns[i].flags & SHEET_SPARE)
            left_out[i] = true;
}

/* One line, without trailing blanks. */
static void print_line(const struct sheet *sheet, const struct screen *screen, const bool *left_out,
                       const struct cell *cells, FILE *out)
{
    int pending = 0; /* blanks before the next text */
    bool first = true;
    for (int i = 0; i < sheet->column_count; i++) {
        const struct column *column = &sheet->columns[i];
        const char *text = cells[i].text ? cells[i].text : "";
        if (left_out[i])
            continue;
        int blanks = column->width - screen_text_columns(text);
        pending += first ? 0 : GAP;
        first = false;
        if (column->flags & SHEET_RIGHT)
            pending += blanks;
        if (*text) {
            fprintf(out, "%*s%s%s%s", pending, "", cells[i].style ? screen_style(screen, cells[i].style) : "",
                    text, cells[i].style ? screen_style(screen, STYLE_NONE) : "");
            pending = 0;
        }
        if (!(column->flags & SHEET_RIGHT))
            pending += blanks;
    }
    fputc('\n', out);
}

static void sheet_free(struct sheet *sheet)
{
    for (int i = 0; i < sheet->column_count; i++) {
        free(sheet->columns[i].name);
        free(sheet->columns[i].unit);
    }
    for (size_t i = 0; i < sheet->cell_count; i++)
        free(sheet->cells[i].text);
    free(sheet->cells);
    free(sheet);
}

void sheet_print(struct sheet *sheet, const struct screen *screen, FILE *out)
{
    if (!sheet)
        return;
    bool left_out[COLUMNS_MAX] = {false}, units = false;
    leave_columns_out(sheet, screen, left_out);
    struct cell head[COLUMNS_MAX] = {{0}}, below[COLUMNS_MAX] = {{0}};
    for (int i = 0; i < sheet->column_count; i++) {
        head[i] = (struct cell){STYLE_STRONG, sheet->columns[i].name};
        below[i] = (struct cell){STYLE_FAINT, sheet->columns[i].unit};
        units = units || (sheet->columns[i].unit && *sheet->columns[i].unit);
    }
    print_line(sheet, screen, left_out, head, out);
    if (units)
        print_line(sheet, screen, left_out, below, out);
    size_t count = (size_t)sheet->column_count;
    for (size_t row = 0; row + count <= sheet->cell_count; row += count)
        print_line(sheet, screen, left_out, &sheet->cells[row], out);
    bool any = false;
    for (int i = 0; i < sheet->column_count; i++)
        if (left_out[i]) {
            const char *name = *sheet->columns[i].name ? sheet->columns[i].name : sheet->columns[i].unit;
            fprintf(out, "%s%s", any ? ", " : "not shown at this width: ", name);
            any = true;
        }
    if (any)
        fputc('\n', out);
    sheet_free(sheet);
}
