/* The command line, taken apart by the table. Options stand anywhere; behind "--" all are words. */
#ifndef COALESCED_CLIENT_OPTIONS_H
#define COALESCED_CLIENT_OPTIONS_H

#include "base/error.h"
#include "client/manual/command_table.h"

enum { OPTIONS_WORDS_MAX = 256 };

struct options {
    const struct manual_command *command;     /* NULL: none was named */
    const char *given[OPTION_COUNT];          /* its value, "" of one that takes none; NULL: not given */
    const char *words[OPTIONS_WORDS_MAX + 1]; /* after the command's name */
    int word_count;
};

/* The texts stay argv's. 0, or -1 with ERROR_INVALID: an unknown command or option, one that the command does not take, a
   value that is missing or none of its choices, too few or too many words. With --help only names are checked. */
int options_parse(struct options *options, int argc, char **argv, struct error *error);

/* A number of seconds or the like, between least and most; `otherwise` when the option was not given. */
int options_number(const struct options *options, enum option option, double otherwise, double least,
                   double most, double *value, struct error *error);

#endif
