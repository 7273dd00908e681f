/* A page that is redrawn, on the terminal's alternate screen. */
#ifndef COALESCED_CLIENT_TERMINAL_FULL_SCREEN_H
#define COALESCED_CLIENT_TERMINAL_FULL_SCREEN_H

#include <stdbool.h>

#include "client/terminal/screen.h"

/* Switches to the alternate screen without a cursor; keys are read unbuffered. */
void full_screen_open(void);
void full_screen_close(void);

/* Draws the text, cut off at the terminal's height, and clears the rest of the screen. */
void full_screen_show(const struct screen *screen, const char *text);

/* Waits. False: a signal came or q was typed. */
bool full_screen_wait(double seconds);

#endif
