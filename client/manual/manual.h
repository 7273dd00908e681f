/* The table of commands as help text and as a man page, and the completion scripts. */
#pragma once

#include <stdio.h>

#include "client/manual/command_table.h"

/* Prints the help of one command in lines of at most `columns`; NULL: of all. */
void manual_print_help(FILE *out, int columns, const struct manual_command *command);

/* Prints the source of coalesce(1), with troff's man macros. */
void manual_print_man_page(FILE *out, const char *version);

/* Prints the completion script for bash, zsh or fish, which calls `coalesce --complete WORDS...`
   (client/complete.h); nothing for another shell. */
void manual_print_completion(FILE *out, const char *shell);
