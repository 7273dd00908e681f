/* A scale: which values stand where, and which of them are told. */
#ifndef COALESCED_CLIENT_TERMINAL_AXIS_H
#define COALESCED_CLIENT_TERMINAL_AXIS_H

#include <stdbool.h>

struct axis {
    double least, most;
    bool powers; /* equal steps are equal ratios */
    bool whole;  /* its values are integers, and so are its ticks */
};

/* Widens the range so that it has the value; what is no number changes nothing. */
void axis_take(struct axis *axis, double value);

/* Leaves some room at both ends, and makes a range of a single value. Zero and what is just above it begin at zero. */
void axis_widen(struct axis *axis);

/* Powers where all is positive and the ends are at least a factor of 64 apart; makes a range of a single value. */
void axis_choose_scale(struct axis *axis);

/* Where the value stands, from 0 to last, cut off at these. */
int axis_place(const struct axis *axis, double value, int last);

/* About `wanted` round values within the range, at most `room`; how many. */
int axis_ticks(const struct axis *axis, int wanted, double *ticks, int room);

/* A tick's text, of NUMBER_BYTES: whole numbers whole, powers of two from 2^10 on as such. */
void axis_label(char *text, double value);

#endif
