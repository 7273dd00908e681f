/* What the command says with its exit status; client/manual/command_table.c has the words for each. */
#ifndef COALESCED_CLIENT_EXIT_H
#define COALESCED_CLIENT_EXIT_H

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

#endif
