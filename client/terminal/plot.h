/* A plot in characters: lines of braille dots, the 95 % interval as a vertical bar, with an arrow where
   it goes on beyond the scale, which is that of the points, and a mark for each series at its points. In ASCII the dots become '.' and '|'. */
#pragma once

#include "base/buffer.h"
#include "client/terminal/screen.h"

struct plot_point {
    double x, y;
    double low, high; /* the interval; NaN: none */
};

struct plot_series {
    const char *name;
    const struct plot_point *points; /* in the order of x; NaN as y: left out */
    size_t count;
};

struct plot {
    const char *y_name, *x_name; /* with their units */
    const char *const *x_words;  /* NULL: x is a number; else x is an index of these */
    int x_word_count;
    const struct plot_series *series;
    int series_count;  /* marks repeat from the ninth on */
    int columns, rows; /* of the drawing (30 or more), of its inside (4 or more) */
};

/* Prints the drawing after an empty line, as wide as the screen: 40 to 100 columns. */
void plot_print(const struct plot *plot, const struct screen *screen);

/* Appends the drawing, which ends with a newline; nothing when no point has a number. */
void plot_draw(const struct plot *plot, const struct screen *screen, struct buffer *out);
