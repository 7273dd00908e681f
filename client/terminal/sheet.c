#include "client/terminal/sheet.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "client/terminal/language.h"

enum { COLUMNS_MAX = 64, GAP = 2, CUT_WANTED = 24, CUT_LEAST = 12 };

struct cell {
    enum style style;
    char *text;
};

struct column {
    int flags, width;
    bool left_out;
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

int sheet_column(struct sheet *sheet, int flags, const char *name, const char *unit)
{
    if (!sheet || sheet->column_count == COLUMNS_MAX)
        return COLUMNS_MAX;
    struct column *column = &sheet->columns[sheet->column_count++];
    *column = (struct column){.flags = flags, .name = strdup(name), .unit = strdup(unit)};
    widen(column, name);
    widen(column, unit);
    return sheet->column_count - 1;
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

static int width_of(const struct sheet *sheet)
{
    int width = 0;
    for (int i = 0; i < sheet->column_count; i++)
        if (!sheet->columns[i].left_out)
            width += sheet->columns[i].width + (width ? GAP : 0);
    return width;
}

/* The text as it stands in a column that became narrower; freed by the caller. */
static char *cut(const struct column *column, const struct screen *screen, const char *text)
{
    const char *dots = screen->ascii ? "..." : "…";
    int columns = screen_text_columns(text), left = column->width - screen_text_columns(dots);
    char *shorter = NULL;
    if (columns <= column->width || left < 1)
        return strdup(text);
    const char *tail = column->flags & SHEET_ID ? text + strlen(text) - SHEET_ID_TAIL : "";
    size_t head = screen_text_cut(text, column->flags & SHEET_ID ? SHEET_ID_HEAD : left);
    return asprintf(&shorter, "%.*s%s%s", (int)head, text, dots, tail) < 0 ? NULL : shorter;
}

/* Leaves out columns with SHEET_SPARE until the table is narrow enough: those with the flag `only` (0: all), and none with
   the flag `but`. */
static void leave_out(struct sheet *sheet, const struct screen *screen, int only, int but)
{
    for (int i = sheet->column_count - 1; i > 0 && width_of(sheet) > screen->columns; i--) {
        struct column *column = &sheet->columns[i];
        bool may = column->flags & SHEET_SPARE && !(column->flags & but) && (!only || column->flags & only);
        column->left_out = column->left_out || may;
    }
}

/* Makes the table as narrow as the terminal, as far as its columns allow: what may be cut gives way until others are left
   out, then further, and takes the room that is then over. */
static void narrow(struct sheet *sheet, const struct screen *screen)
{
    struct column *cuttable = NULL;
    for (int i = 0; i < sheet->column_count && width_of(sheet) > screen->columns; i++)
        if (sheet->columns[i].flags & SHEET_ID)
            sheet->columns[i].width = SHEET_ID_HEAD + SHEET_ID_TAIL + (screen->ascii ? 3 : 1);
    for (int i = 0; i < sheet->column_count; i++)
        if (sheet->columns[i].flags & SHEET_CUT)
            cuttable = &sheet->columns[i];
    int whole = cuttable ? cuttable->width : 0;
    if (whole > CUT_WANTED)
        cuttable->width = CUT_WANTED;
    leave_out(sheet, screen, SHEET_FIRST, 0);
    leave_out(sheet, screen, 0, SHEET_CUT);
    if (whole > CUT_LEAST && width_of(sheet) > screen->columns)
        cuttable->width = CUT_LEAST;
    leave_out(sheet, screen, 0, 0);
    int room = screen->columns - width_of(sheet);
    if (cuttable && room > 0)
        cuttable->width = whole < cuttable->width + room ? whole : cuttable->width + room;
}

/* Takes the column away without a word. */
static void column_empty(struct sheet *sheet, int column)
{
    for (size_t i = (size_t)column; i < sheet->cell_count; i += (size_t)sheet->column_count)
        if (sheet->cells[i].text && *sheet->cells[i].text)
            return;
    sheet->columns[column].left_out = true;
    sheet->columns[column].name[0] = sheet->columns[column].unit[0] = '\0';
}

/* One line, without trailing blanks. */
static void print_line(const struct sheet *sheet, const struct screen *screen, const struct cell *cells,
                       FILE *out)
{
    int pending = 0; /* blanks before the next text */
    bool first = true;
    for (int i = 0; i < sheet->column_count; i++) {
        const struct column *column = &sheet->columns[i];
        char *shorter = NULL;
        if (column->left_out)
            continue;
        if (screen->out && column->flags & (SHEET_ID | SHEET_CUT) && cells[i].text)
            shorter = cut(column, screen, cells[i].text);
        const char *text = shorter ? shorter : cells[i].text ? cells[i].text : "";
        int blanks = column->width - screen_text_columns(text);
        pending += first ? 0 : GAP;
        first = false;
        if (column->flags & SHEET_RIGHT)
            pending += blanks;
        if (*text) {
            const char *begin = screen_style(screen, cells[i].style), *end = screen_style(screen, STYLE_NONE);
            fprintf(out, "%*s%s%s%s", pending, "", cells[i].style ? begin : "", text,
                    cells[i].style ? end : "");
            pending = 0;
        }
        if (!(column->flags & SHEET_RIGHT))
            pending += blanks;
        free(shorter);
    }
    fputc('\n', out);
}

int sheet_print(struct sheet *sheet, const struct screen *screen, FILE *out)
{
    if (!sheet)
        return 0;
    bool units = false, left_out = false;
    int columns = sheet->column_count, shown = 0;
    const char *before = language_text("not shown at this width: ");
    struct cell head[COLUMNS_MAX] = {{0}}, below[COLUMNS_MAX] = {{0}};
    for (int i = 0; i < columns; i++)
        if (sheet->columns[i].flags & SHEET_FILLED && sheet->columns[i].name && sheet->columns[i].unit)
            column_empty(sheet, i);
    if (screen->out)
        narrow(sheet, screen);
    char *group = NULL; /* the name of a column that is left out, for the next one that has none of its own */
    for (int i = 0; i < columns; i++) {
        char *name = sheet->columns[i].name;
        bool unnamed = !name || !*name, grouped = sheet->columns[i].unit && *sheet->columns[i].unit;
        group = !unnamed ? name : grouped ? group : NULL;
        head[i] = (struct cell){STYLE_STRONG, unnamed && group ? group : name};
        group = sheet->columns[i].left_out ? group : NULL;
        below[i] = (struct cell){STYLE_FAINT, sheet->columns[i].unit};
        units = units || (sheet->columns[i].unit && *sheet->columns[i].unit);
        shown += !sheet->columns[i].left_out;
    }
    print_line(sheet, screen, head, out);
    if (units)
        print_line(sheet, screen, below, out);
    for (size_t row = 0; row + (size_t)columns <= sheet->cell_count; row += (size_t)columns)
        print_line(sheet, screen, &sheet->cells[row], out);
    const char *named = ""; /* a column without a name is one more of that */
    for (int i = 0; i < columns; i++) {
        const struct column *column = &sheet->columns[i];
        const char *unit = column->unit ? column->unit : "";
        named = column->name && *column->name ? column->name : named;
        if (column->left_out && ((column->name && *column->name) || *unit)) {
            fprintf(out, "%s%s%s%s", before, named, *named && *unit ? " " : "", unit);
            before = language_text(", ");
            left_out = true;
        }
    }
    for (int i = 0; i < columns; i++) {
        free(sheet->columns[i].name);
        free(sheet->columns[i].unit);
    }
    if (left_out)
        fputc('\n', out);
    for (size_t i = 0; i < sheet->cell_count; i++)
        free(sheet->cells[i].text);
    free(sheet->cells);
    free(sheet);
    return shown;
}
