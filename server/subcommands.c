#include "server/subcommands.h"

#include <string.h>

#include "server/auth/token_command.h"
#include "server/store/backup_command.h"

static const struct command {
    const char *name, *usage;
    int (*run)(int argc, char **argv); /* from the command's name on; the exit status */
} commands[] = {
    {"token", "add|list|revoke ...    who may use a service, and what they may do", token_command},
    {"backup", "FILE ...    copies what is kept into a file, while the service runs", backup_command},
    {"restore", "FILE ...    puts such a file in place, while it does not", restore_command},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

bool subcommands_run(int argc, char **argv, int *status)
{
    for (int i = 0; argc > 1 && i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            *status = commands[i].run(argc - 1, argv + 1);
            return true;
        }
    return false;
}

void subcommands_help(FILE *out)
{
    fputs("\nCommands, each with a --help of its own:\n\n", out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  coalesced %s %s\n", commands[i].name, commands[i].usage);
}
