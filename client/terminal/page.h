/* A page that is drawn anew: the terminal's other screen, which leaves what was there before as it was. */
#ifndef COALESCED_CLIENT_TERMINAL_PAGE_H
#define COALESCED_CLIENT_TERMINAL_PAGE_H

#include <stdbool.h>

#include "client/terminal/screen.h"

/* The other screen, no cursor, keys as they are typed. */
void page_open(void);
void page_close(void);

/* Writes what was gathered, cut at the terminal's height; the rest of the screen becomes empty. */
void page_show(const struct screen *screen, const char *text);

/* Until the time is over, a signal comes or q is typed: false for the last two. */
bool page_wait(double seconds);

#endif
