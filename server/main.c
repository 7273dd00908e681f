/* The program: the service, one of its subcommands, or one of its child processes: `coalesced --executor` runs
   experiments, `coalesced --sandbox` compiles what users send. */
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/file.h"
#include "base/words.h"
#include "executor/executor.h"
#include "executor/sandbox_main.h"
#include "server/auth/token_command.h"
#include "server/config.h"
#include "server/server.h"
#include "server/store/backup.h"
#include "version.h"

static const struct {
    const char *name, *usage;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; returns the exit status */
} subcommands[] = {
    {"token", "add|list|revoke ...    who may use a service, and what they may do", token_command},
    {"backup", "FILE ...    copies the database into a file, while the service runs", backup_command},
    {"restore", "FILE ...    puts such a file in place, while the service does not run", backup_command},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

int main(int argc, char **argv)
{
    file_open_standard();
    if (argc > 1 && strcmp(argv[1], "--executor") == 0) {
        prctl(PR_SET_NAME, "coalesced-exec");
        return executor_main(argc, argv);
    }
    if (argc > 1 && strcmp(argv[1], "--sandbox") == 0) {
        prctl(PR_SET_NAME, "coalesced-box");
        return sandbox_main(argc, argv);
    }
    int subcommand = words_find(argc > 1 ? argv[1] : NULL, WORDS_TABLE(subcommands));
    if (subcommand >= 0)
        return subcommands[subcommand].run(argc - 1, argv + 1);

    struct config config;
    struct error error = {0};
    int status = 0;
    if (config_read(&config, argc, argv, &error) < 0) {
        fprintf(stderr, "coalesced: %s\n", error.text);
        status = 2;
    } else if (config.help) {
        config_help(stdout);
        fputs("\nCommands, each with a --help of its own:\n\n", stdout);
        for (int i = 0; i < SUBCOMMANDS; i++)
            printf("  coalesced %s %s\n", subcommands[i].name, subcommands[i].usage);
    } else if (config.version) {
        printf("coalesced %s (%s)\n", COALESCED_VERSION, coalesced_commit);
    } else {
        status = server_run(&config, executor_check);
    }
    config_free(&config);
    return status;
}
