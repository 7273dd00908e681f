/* The table of commands as help text. */
#ifndef COALESCED_CLIENT_MANUAL_HELP_H
#define COALESCED_CLIENT_MANUAL_HELP_H

#include <stdio.h>

#include "client/manual/command_table.h"

/* Prints the help of one command; NULL: of all. */
void help_print(FILE *out, const struct manual_command *command);

#endif
