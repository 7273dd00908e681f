/* Where the command writes: how wide, in which characters, with which colours; one line of progress on standard error. */
#ifndef COALESCED_CLIENT_TERMINAL_SCREEN_H
#define COALESCED_CLIENT_TERMINAL_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

struct screen {
    bool out, err;     /* standard output and standard error are terminals */
    bool color, ascii; /* of standard output */
    bool chinese;      /* the language of the locale is Chinese; false: English */
    bool quiet;        /* neither progress nor remarks */
    int columns, rows; /* of the terminal; 80 and 24 where there is none */
    bool line;         /* a line of progress stands on standard error */
};

enum style {
    STYLE_NONE,
    STYLE_STRONG,
    STYLE_FAINT,
    STYLE_BETTER, /* blue, also what was measured */
    STYLE_WORSE,  /* orange, also waste */
    STYLE_SECOND, /* further series */
    STYLE_THIRD,
    STYLE_FOURTH,
    STYLE_COUNT
};

/* color: "auto", "always" or "never". Calls setlocale for LC_CTYPE. */
void screen_open(struct screen *screen, const char *color, bool ascii, bool quiet);

/* Reads the terminal's size again. */
void screen_measure(struct screen *screen);

/* The sequence that turns a style on, or off for STYLE_NONE; "" without colours. Static. */
const char *screen_style(const struct screen *screen, enum style style);

/* A line to standard error, with the program's name before it; the line of progress goes away. */
void screen_say(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As screen_say, but not when quiet. */
void screen_remark(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Shows a line of progress in place of the last one, cut at the width; nothing where standard error is no terminal. */
void screen_progress(struct screen *screen, const char *text);
void screen_clear_progress(struct screen *screen);

/* Columns that UTF-8 takes, each character one; and the bytes of its first `columns` characters. */
int text_columns(const char *text);
size_t text_cut(const char *text, int columns);

#endif
