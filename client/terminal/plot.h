/* A plot in characters: lines in braille dots (2 x 4 to a character), the 95 % interval as a vertical bar of dots, and a
   sign of its own for each series at its points. In ASCII the dots become '.' and '|'. */
#ifndef COALESCED_CLIENT_TERMINAL_PLOT_H
#define COALESCED_CLIENT_TERMINAL_PLOT_H

#include "base/buffer.h"
#include "client/terminal/screen.h"

struct plot_point {
    double x, y;
    double low, high; /* the interval; NaN: none */
};

struct plot_series {
    const char *name;
    const struct plot_point *points; /* by x; those whose y is no number are left out */
    size_t count;
};

struct plot {
    const char *y_name, *x_name; /* with their units */
    const char *const *x_words;  /* NULL: x is a number; else x is an index into these */
    int x_word_count;
    const struct plot_series *series;
    int series_count;  /* signs repeat from the ninth on */
    int columns, rows; /* of the whole drawing and of its inside; columns at least 30, rows at least 4 */
};

/* Appends the drawing, which ends with a newline; nothing when no point is a number. */
void plot_draw(const struct plot *plot, const struct screen *screen, struct buffer *out);

#endif
