/* The table of commands and options. --help, the man page, the completions and the parser of the command
   line are all made from it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum option {
#define OPTION(name, ...) OPTION_##name,
#include "client/manual/options.h"
#undef OPTION
    OPTION_COUNT
};

struct manual_option {
    const char *name;  /* without its dashes */
    char letter;       /* 0: none */
    const char *value; /* name of its value; NULL: it takes none */
    const char *text;
    const char *choices; /* values it may have, separated by blanks; NULL: any */
};

/* What the completion offers for the words after a command's name. */
enum manual_words {
    WORDS_NONE,
    WORDS_KERNEL,
    WORDS_RECIPE,
    WORDS_IDS,
    WORDS_DEVICE,
    WORDS_OCCUPANCY, /* the figures of a launch */
};

struct context;

struct manual_command {
    const char *name, *arguments, *summary;
    const char *text;     /* further help; paragraphs end with a newline */
    const char *examples; /* one a line */
    uint64_t options;     /* bit k: it takes option k, besides manual_common */
    enum manual_words words;
    int least, most;                     /* number of words after its name; most < 0: no limit */
    int (*run)(struct context *context); /* the exit status */
};

/* The exit statuses; manual_exits[] explains each. */
enum exit_status {
    EXIT_FINE = 0,
    EXIT_FAILED = 1,
    EXIT_USAGE = 2,
    EXIT_UNREACHABLE = 3,
    EXIT_REFUSED = 4,
    EXIT_UNSTABLE = 5,
    EXIT_WORSE = 6,
    EXIT_CANNOT_TELL = 7,
    EXIT_INTERRUPTED = 130,
};

struct manual_pair {
    const char *name, *text;
};

struct manual_exit {
    const char *status, *text;
    const char *commands; /* those that return it, separated by blanks; NULL: all */
};

extern const struct manual_option manual_options[OPTION_COUNT];
extern const uint64_t manual_common;                  /* options of every command */
extern const uint64_t manual_alone;                   /* options that may be given without a command */
extern const struct manual_command manual_commands[]; /* ends with a NULL name */
/* The number of rows at the start of manual_values that every command accepts. The other rows are for commands that submit an
   experiment or a sweep. */
enum { MANUAL_VALUES_OF_ALL = 3 };
extern const struct manual_exit manual_exits[]; /* ends with a NULL status */
extern const struct manual_pair manual_environment[], manual_values[];

/* The command with that name; NULL: there is none. */
const struct manual_command *command_table_find(const char *name);

/* True when the command takes the option; NULL: when the option is offered without a command. */
bool command_table_takes(const struct manual_command *command, enum option option);

/* True when the command can end with the exit status of the row. */
bool command_table_returns(const struct manual_command *command, const struct manual_exit *row);
