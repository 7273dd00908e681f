/* Completion scripts, which call `coalesce --complete WORDS...` (client/complete.h). */
#ifndef COALESCED_CLIENT_MANUAL_COMPLETION_H
#define COALESCED_CLIENT_MANUAL_COMPLETION_H

#include <stdio.h>

/* Prints the script for bash, zsh or fish. -1: the shell is another one. */
int completion_print(FILE *out, const char *shell);

#endif
