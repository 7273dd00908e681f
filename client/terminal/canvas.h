/* A field of characters, each of 2 x 4 dots (braille). Dots are counted from the upper left. */
#ifndef COALESCED_CLIENT_TERMINAL_CANVAS_H
#define COALESCED_CLIENT_TERMINAL_CANVAS_H

#include "base/buffer.h"
#include "client/terminal/screen.h"

struct canvas;

/* NULL: no memory, or a size below 1. */
struct canvas *canvas_new(int columns, int rows);
void canvas_free(struct canvas *canvas);

int canvas_dots_x(const struct canvas *canvas);
int canvas_dots_y(const struct canvas *canvas);

/* Draws a line of dots, both ends included; what lies outside is left out. `ascii` is the character that
   stands for its dots on a terminal without Unicode. */
void canvas_line(struct canvas *canvas, int x0, int y0, int x1, int y1, enum style style, char ascii);

/* Puts a character over the dots. The text is not copied. */
void canvas_mark(struct canvas *canvas, int x, int y, enum style style, const char *text);

/* Appends one row without trailing blanks. */
void canvas_row(const struct canvas *canvas, int row, const struct screen *screen, struct buffer *out);

#endif
