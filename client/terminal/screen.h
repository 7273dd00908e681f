/* What the command's output goes to: its width, characters and colours; and the line of progress on
   standard error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct screen {
    bool out, err;     /* standard output and standard error are terminals */
    bool color, ascii; /* of standard output */
    bool quiet;        /* neither progress nor remarks */
    bool json;         /* --json: a refusal is on standard output, too, as the service sent it */
    int columns, rows; /* of the terminal; 80 and 24 where there is none */
    bool progress;     /* a line of progress is on standard error */
};

enum style {
    STYLE_NONE,
    STYLE_STRONG,
    STYLE_FAINT,
    STYLE_BETTER, /* blue, also of measured values */
    STYLE_WORSE,  /* orange, also of waste and errors */
    STYLE_SECOND, /* further series */
    STYLE_THIRD,
    STYLE_FOURTH,
    STYLE_COUNT
};

/* color: "auto", "always" or "never". language_open() was called. From then on lines on standard error
   that are longer than the terminal is wide are broken between words. The screen stays where it is until the
   program ends. */
void screen_open(struct screen *screen, const char *color, bool quiet);

/* The same of standard output, on a terminal: for what is read and not pasted. Called once. */
void screen_wrap_output(const struct screen *screen);

/* Reads the terminal's size again. */
void screen_measure(struct screen *screen);

/* The escape sequence of a style; STYLE_NONE ends all styles; "" without colours. Static. */
const char *screen_style(const struct screen *screen, enum style style);

/* A unit of the service as it is shown: "µs" for "us" unless ASCII, "%" for "ratio"; "" for NULL. */
const char *screen_unit(const struct screen *screen, const char *unit);

/* Prints a line on standard error, after the program's name; clears the line of progress. */
void screen_say(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As screen_say(), but nothing when quiet. */
void screen_remark(struct screen *screen, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Replaces the line of progress, cut off at the width; nothing where standard error is no terminal. */
void screen_progress(struct screen *screen, const char *text);
void screen_clear_progress(struct screen *screen);

/* Writes a text of the service on standard output. With ASCII alone other characters are replaced. */
void screen_write(const struct screen *screen, const char *text);

/* The length in bytes of the word that the text begins with, and its width in columns; 0: it begins with a blank or a
   control character, where a word ends. A Chinese character is a word of its own. */
size_t screen_word(const char *text, size_t length, int *columns);

/* True when a Chinese punctuation mark begins here, before which no line is broken: 3 bytes, 2 columns. */
bool screen_is_punctuation(const char *text, size_t length);

/* The columns that a UTF-8 text takes, and the bytes of what fits in `columns`. */
int screen_text_columns(const char *text);
size_t screen_text_cut(const char *text, int columns);

/* A page that is redrawn, on the terminal's alternate screen without a cursor; keys are read unbuffered. */
void screen_page_open(void);
void screen_page_close(void);

/* Draws the text, cut off at the terminal's height, and clears the rest of the page. */
void screen_page_show(const struct screen *screen, const char *text);

/* Waits. False: a signal came or q was typed. */
bool screen_page_wait(double seconds);
