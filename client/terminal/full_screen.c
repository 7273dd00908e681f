#include "client/terminal/full_screen.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "client/terminal/interrupt.h"

static struct termios before;
static bool changed;

void full_screen_open(void)
{
    struct termios now;
    if (tcgetattr(STDIN_FILENO, &before) == 0) {
        now = before;
        now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
        now.c_cc[VMIN] = 0;
        now.c_cc[VTIME] = 0;
        changed = tcsetattr(STDIN_FILENO, TCSANOW, &now) == 0;
    }
    fputs("\033[?1049h\033[?25l", stdout);
    fflush(stdout);
}

void full_screen_close(void)
{
    fputs("\033[?25h\033[?1049l", stdout);
    fflush(stdout);
    if (changed)
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
    changed = false;
}

void full_screen_show(const struct screen *screen, const char *text)
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

bool full_screen_wait(double seconds)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    char key;
    if (interrupt_received())
        return false;
    if (poll(&keys, 1, (int)(seconds * 1000)) > 0 && (read(STDIN_FILENO, &key, 1) != 1 || key == 'q'))
        return false;
    return !interrupt_received();
}
