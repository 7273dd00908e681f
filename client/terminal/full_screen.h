/* A page that is drawn anew: the terminal's other screen, which leaves what was there before as it was. */
#ifndef COALESCED_CLIENT_TERMINAL_FULL_SCREEN_H
#define COALESCED_CLIENT_TERMINAL_FULL_SCREEN_H

#include <stdbool.h>

#include "client/terminal/screen.h"

/* The other screen, no cursor, keys as they are typed. */
void full_screen_open(void);
void full_screen_close(void);

/* Writes what was gathered, cut at the terminal's height; the rest of the screen becomes empty. */
void full_screen_show(const struct screen *screen, const char *text);

/* Until the time is over, a signal comes or q is typed: false for the last two. */
bool full_screen_wait(double seconds);

#endif
