#include "server/store/backup_command.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/config.h"
#include "server/store/backup.h"

enum { DONE = 0, FAILED = 1, WRONG = 2 }; /* exit statuses */

struct backup_arguments {
    const char *command, *help;
    const char *file;
    char *directory; /* owned; NULL: none was named */
    bool force, helped;
};

#define DATA_DIR_HELP                                                                                        \
    "  --data-dir DIR  (COALESCED_DATA_DIR)\n"                                                               \
    "        where experiments are kept; by default $XDG_STATE_HOME/coalesced or ~/.local/state/coalesced\n"

static const char backup_help[] =
    "coalesced backup: copies what is kept into a file, while the service runs or not\n\n"
    "usage: coalesced backup FILE [--data-dir DIR] [--force]\n\n" DATA_DIR_HELP "  --force\n"
    "        replace FILE when it is there\n\n"
    "FILE holds the database as it was at one moment. It is checked, synced and readable by its owner alone; "
    "until all of\n"
    "that is done it is called FILE.part. Run it as the user of the service.\n\n"
    "examples:\n"
    "  coalesced backup /var/backups/coalesced-$(date +%F).db --data-dir /var/lib/coalesced\n"
    "  docker exec coalesced coalesced backup /var/lib/coalesced/backup.db --force\n";

static const char restore_help[] =
    "coalesced restore: puts a file that coalesced backup wrote in place, while no service runs\n\n"
    "usage: coalesced restore FILE [--data-dir DIR]\n\n" DATA_DIR_HELP "\n"
    "FILE is checked first. The database that was there stays beside it, under the name that is printed. "
    "What "
    "waited or ran\n"
    "when the backup was made waits again.\n\n"
    "example:\n"
    "  systemctl stop coalesced\n"
    "  coalesced restore /var/backups/coalesced-2026-01-31.db --data-dir /var/lib/coalesced\n"
    "  systemctl start coalesced\n";

__attribute__((format(printf, 2, 3))) static int usage_error(const struct backup_arguments *line,
                                                             const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "coalesced %s: ", line->command);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n\n%s", line->help);
    return WRONG;
}

static int failed(const struct backup_arguments *line, const struct error *error)
{
    fprintf(stderr, "coalesced %s: %s\n", line->command, error->text);
    return FAILED;
}

/* DONE; or WRONG, after saying why. */
static int command_line_read(struct backup_arguments *line, int argc, char **argv)
{
    static const struct option options[] = {{"data-dir", required_argument, NULL, 'd'},
                                            {"help", no_argument, NULL, 'h'},
                                            {"force", no_argument, NULL, 'f'},
                                            {0}};
    const char *directory = NULL;
    struct error error = {0};
    bool may_force = line->help == backup_help;
    opterr = 0;
    for (int option; (option = getopt_long(argc, argv, ":h", options, NULL)) != -1;) {
        if (option == ':')
            return usage_error(line, "%s wants a value", argv[optind - 1]);
        if (option == '?' || (option == 'f' && !may_force))
            return usage_error(line, "there is no option %s", argv[optind - 1]);
        directory = option == 'd' ? optarg : directory;
        line->helped |= option == 'h';
        line->force |= option == 'f';
    }
    if (line->helped)
        return DONE;
    if (optind + 1 != argc)
        return usage_error(line, optind < argc ? "one FILE is wanted, there are more" : "which FILE?");
    line->file = argv[optind];
    line->directory = directory ? strdup(directory) : config_data_dir(&error);
    return line->directory ? DONE : usage_error(line, "%s", directory ? "no memory" : error.text);
}

static void facts_print(const struct backup_arguments *line, const char *done,
                        const struct database_facts *facts)
{
    printf("%s %s: %lld experiments, %lld sweeps, %lld bytes, version %d of the database\n", done, line->file,
           (long long)facts->experiments, (long long)facts->sweeps, (long long)facts->bytes, facts->version);
}

static int run_backup(const struct backup_arguments *line)
{
    struct error error = {0};
    struct database_facts facts = {0};
    if (backup_make(line->directory, line->file, line->force, &facts, &error) < 0)
        return failed(line, &error);
    facts_print(line, "wrote", &facts);
    return DONE;
}

static int run_restore(const struct backup_arguments *line)
{
    struct error error = {0};
    struct database_facts facts = {0};
    char aside[BACKUP_ASIDE_BYTES];
    if (backup_restore(line->file, line->directory, aside, &facts, &error) < 0)
        return failed(line, &error);
    facts_print(line, "restored", &facts);
    if (aside[0])
        printf("what was there is %s\n", aside);
    return DONE;
}

static int command_run(struct backup_arguments *line, int argc, char **argv,
                       int (*run)(const struct backup_arguments *))
{
    int status = command_line_read(line, argc, argv);
    if (status == DONE && line->helped)
        fputs(line->help, stdout);
    else if (status == DONE)
        status = run(line);
    free(line->directory);
    return status;
}

int backup_command(int argc, char **argv)
{
    return command_run(&(struct backup_arguments){.command = "backup", .help = backup_help}, argc, argv,
                       run_backup);
}

int backup_command_restore(int argc, char **argv)
{
    return command_run(&(struct backup_arguments){.command = "restore", .help = restore_help}, argc, argv,
                       run_restore);
}
