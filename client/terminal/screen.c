#include "client/terminal/screen.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#include "client/terminal/interrupt.h"
#include "client/terminal/language.h"

/* From the 256 colours, close to those of the page. */
static const char *const sequences[STYLE_COUNT] = {
    [STYLE_NONE] = "\033[0m",         [STYLE_STRONG] = "\033[1m",        [STYLE_FAINT] = "\033[2m",
    [STYLE_BETTER] = "\033[38;5;32m", [STYLE_WORSE] = "\033[38;5;172m",  [STYLE_SECOND] = "\033[38;5;35m",
    [STYLE_THIRD] = "\033[38;5;132m", [STYLE_FOURTH] = "\033[38;5;244m",
};

void screen_measure(struct screen *screen)
{
    struct winsize size = {0};
    screen->columns = 80;
    screen->rows = 24;
    int descriptor = screen->out ? STDOUT_FILENO : STDERR_FILENO;
    if ((screen->out || screen->err) && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        screen->columns = size.ws_col;
        screen->rows = size.ws_row > 0 ? size.ws_row : 24;
    }
}

/* ---- characters ---- */

/* The length in bytes of the first UTF-8 character of a text, and in *columns its width in columns. */
static size_t character(const char *text, size_t length, int *columns)
{
    mbstate_t state = {0};
    wchar_t wide = 0;
    size_t bytes = 1;
    while (bytes < length && ((unsigned char)text[bytes] & 0xC0) == 0x80)
        bytes++;
    int width = mbrtowc(&wide, text, bytes, &state) == bytes ? wcwidth(wide) : 1;
    *columns = width < 0 ? 1 : width;
    return bytes;
}

int screen_text_columns(const char *text)
{
    int columns = 0, wide;
    for (size_t left = strlen(text), bytes; left > 0; left -= bytes, text += bytes) {
        bytes = character(text, left, &wide);
        columns += wide;
    }
    return columns;
}

size_t screen_text_cut(const char *text, int columns)
{
    size_t at = 0, length = strlen(text), bytes;
    for (int wide; at < length; at += bytes, columns -= wide) {
        bytes = character(text + at, length - at, &wide);
        if (wide > columns)
            break;
    }
    return at;
}

/* ---- lines longer than the terminal is wide ---- */

/* A terminal as a stream that breaks lines between words. */
struct wrapped {
    FILE *terminal;
    const struct screen *screen;
    int column, blanks; /* blanks: before the next word, not written yet */
    int indent;         /* of the line's further parts; -1: it has no word yet */
    bool punctuation;   /* a Chinese mark that closes was written last: a line may be broken behind it */
};

static void write_blanks(struct wrapped *w)
{
    fprintf(w->terminal, "%*s", w->blanks, "");
    w->column += w->blanks;
    w->blanks = 0;
}

bool screen_is_punctuation(const char *text, size_t length)
{
    return length >= 3 && (memcmp(text, "\u3001", 3) == 0 || memcmp(text, "\u3002", 3) == 0 ||
                           memcmp(text, "\uFF00", 2) == 0);
}

size_t screen_word(const char *text, size_t length, int *columns)
{
    size_t at = 0;
    int wide;
    for (*columns = 0; at < length && (unsigned char)text[at] > ' '; *columns += wide) {
        size_t bytes = character(text + at, length - at, &wide);
        if (wide == 2 && at > 0)
            break;
        at += bytes;
        if (wide == 2) {
            *columns = 2;
            break;
        }
    }
    return at;
}

/* True if the text begins with an opening parenthesis of full width. */
static bool opens(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\uFF08", 3) == 0;
}

/* True if it begins with other punctuation of full width, which no line may begin with. */
static bool closes(const char *text, size_t length)
{
    return screen_is_punctuation(text, length) && !opens(text, length);
}

/* Returns the columns of a word of `bytes` and `columns` together with the punctuation that must stay on its line.
   `length` bytes of text follow the word. */
static int columns_together(const char *word, size_t bytes, size_t length, int columns)
{
    int next;
    const char *after = word + bytes;
    if (opens(word, bytes)) {
        bytes = screen_word(after, length, &next);
        return columns + columns_together(after, bytes, length - bytes, next);
    }
    for (; closes(after, length); after += 3, length -= 3)
        columns += 2;
    return columns;
}

/* Writes a word of `bytes`, on a new line where it does not fit; `left` bytes of text follow it. */
static void write_word(struct wrapped *w, const char *word, size_t bytes, size_t left, int columns)
{
    bool chinese = columns == 2 && (unsigned char)*word >= 0xE3;
    int together = columns_together(word, bytes, left, columns);
    if (w->indent >= 0 && (w->blanks || chinese || w->punctuation) && !closes(word, bytes) &&
        w->column > w->indent && w->column + w->blanks + together > w->screen->columns) {
        fputc('\n', w->terminal);
        w->column = 0;
        w->blanks = w->indent;
    }
    write_blanks(w);
    if (w->indent < 0)
        w->indent = w->column + 2 < w->screen->columns / 2 ? w->column + 2 : 0;
    fwrite(word, 1, bytes, w->terminal);
    w->column += columns;
    w->punctuation = closes(word, bytes);
}

static ssize_t wrapped_write(void *cookie, const char *text, size_t size)
{
    struct wrapped *w = cookie;
    for (size_t at = 0, bytes; at < size; at += bytes) {
        int columns = 0;
        if (text[at] == ' ' || text[at] == '\t') {
            bytes = 1;
            w->blanks++;
            continue;
        }
        bytes = screen_word(text + at, size - at, &columns);
        if (bytes) {
            write_word(w, text + at, bytes, size - at - bytes, columns);
            continue;
        }
        bytes = 1;
        if (text[at] == '\033' && at + 1 < size && text[at + 1] == '[') {
            /* the blanks before a colour wait for its word, which may go to the next line */
            for (bytes = 2; at + bytes < size && (text[at + bytes++] & 0x40) == 0;)
                ;
        } else {
            write_blanks(w);
            w->column = 0;
            w->indent = -1;
            w->punctuation = false;
        }
        fwrite(text + at, 1, bytes, w->terminal);
    }
    write_blanks(w);
    return fflush(w->terminal) == 0 ? (ssize_t)size : 0;
}

/* The stream in place of a terminal's; the terminal's own where there is no memory. */
static FILE *wrap(FILE *terminal, const struct screen *screen, struct wrapped *w)
{
    *w = (struct wrapped){.terminal = terminal, .screen = screen, .indent = -1};
    FILE *stream = fopencookie(w, "w", (cookie_io_functions_t){.write = wrapped_write});
    if (stream)
        setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    return stream ? stream : terminal;
}

/* ---- the screen ---- */

void screen_open(struct screen *screen, const char *color, bool quiet)
{
    const char *without = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool dumb = terminal && strcmp(terminal, "dumb") == 0;
    *screen = (struct screen){.quiet = quiet};
    screen->out = isatty(STDOUT_FILENO);
    screen->err = isatty(STDERR_FILENO) && !dumb;
    screen->ascii = language_is_ascii();
    screen->color = strcmp(color, "always") == 0 ||
                    (strcmp(color, "auto") == 0 && screen->out && !dumb && !(without && *without));
    screen_measure(screen);
    static struct wrapped wrapped;
    if (screen->err)
        stderr = wrap(stderr, screen, &wrapped);
}

void screen_wrap_output(const struct screen *screen)
{
    static struct wrapped wrapped;
    if (screen->out)
        stdout = wrap(stdout, screen, &wrapped);
}

const char *screen_style(const struct screen *screen, enum style style)
{
    return screen->color ? sequences[style] : "";
}

const char *screen_unit(const struct screen *screen, const char *unit)
{
    if (unit && strcmp(unit, "us") == 0 && !screen->ascii)
        return "µs";
    return !unit ? "" : strcmp(unit, "ratio") == 0 ? "%" : unit;
}

void screen_clear_progress(struct screen *screen)
{
    if (screen->progress)
        fputs("\r\033[K", stderr);
    screen->progress = false;
    fflush(stderr);
}

static void say(struct screen *screen, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
static void say(struct screen *screen, const char *format, va_list arguments)
{
    screen_clear_progress(screen);
    fflush(stdout);
    fputs("coalesce: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void screen_say(struct screen *screen, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(screen, format, arguments);
    va_end(arguments);
}

void screen_remark(struct screen *screen, const char *format, ...)
{
    if (screen->quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    say(screen, format, arguments);
    va_end(arguments);
}

void screen_progress(struct screen *screen, const char *text)
{
    if (!screen->err || screen->quiet)
        return;
    bool whole = screen_text_columns(text) < screen->columns;
    const char *end = whole ? "" : screen->ascii ? "..." : "…";
    int columns = screen->columns - 1 - screen_text_columns(end);
    fprintf(stderr, "\r\033[K%.*s%s", (int)screen_text_cut(text, columns), text, end);
    fflush(stderr);
    screen->progress = true;
}

void screen_write(const struct screen *screen, const char *text)
{
    static const char *const replacements[][2] = {{"µ", "u"}, {"×", "x"}, {"\u00a0", " "}};
    for (size_t length; *text; text += length) {
        const char *written = "?";
        int columns;
        length = character(text, strlen(text), &columns);
        for (size_t i = 0; i < sizeof replacements / sizeof *replacements; i++)
            if (strncmp(text, replacements[i][0], length) == 0)
                written = replacements[i][1];
        if (!screen->ascii || length == 1)
            fwrite(text, 1, length, stdout);
        else
            fputs(written, stdout);
    }
}

/* ---- the page ---- */

static struct termios terminal_before;
static bool terminal_changed;

void screen_page_open(void)
{
    struct termios now;
    if (tcgetattr(STDIN_FILENO, &terminal_before) == 0) {
        now = terminal_before;
        now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        now.c_cc[VMIN] = 0;
        now.c_cc[VTIME] = 0;
        terminal_changed = tcsetattr(STDIN_FILENO, TCSANOW, &now) == 0;
    }
    fputs("\033[?1049h\033[?25l", stdout);
    fflush(stdout);
}

void screen_page_close(void)
{
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    if (terminal_changed)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
    terminal_changed = false;
}

void screen_page_show(const struct screen *screen, const char *text)
{
    fputs("\033[H", stdout);
    for (int row = 0; *text && row < screen->rows - 1; row++) {
        size_t length = strcspn(text, "\n");
        printf("%.*s\033[K\n", (int)length, text);
        text += length + (text[length] == '\n');
    }
    fputs("\033[J", stdout);
    fflush(stdout);
}

bool screen_page_wait(double seconds)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;
    if (interrupt_received())
        return false;
    if (poll(&keys, 1, (int)(seconds * 1000)) > 0 && (read(STDIN_FILENO, &key, 1) != 1 || key == 'q'))
        return false;
    return !interrupt_received();
}
