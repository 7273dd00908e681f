/* What every command works with: the parsed command line, the screen and the connection to the service. */
#pragma once

#include "base/error.h"
#include "client/manual/command_table.h"
#include "client/service/http_client.h"
#include "client/terminal/screen.h"

enum { CONTEXT_WORDS_MAX = 256 };

/* The texts are argv's. */
struct command_line {
    const struct manual_command *command; /* NULL: none was named */
    const char *given[OPTION_COUNT];      /* the option's value, "" where it takes none; NULL: not given */
    const char *words[CONTEXT_WORDS_MAX + 1]; /* after the command's name */
    int word_count;
};

struct context {
    struct command_line options;
    struct screen screen;
    struct http_client service;
    const char *source_file;    /* of the kernel that is sent; NULL: none is */
    const char *reference_file; /* of the kernel that it is compared with, likewise */
};

/* Options may stand anywhere; after "--" everything is a word. 0, or -1 with ERROR_INVALID: an unknown
   command or option, an option that the command does not take, a value that is missing or not among its
   choices, too few or too many words. With --help only names are checked. */
int context_parse(struct command_line *options, int argc, char **argv, struct error *error);

/* The option's value as a number from least to most; `fallback` when the option was not given. 0, or -1 with
   ERROR_INVALID. */
int context_number(const struct command_line *options, enum option option, double fallback, double least,
                   double most, double *value, struct error *error);

/* Prints what is wrong with the command line. Returns EXIT_USAGE. */
int context_usage(struct context *context, const struct error *error);
