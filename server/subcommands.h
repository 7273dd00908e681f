/* What this program does besides serving: `coalesced COMMAND ...`. */
#ifndef COALESCED_SERVER_SUBCOMMANDS_H
#define COALESCED_SERVER_SUBCOMMANDS_H

#include <stdbool.h>
#include <stdio.h>

/* Runs the command that argv[1] names: true, and *status is the exit status (0; 1: it failed; 2: it was asked for wrongly).
   False: argv[1] names none, so this is about the service. */
bool subcommands_run(int argc, char **argv, int *status);

/* A line for each command, for --help. */
void subcommands_help(FILE *out);

#endif
