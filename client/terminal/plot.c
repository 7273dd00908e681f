#include "client/terminal/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "client/terminal/plot_axis.h"
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

static const char *mark_of(const struct screen *screen, int series)
{
    return (screen->ascii ? plain_signs : signs)[series % SIGNS];
}

/* The range of all points with their intervals; false when there is none. */
static bool find_range(const struct plot *plot, struct plot_axis *x, struct plot_axis *y)
{
    *x = *y = (struct plot_axis){INFINITY, -INFINITY, false, true};
    for (int i = 0; i < plot->series_count; i++)
        for (size_t k = 0; k < plot->series[i].count; k++) {
            const struct plot_point *point = &plot->series[i].points[k];
            if (!isfinite(point->y) || !isfinite(point->x))
                continue;
            plot_axis_include(x, point->x);
            plot_axis_include(y, point->y);
            plot_axis_include(y, point->low);
            plot_axis_include(y, point->high);
        }
    return x->least <= x->most && y->least <= y->most;
}

static void draw_series(const struct plot *plot, const struct plot_axis *x, const struct plot_axis *y,
                        struct canvas *canvas, const struct screen *screen, int number)
{
    const struct plot_series *series = &plot->series[number];
    const struct plot_point *last = NULL;
    int right = canvas_dots_x(canvas) - 1, bottom = canvas_dots_y(canvas) - 1;
    for (size_t k = 0; k < series->count; k++) {
        const struct plot_point *point = &series->points[k];
        if (!isfinite(point->y) || !isfinite(point->x))
            continue;
        int at_x = plot_axis_position(x, point->x, right),
            at_y = bottom - plot_axis_position(y, point->y, bottom);
        if (isfinite(point->low) && isfinite(point->high))
            canvas_line(canvas, at_x, bottom - plot_axis_position(y, point->low, bottom), at_x,
                        bottom - plot_axis_position(y, point->high, bottom), style_of(number), '|');
        if (last)
            canvas_line(canvas, plot_axis_position(x, last->x, right),
                        bottom - plot_axis_position(y, last->y, bottom), at_x, at_y, style_of(number), '.');
        canvas_mark(canvas, at_x, at_y, style_of(number), mark_of(screen, number));
        last = point;
    }
}

static void blanks(struct buffer *out, int count)
{
    for (int i = 0; i < count; i++)
        buffer_text(out, " ");
}

/* The line of the x axis with its ticks, and their labels where these do not overlap. */
static void draw_x(const struct plot *plot, const struct screen *screen, const struct plot_axis *x,
                   int margin, int columns, struct buffer *out)
{
    double ticks[TICKS_MAX];
    int count = plot->x_words ? plot->x_word_count
                              : plot_axis_ticks(x, columns / 9 < 3 ? 3 : columns / 9, ticks, TICKS_MAX);
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
        plot_axis_label(number, at);
        const char *text = plot->x_words ? plot->x_words[i] : number;
        int mark = plot_axis_position(x, at, columns * 2 - 1) / 2, length = (int)strlen(text);
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
    struct plot_axis x, y;
    if (!find_range(plot, &x, &y))
        return;
    plot_axis_pad(&y);
    if (plot->x_words)
        x = (struct plot_axis){0, plot->x_word_count > 1 ? plot->x_word_count - 1 : 1, false, true};
    else
        plot_axis_choose_scale(&x);
    double ticks[TICKS_MAX];
    int tick_count = plot_axis_ticks(&y, plot->rows / 2, ticks, TICKS_MAX), margin = 0;
    char labels[TICKS_MAX][NUMBER_BYTES];
    for (int i = 0; i < tick_count; i++) {
        plot_axis_label(labels[i], ticks[i]);
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
            if ((high - plot_axis_position(&y, ticks[i], high)) / 4 == row)
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
