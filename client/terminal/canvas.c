#include "client/terminal/canvas.h"

#include <stdint.h>
#include <stdlib.h>

struct place {
    uint8_t dots;
    char plain;
    enum style style;
    const char *sign; /* NULL: dots */
};

struct canvas {
    int columns, rows;
    struct place places[];
};

struct canvas *canvas_new(int columns, int rows)
{
    if (columns < 1 || rows < 1)
        return NULL;
    struct canvas *canvas =
        calloc(1, sizeof *canvas + (size_t)columns * (size_t)rows * sizeof canvas->places[0]);
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

static struct place *place_at(struct canvas *canvas, int x, int y)
{
    if (x < 0 || y < 0 || x >= canvas_dots_x(canvas) || y >= canvas_dots_y(canvas))
        return NULL;
    return &canvas->places[(y / 4) * canvas->columns + x / 2];
}

static void set_dot(struct canvas *canvas, int x, int y, enum style style, char plain)
{
    /* Unicode's numbering of the dots of U+2800: by rows, the left column first. */
    static const uint8_t bits[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    struct place *place = place_at(canvas, x, y);
    if (!place)
        return;
    place->dots |= bits[y % 4][x % 2];
    place->style = style;
    if (!place->plain || plain == '|')
        place->plain = plain;
}

void canvas_line(struct canvas *canvas, int x0, int y0, int x1, int y1, enum style style, char plain)
{
    int across = abs(x1 - x0), down = abs(y1 - y0), steps = across > down ? across : down;
    for (int i = 0; i <= steps; i++) {
        double part = steps ? (double)i / steps : 0;
        set_dot(canvas, x0 + (int)((x1 - x0) * part + (x1 >= x0 ? 0.5 : -0.5)),
                y0 + (int)((y1 - y0) * part + (y1 >= y0 ? 0.5 : -0.5)), style, plain);
    }
}

void canvas_sign(struct canvas *canvas, int x, int y, enum style style, const char *text)
{
    struct place *place = place_at(canvas, x, y);
    if (place) {
        place->sign = text;
        place->style = style;
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
    const struct place *places = &canvas->places[row * canvas->columns];
    int end = canvas->columns;
    while (end > 0 && !places[end - 1].sign && !places[end - 1].dots)
        end--;
    for (int i = 0; i < end; i++) {
        const struct place *place = &places[i];
        if (!place->sign && !place->dots) {
            buffer_text(out, " ");
            continue;
        }
        buffer_text(out, screen_style(screen, place->style));
        if (place->sign)
            buffer_text(out, place->sign);
        else if (screen->ascii)
            buffer_append(out, &place->plain, 1);
        else
            put_dots(out, place->dots);
        buffer_text(out, screen_style(screen, STYLE_NONE));
    }
}
