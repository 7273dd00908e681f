/* A sweep's points as a plot: which axis is x, and which points are one series. */
#ifndef COALESCED_CLIENT_ANSWERS_POINTS_PLOT_H
#define COALESCED_CLIENT_ANSWERS_POINTS_PLOT_H

#include <jansson.h>

#include "client/terminal/screen.h"

/* x and y as --x and --y have them, NULL for what is chosen. Nothing where fewer than two points have a number. */
void points_plot_plot(const json_t *sweep, const struct screen *screen, const char *x, const char *y);

#endif
