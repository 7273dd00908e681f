/* A plot has an x axis and a y axis and is drawn on cells, one for each character, of 2 x 4 braille dots. */
#include "client/terminal/plot.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/terminal/language.h"
#include "client/terminal/number.h"

static const char *const signs[] = {"●", "○", "▲", "■", "□", "◆", "◇", "▽"};
static const char *const plain_signs[] = {"o", "x", "+", "*", "#", "@", "%", "&"};
enum { SIGNS = sizeof signs / sizeof *signs, TICKS_MAX = 12 };

struct plot_axis {
    double least, most;
    bool powers; /* a logarithmic scale, with powers of two as ticks */
    bool whole;  /* all values are integers, so the ticks are too */
};

struct plot_cell {
    uint8_t dots; /* a bit for each */
    char ascii;
    enum style style;
    const char *mark; /* in place of the dots; NULL: none */
};

/* Dots are counted from the upper left, 0 to right and 0 to bottom. */
struct plot_drawing {
    const struct plot *plot;
    const struct screen *screen;
    struct buffer *out;
    struct plot_axis x, y;
    struct plot_cell *cells;
    int columns, right, bottom;
    int margin; /* columns left of the y axis */
};

/* ---- axes ---- */

/* Widens the range to include the value; NaN and infinity are ignored. */
static void axis_include(struct plot_axis *axis, double value)
{
    if (!isfinite(value))
        return;
    axis->least = fmin(axis->least, value);
    axis->most = fmax(axis->most, value);
    axis->whole = axis->whole && value == floor(value);
}

/* Adds a margin at both ends, also to a single value. A range that begins just above zero begins at zero. */
static void axis_pad(struct plot_axis *axis)
{
    double margin = axis->most > axis->least ? (axis->most - axis->least) * 0.06 : fabs(axis->most) * 0.05;
    if (!(margin > 0))
        margin = 1;
    bool positive = axis->least >= 0;
    axis->least -= margin;
    axis->most += margin;
    if (positive && axis->least < axis->most * 0.1)
        axis->least = 0;
}

/* Chooses powers where all values are positive and the ends are a factor of 64 or more apart. Makes a
   range of a single value. */
static void axis_choose_scale(struct plot_axis *axis)
{
    if (axis->most <= axis->least) {
        axis->least -= 1;
        axis->most += 1;
    }
    axis->powers = axis->least > 0 && axis->most / axis->least >= 64;
}

/* The value's position from 0 to last, clamped. */
static int axis_position(const struct plot_axis *axis, double value, int last)
{
    double from = axis->least, to = axis->most;
    if (axis->powers) {
        from = log2(from);
        to = log2(to);
        value = log2(value);
    }
    double position = (value - from) / (to - from) * last;
    return position < 0 ? 0 : position > last ? last : (int)lround(position);
}

/* Fills ticks[] with about `wanted` round values within the range. Returns how many. */
static int axis_ticks(const struct plot_axis *axis, int wanted, double ticks[TICKS_MAX])
{
    static const double rounds[] = {1, 2, 5, 10};
    int count = 0;
    if (axis->powers) {
        double first = ceil(log2(axis->least) - 1e-9), last = floor(log2(axis->most) + 1e-9);
        double step = fmax(1, ceil((last - first) / wanted));
        for (double at = first; at <= last && count < TICKS_MAX; at += step)
            ticks[count++] = exp2(at);
        return count;
    }
    double raw = (axis->most - axis->least) / wanted, power = pow(10, floor(log10(raw)));
    int round = 0;
    while (round < 3 && rounds[round] * power < raw * 0.999)
        round++;
    double step = axis->whole ? fmax(1, rounds[round] * power) : rounds[round] * power;
    for (double at = ceil(axis->least / step - 1e-9);
         at * step <= axis->most + step * 1e-9 && count < TICKS_MAX; at++)
        ticks[count++] = at * step;
    return count;
}

/* A tick's text: powers of two from 2^10 on as such, other numbers with six digits. */
static void tick_text(char text[NUMBER_BYTES], double value)
{
    double whole = log2(value);
    if (value >= 1024 && whole == floor(whole))
        snprintf(text, NUMBER_BYTES, "2^%.0f", whole);
    else
        snprintf(text, NUMBER_BYTES, "%.6g", value + 0.0);
}

/* ---- cells ---- */

static struct plot_cell *cell_at(const struct plot_drawing *drawing, int x, int y)
{
    return &drawing->cells[y / 4 * drawing->columns + x / 2];
}

/* Draws a line of dots, both ends included. `ascii` stands for its dots on a terminal without Unicode. */
static void draw_line(struct plot_drawing *drawing, int x0, int y0, int x1, int y1, enum style style,
                      char ascii)
{
    /* Bits of the dots in the braille patterns from U+2800 on. */
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    int across = abs(x1 - x0), down = abs(y1 - y0), steps = across > down ? across : down;
    for (int i = 0; i <= steps; i++) {
        double part = steps ? (double)i / steps : 0;
        int x = x0 + (int)((x1 - x0) * part + (x1 >= x0 ? 0.5 : -0.5));
        int y = y0 + (int)((y1 - y0) * part + (y1 >= y0 ? 0.5 : -0.5));
        struct plot_cell *cell = cell_at(drawing, x, y);
        cell->dots |= bits[y % 4][x % 2];
        if (!cell->mark) /* a mark hides the dots, and keeps its own colour */
            cell->style = style;
        if (!cell->ascii || ascii == '|')
            cell->ascii = ascii;
    }
}

static void set_mark(struct plot_drawing *drawing, int x, int y, const char *mark, enum style style)
{
    struct plot_cell *cell = cell_at(drawing, x, y);
    cell->mark = mark;
    cell->style = style;
}

/* Appends one row of cells without trailing blanks. */
static void put_cells(const struct plot_drawing *drawing, int row)
{
    const struct plot_cell *cell = &drawing->cells[row * drawing->columns], *end = cell + drawing->columns;
    struct buffer *out = drawing->out;
    while (end > cell && !end[-1].mark && !end[-1].dots)
        end--;
    for (; cell < end; cell++) {
        unsigned code = 0x2800u + cell->dots;
        const char braille[] = {(char)(0xE0 | (code >> 12)), (char)(0x80 | ((code >> 6) & 0x3F)),
                                (char)(0x80 | (code & 0x3F)), 0},
                   ascii[] = {cell->ascii, 0};
        if (!cell->mark && !cell->dots)
            buffer_text(out, " ");
        else
            buffer_format(out, "%s%s%s", screen_style(drawing->screen, cell->style),
                          cell->mark               ? cell->mark
                          : drawing->screen->ascii ? ascii
                                                   : braille,
                          screen_style(drawing->screen, STYLE_NONE));
    }
}

/* ---- the plot ---- */

static enum style style_of(int series)
{
    static const enum style styles[] = {STYLE_BETTER, STYLE_SECOND, STYLE_THIRD, STYLE_FOURTH};
    return styles[series % 4];
}

static const char *mark_of(const struct screen *screen, int series)
{
    return (screen->ascii ? plain_signs : signs)[series % SIGNS];
}

/* Widens the range so that it shows the intervals, on each side by at most half of the range of the points or the
   width of the narrowest interval, whichever is larger. Without the latter, points that differ by noise alone would
   seem far apart. Wider intervals are cut. */
static void axis_include_intervals(struct plot_axis *axis, const struct plot *plot, double narrowest)
{
    double range = axis->most > axis->least ? axis->most - axis->least : fabs(axis->most) * 0.2;
    double room = fmax(range / 2, isfinite(narrowest) ? narrowest : 0);
    double least = axis->least - room, most = axis->most + room;
    for (int i = 0; i < plot->series_count; i++)
        for (size_t k = 0; k < plot->series[i].count; k++) {
            const struct plot_point *point = &plot->series[i].points[k];
            if (!isfinite(point->low) || !isfinite(point->high))
                continue;
            axis_include(axis, fmax(point->low, least));
            axis_include(axis, fmin(point->high, most));
        }
}

/* Sets the ranges to those of all points; false when there is no point. */
static bool find_ranges(struct plot_drawing *drawing)
{
    const struct plot *plot = drawing->plot;
    double narrowest = INFINITY; /* width of the narrowest interval */
    drawing->x = drawing->y = (struct plot_axis){INFINITY, -INFINITY, false, true};
    for (int i = 0; i < plot->series_count; i++)
        for (size_t k = 0; k < plot->series[i].count; k++) {
            const struct plot_point *point = &plot->series[i].points[k];
            if (!isfinite(point->y) || !isfinite(point->x))
                continue;
            axis_include(&drawing->x, point->x);
            axis_include(&drawing->y, point->y);
            narrowest = fmin(narrowest, point->high - point->low);
        }
    if (!(drawing->x.least <= drawing->x.most))
        return false;
    axis_include_intervals(&drawing->y, plot, narrowest);
    axis_pad(&drawing->y);
    if (plot->x_words)
        drawing->x = (struct plot_axis){0, plot->x_word_count > 1 ? plot->x_word_count - 1 : 1, false, true};
    else
        axis_choose_scale(&drawing->x);
    return true;
}

static int dot_x(const struct plot_drawing *drawing, double value)
{
    return axis_position(&drawing->x, value, drawing->right);
}
static int dot_y(const struct plot_drawing *drawing, double value)
{
    return drawing->bottom - axis_position(&drawing->y, value, drawing->bottom);
}

/* An end beyond the scale is an arrow. */
static void draw_interval(struct plot_drawing *drawing, const struct plot_point *point, enum style style)
{
    int x = dot_x(drawing, point->x), low = dot_y(drawing, point->low), high = dot_y(drawing, point->high);
    draw_line(drawing, x, low, x, high, style, '|');
    if (point->high > drawing->y.most)
        set_mark(drawing, x, high, drawing->screen->ascii ? "^" : "↑", style);
    if (point->low < drawing->y.least)
        set_mark(drawing, x, low, drawing->screen->ascii ? "v" : "↓", style);
}

static void draw_series(struct plot_drawing *drawing, int number)
{
    const struct plot_series *series = &drawing->plot->series[number];
    const struct plot_point *last = NULL;
    enum style style = style_of(number);
    for (size_t k = 0; k < series->count; k++) {
        const struct plot_point *point = &series->points[k];
        if (!isfinite(point->y) || !isfinite(point->x))
            continue;
        int x = dot_x(drawing, point->x), y = dot_y(drawing, point->y);
        if (isfinite(point->low) && isfinite(point->high))
            draw_interval(drawing, point, style);
        if (last)
            draw_line(drawing, dot_x(drawing, last->x), dot_y(drawing, last->y), x, y, style, '.');
        set_mark(drawing, x, y, mark_of(drawing->screen, number), style);
        last = point;
    }
}

/* The rows of cells, behind the y axis with its ticks. */
static void put_rows(struct plot_drawing *drawing, const double *ticks, char (*labels)[NUMBER_BYTES],
                     int count)
{
    bool ascii = drawing->screen->ascii;
    for (int row = 0; row < drawing->plot->rows; row++) {
        const char *label = "";
        for (int i = 0; i < count; i++)
            if (dot_y(drawing, ticks[i]) / 4 == row)
                label = labels[i];
        buffer_format(drawing->out, "%*s %s", drawing->margin - 1, label,
                      ascii ? (*label ? "+" : "|") : (*label ? "┤" : "│"));
        put_cells(drawing, row);
        buffer_text(drawing->out, "\n");
    }
}

/* The line of the x axis with its ticks, and their labels where these do not overlap. */
static void put_x(struct plot_drawing *drawing)
{
    const struct plot *plot = drawing->plot;
    struct buffer *out = drawing->out;
    bool ascii = drawing->screen->ascii;
    int columns = drawing->columns;
    double ticks[TICKS_MAX];
    int count = plot->x_words ? plot->x_word_count
                              : axis_ticks(&drawing->x, columns / 9 < 3 ? 3 : columns / 9, ticks);
    if (count > TICKS_MAX)
        count = TICKS_MAX;
    char *marks = calloc((size_t)columns + 1, 1), *labels = calloc((size_t)columns + 1, 1);
    if (!marks || !labels)
        goto out;
    memset(marks, '-', (size_t)columns);
    memset(labels, ' ', (size_t)columns);
    for (int i = 0, free_from = 0; i < count; i++) {
        char number[NUMBER_BYTES];
        double at = plot->x_words ? (double)i : ticks[i];
        tick_text(number, at);
        const char *text = plot->x_words ? plot->x_words[i] : number;
        int mark = dot_x(drawing, at) / 2, length = (int)strlen(text);
        marks[mark] = '+';
        int from = mark - length / 2;
        if (from + length > columns)
            from = columns - length;
        if (from < 0)
            from = 0;
        if (from < free_from || from + length > columns)
            continue;
        memcpy(labels + from, text, (size_t)length);
        free_from = from + length + 1;
    }
    buffer_format(out, "%*s%s", drawing->margin, "", ascii ? "+" : "└");
    for (int i = 0; i < columns; i++)
        buffer_text(out, ascii ? (marks[i] == '+' ? "+" : "-") : (marks[i] == '+' ? "┴" : "─"));
    for (int end = columns; end > 0 && labels[end - 1] == ' '; end--)
        labels[end - 1] = '\0';
    buffer_format(out, "\n%*s%s\n%*s%s\n", drawing->margin + 1, "", labels, drawing->margin + 1, "",
                  plot->x_name);
out:
    free(marks);
    free(labels);
}

static void put_legend(struct plot_drawing *drawing)
{
    const struct plot *plot = drawing->plot;
    const struct screen *screen = drawing->screen;
    struct buffer *out = drawing->out;
    int used = 0;
    for (int i = 0; i < plot->series_count; i++) {
        if (!plot->series[i].name || !*plot->series[i].name)
            continue;
        int width = screen_text_columns(plot->series[i].name) + 5;
        if (used && used + width > plot->columns) {
            buffer_text(out, "\n");
            used = 0;
        }
        used += width;
        buffer_format(out, "  %s%s%s %s", screen_style(screen, style_of(i)), mark_of(screen, i),
                      screen_style(screen, STYLE_NONE), plot->series[i].name);
    }
    if (used)
        buffer_text(out, "\n");
}

void plot_draw(const struct plot *plot, const struct screen *screen, struct buffer *out)
{
    struct plot_drawing drawing = {.plot = plot, .screen = screen, .out = out};
    double ticks[TICKS_MAX];
    char labels[TICKS_MAX][NUMBER_BYTES];
    if (!find_ranges(&drawing))
        return;
    int tick_count = axis_ticks(&drawing.y, plot->rows / 2, ticks);
    for (int i = 0; i < tick_count; i++) {
        tick_text(labels[i], ticks[i]);
        drawing.margin = (int)strlen(labels[i]) > drawing.margin ? (int)strlen(labels[i]) : drawing.margin;
    }
    drawing.margin += 1;
    drawing.columns = plot->columns - drawing.margin - 2;
    drawing.right = drawing.columns * 2 - 1;
    drawing.bottom = plot->rows * 4 - 1;
    drawing.cells = calloc((size_t)drawing.columns * (size_t)plot->rows, sizeof *drawing.cells);
    if (!drawing.cells) {
        out->failed = true;
        return;
    }
    for (int i = 0; i < plot->series_count; i++)
        draw_series(&drawing, i);
    buffer_format(out, "%s%s\n", plot->y_name,
                  drawing.y.least > 0 ? language_text(" (part of the scale)") : "");
    put_rows(&drawing, ticks, labels, tick_count);
    put_x(&drawing);
    put_legend(&drawing);
    free(drawing.cells);
}

void plot_print(const struct plot *plot, const struct screen *screen)
{
    struct plot wide = *plot;
    struct buffer out = {0};
    wide.columns = screen->columns < 40 ? 40 : screen->columns > 100 ? 100 : screen->columns;
    plot_draw(&wide, screen, &out);
    printf("\n%s", out.data ? out.data : "");
    buffer_free(&out);
}
