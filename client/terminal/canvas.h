/* A field of characters of 2 x 4 dots each; dots are counted from the upper left. */
#ifndef COALESCED_CLIENT_TERMINAL_CANVAS_H
#define COALESCED_CLIENT_TERMINAL_CANVAS_H

#include "base/buffer.h"
#include "client/terminal/screen.h"

struct canvas;

/* NULL when memory is gone or a size is below 1. */
struct canvas *canvas_new(int columns, int rows);
void canvas_free(struct canvas *canvas);

int canvas_dots_x(const struct canvas *canvas);
int canvas_dots_y(const struct canvas *canvas);

/* Dots from one place to the other, both included; what is outside is left out. `plain` is what a character with such
   dots is in ASCII. */
void canvas_line(struct canvas *canvas, int x0, int y0, int x1, int y1, enum style style, char plain);

/* A character in place of the dots that are there. The text is not copied. */
void canvas_sign(struct canvas *canvas, int x, int y, enum style style, const char *text);

/* Appends one row, without blanks at its end. */
void canvas_row(const struct canvas *canvas, int row, const struct screen *screen, struct buffer *out);

#endif
