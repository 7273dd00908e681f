#include "client/terminal/canvas.h"

#include <stdint.h>
#include <stdlib.h>

struct canvas_cell {
    uint8_t dots; /* a bit for each */
    char ascii;
    enum style style;
    const char *mark; /* in place of the dots; NULL: none */
};

struct canvas {
    int columns, rows;
    struct canvas_cell cells[];
};

struct canvas *canvas_new(int columns, int rows)
{
    if (columns < 1 || rows < 1)
        return NULL;
    struct canvas *canvas =
        calloc(1, sizeof *canvas + (size_t)columns * (size_t)rows * sizeof canvas->cells[0]);
    if (canvas) {
        canvas->columns = columns;
        canvas->rows = rows;
    }
    return canvas;
}

void canvas_free(struct canvas *canvas)
{
    free(canvas);
}
int canvas_dots_x(const struct canvas *canvas)
{
    return canvas->columns * 2;
}
int canvas_dots_y(const struct canvas *canvas)
{
    return canvas->rows * 4;
}

static struct canvas_cell *cell_at(struct canvas *canvas, int x, int y)
{
    if (x < 0 || y < 0 || x >= canvas_dots_x(canvas) || y >= canvas_dots_y(canvas))
        return NULL;
    return &canvas->cells[(y / 4) * canvas->columns + x / 2];
}

static void set_dot(struct canvas *canvas, int x, int y, enum style style, char ascii)
{
    /* Bits of the dots in the braille patterns from U+2800 on. */
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    struct canvas_cell *cell = cell_at(canvas, x, y);
    if (!cell)
        return;
    cell->dots |= bits[y % 4][x % 2];
    cell->style = style;
    if (!cell->ascii || ascii == '|')
        cell->ascii = ascii;
}

void canvas_line(struct canvas *canvas, int x0, int y0, int x1, int y1, enum style style, char ascii)
{
    int across = abs(x1 - x0), down = abs(y1 - y0), steps = across > down ? across : down;
    for (int i = 0; i <= steps; i++) {
        double part = steps ? (double)i / steps : 0;
        set_dot(canvas, x0 + (int)((x1 - x0) * part + (x1 >= x0 ? 0.5 : -0.5)),
                y0 + (int)((y1 - y0) * part + (y1 >= y0 ? 0.5 : -0.5)), style, ascii);
    }
}

void canvas_mark(struct canvas *canvas, int x, int y, enum style style, const char *text)
{
    struct canvas_cell *cell = cell_at(canvas, x, y);
    if (cell) {
        cell->mark = text;
        cell->style = style;
    }
}

static void put_dots(struct buffer *out, uint8_t dots)
{
    unsigned code = 0x2800u + dots;
    char text[4] = {(char)(0xE0 | (code >> 12)), (char)(0x80 | ((code >> 6) & 0x3F)),
                    (char)(0x80 | (code & 0x3F)), 0};
    buffer_text(out, text);
}

void canvas_row(const struct canvas *canvas, int row, const struct screen *screen, struct buffer *out)
{
    const struct canvas_cell *cells = &canvas->cells[row * canvas->columns];
    int end = canvas->columns;
    while (end > 0 && !cells[end - 1].mark && !cells[end - 1].dots)
        end--;
    for (int i = 0; i < end; i++) {
        const struct canvas_cell *cell = &cells[i];
        if (!cell->mark && !cell->dots) {
            buffer_text(out, " ");
            continue;
        }
        buffer_text(out, screen_style(screen, cell->style));
        if (cell->mark)
            buffer_text(out, cell->mark);
        else if (screen->ascii)
            buffer_append(out, &cell->ascii, 1);
        else
            put_dots(out, cell->dots);
        buffer_text(out, screen_style(screen, STYLE_NONE));
    }
}
