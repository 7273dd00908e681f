/* A sweep's points as a plot: chooses the axis and the series. */
#ifndef COALESCED_CLIENT_ANSWERS_POINTS_PLOT_H
#define COALESCED_CLIENT_ANSWERS_POINTS_PLOT_H

#include <jansson.h>

#include "client/terminal/screen.h"

/* x, y: of --x and --y; NULL: chosen here. Prints nothing when fewer than two points have a number. */
void points_plot_print(const json_t *sweep, const struct screen *screen, const char *x, const char *y);

#endif
