/* The table as text for a terminal. */
#ifndef COALESCED_CLIENT_MANUAL_HELP_H
#define COALESCED_CLIENT_MANUAL_HELP_H

#include <stdio.h>

#include "client/manual/command_table.h"

/* Of one command, or of all when it is NULL. */
void help_print(FILE *out, const struct manual_command *command);

#endif
