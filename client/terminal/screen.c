#include "client/terminal/screen.h"

#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "client/terminal/interrupt.h"

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

/* The locale of messages. */
static const char *language(void)
{
    static const char *const names[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return value;
    }
    return "";
}

void screen_open(struct screen *screen, const char *color, bool ascii, bool quiet)
{
    setlocale(LC_CTYPE, "");
    const char *without = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool dumb = terminal && strcmp(terminal, "dumb") == 0;
    *screen = (struct screen){.quiet = quiet};
    screen->out = isatty(STDOUT_FILENO);
    screen->err = isatty(STDERR_FILENO) && !dumb;
    screen->ascii = ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
    screen->chinese = !screen->ascii && strncmp(language(), "zh", 2) == 0;
    screen->color = strcmp(color, "always") == 0 ||
                    (strcmp(color, "auto") == 0 && screen->out && !dumb && !(without && *without));
    screen_measure(screen);
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
    fprintf(stderr, "\r\033[K%.*s", (int)screen_text_cut(text, screen->columns - 1), text);
    fflush(stderr);
    screen->progress = true;
}

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

int screen_text_columns(const char *text)
{
    int columns = 0;
    /* From U+3000 on, which is the first that begins with E3, characters are as wide as Chinese ones. */
    for (; *text; text++)
        columns += begins_character(*text) + ((unsigned char)*text >= 0xE3);
    return columns;
}

size_t screen_text_cut(const char *text, int columns)
{
    size_t at = 0;
    for (int seen = 0; text[at]; at++)
        if (begins_character(text[at]) && seen++ == columns)
            break;
    return at;
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
