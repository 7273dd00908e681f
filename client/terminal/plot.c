#include "client/terminal/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/terminal/axis.h"
#include "client/terminal/canvas.h"
#include "client/terminal/number.h"

static const char *const signs[] = {"●", "○", "▲", "△", "■", "□", "◆", "◇"};
static const char *const plain_signs[] = {"o", "x", "+", "*", "#", "@", "%", "&"};
enum { SIGNS = sizeof signs / sizeof *signs, TICKS_MAX = 12 };

static enum style style_of(int series)
{
    static const enum style styles[] = {STYLE_BETTER, STYLE_SECOND, STYLE_THIRD, STYLE_FOURTH};
    return styles[series % 4];
}

static const char *sign_of(const struct screen *screen, int series)
{
    return (screen->ascii ? plain_signs : signs)[series % SIGNS];
}

/* The range of all points with their intervals; false when there is none. */
static bool find_range(const struct plot *plot, struct axis *x, struct axis *y)
{
    *x = *y = (struct axis){INFINITY, -INFINITY, false, true};
    for (int i = 0; i < plot->series_count; i++)
        for (size_t k = 0; k < plot->series[i].count; k++) {
            const struct plot_point *point = &plot->series[i].points[k];
            if (!isfinite(point->y) || !isfinite(point->x))
                continue;
            axis_take(x, point->x);
            axis_take(y, point->y);
            axis_take(y, point->low);
            axis_take(y, point->high);
        }
    return x->least <= x->most && y->least <= y->most;
}

static void draw_series(const struct plot *plot, const struct axis *x, const struct axis *y,
                        struct canvas *canvas, const struct screen *screen, int number)
{
    const struct plot_series *series = &plot->series[number];
    const struct plot_point *last = NULL;
    int wide = canvas_dots_x(canvas) - 1, high = canvas_dots_y(canvas) - 1;
    for (size_t k = 0; k < series->count; k++) {
        const struct plot_point *point = &series->points[k];
        if (!isfinite(point->y) || !isfinite(point->x))
            continue;
        int at_x = axis_place(x, point->x, wide), at_y = high - axis_place(y, point->y, high);
        if (isfinite(point->low) && isfinite(point->high))
            canvas_line(canvas, at_x, high - axis_place(y, point->low, high), at_x,
                        high - axis_place(y, point->high, high), style_of(number), '|');
        if (last)
            canvas_line(canvas, axis_place(x, last->x, wide), high - axis_place(y, last->y, high), at_x, at_y,
                        style_of(number), '.');
        canvas_sign(canvas, at_x, at_y, style_of(number), sign_of(screen, number));
        last = point;
    }
}

static void blanks(struct buffer *out, int count)
{
    for (int i = 0; i < count; i++)
        buffer_text(out, " ");
}

/* Below the drawing: the axis' line with its ticks, and their labels where they do not touch. */
static void draw_x(const struct plot *plot, const struct screen *screen, const struct axis *x, int margin,
                   int columns, struct buffer *out)
{
    double ticks[TICKS_MAX];
    int count = plot->x_words ? plot->x_word_count
                              : axis_ticks(x, columns / 9 < 3 ? 3 : columns / 9, ticks, TICKS_MAX);
    if (plot->x_words && count > TICKS_MAX)
        count = TICKS_MAX;
    char *marks = calloc((size_t)columns + 1, 1), *labels = calloc((size_t)columns + 1, 1);
    if (!marks || !labels)
        goto out;
    memset(marks, '-', (size_t)columns);
    memset(labels, ' ', (size_t)columns);
    int free_from = 0;
    for (int i = 0; i < count; i++) {
        char number[NUMBER_BYTES];
        double at = plot->x_words ? (double)i : ticks[i];
        axis_label(number, at);
        const char *text = plot->x_words ? plot->x_words[i] : number;
        int place = axis_place(x, at, columns * 2 - 1) / 2, length = (int)strlen(text);
        marks[place] = '+';
        int from = place - length / 2;
        if (from + length > columns)
            from = columns - length;
        if (from < 0)
            from = 0;
        if (from < free_from || from + length > columns)
            continue;
        memcpy(labels + from, text, (size_t)length);
        free_from = from + length + 1;
    }
    blanks(out, margin);
    buffer_text(out, screen->ascii ? "+" : "└");
    for (int i = 0; i < columns; i++)
        buffer_text(out, screen->ascii ? (marks[i] == '+' ? "+" : "-") : (marks[i] == '+' ? "┴" : "─"));
    buffer_text(out, "\n");
    blanks(out, margin + 1);
    for (int end = columns; end > 0 && labels[end - 1] == ' '; end--)
        labels[end - 1] = '\0';
    buffer_format(out, "%s\n", labels);
    blanks(out, margin + 1);
    buffer_format(out, "%s\n", plot->x_name);
out:
    free(marks);
    free(labels);
}

static void draw_legend(const struct plot *plot, const struct screen *screen, struct buffer *out)
{
    int used = 0;
    for (int i = 0; i < plot->series_count; i++) {
        if (!plot->series[i].name || !*plot->series[i].name)
            continue;
        int wide = text_columns(plot->series[i].name) + 5;
        if (used && used + wide > plot->columns) {
            buffer_text(out, "\n");
            used = 0;
        }
        used += wide;
        buffer_format(out, "  %s%s%s %s", screen_style(screen, style_of(i)), sign_of(screen, i),
                      screen_style(screen, STYLE_NONE), plot->series[i].name);
    }
    if (used)
        buffer_text(out, "\n");
}

void plot_draw(const struct plot *plot, const struct screen *screen, struct buffer *out)
{
    struct axis x, y;
    if (!find_range(plot, &x, &y))
        return;
    axis_widen(&y);
    if (plot->x_words)
        x = (struct axis){0, plot->x_word_count > 1 ? plot->x_word_count - 1 : 1, false, true};
    else
        axis_choose_scale(&x);
    double ticks[TICKS_MAX];
    int tick_count = axis_ticks(&y, plot->rows / 2, ticks, TICKS_MAX), margin = 0;
    char labels[TICKS_MAX][NUMBER_BYTES];
    for (int i = 0; i < tick_count; i++) {
        axis_label(labels[i], ticks[i]);
        margin = (int)strlen(labels[i]) > margin ? (int)strlen(labels[i]) : margin;
    }
    margin += 1;
    int columns = plot->columns - margin - 2;
    struct canvas *canvas = canvas_new(columns, plot->rows);
    if (!canvas) {
        out->failed = true;
        return;
    }
    for (int i = 0; i < plot->series_count; i++)
        draw_series(plot, &x, &y, canvas, screen, i);
    buffer_format(out, "%s%s\n", plot->y_name, y.least > 0 ? " (part of the scale)" : "");
    for (int row = 0; row < plot->rows; row++) {
        int high = plot->rows * 4 - 1;
        const char *label = "";
        for (int i = 0; i < tick_count; i++)
            if ((high - axis_place(&y, ticks[i], high)) / 4 == row)
                label = labels[i];
        blanks(out, margin - 1 - (int)strlen(label));
        buffer_format(out, "%s %s", label, screen->ascii ? (*label ? "+" : "|") : (*label ? "┤" : "│"));
        canvas_row(canvas, row, screen, out);
        buffer_text(out, "\n");
    }
    draw_x(plot, screen, &x, margin, columns, out);
    draw_legend(plot, screen, out);
    canvas_free(canvas);
}
