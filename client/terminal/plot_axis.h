/* An axis of a plot: its range, its scale and its ticks. */
#ifndef COALESCED_CLIENT_TERMINAL_PLOT_AXIS_H
#define COALESCED_CLIENT_TERMINAL_PLOT_AXIS_H

#include <stdbool.h>

struct plot_axis {
    double least, most;
    bool powers; /* a logarithmic scale, with powers of two as ticks */
    bool whole;  /* all values are integers, so the ticks are too */
};

/* Widens the range to include the value; NaN and infinity are ignored. */
void plot_axis_include(struct plot_axis *axis, double value);

/* Adds a margin at both ends, also to a single value. A range that begins just above zero begins at zero. */
void plot_axis_pad(struct plot_axis *axis);

/* Chooses powers where all values are positive and the ends are a factor of 64 or more apart. Makes a
   range of a single value. */
void plot_axis_choose_scale(struct plot_axis *axis);

/* The value's position from 0 to last, clamped. */
int plot_axis_position(const struct plot_axis *axis, double value, int last);

/* Fills ticks[] with about `wanted` round values within the range, at most `capacity`. Returns how many. */
int plot_axis_ticks(const struct plot_axis *axis, int wanted, double *ticks, int capacity);

/* A tick's text, of NUMBER_BYTES: powers of two from 2^10 on as such, other numbers with six digits. */
void plot_axis_label(char *text, double value);

#endif
