/* Completions. The scripts ask `coalesce --complete WORDS...`, so that what they know is the table and the service. */
#ifndef COALESCED_CLIENT_MANUAL_COMPLETION_H
#define COALESCED_CLIENT_MANUAL_COMPLETION_H

#include <stdio.h>

/* The script for bash, zsh or fish. -1: another shell. */
int completion_print(FILE *out, const char *shell);

#endif
