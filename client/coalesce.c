/* coalesce: the command that asks a coalesced service from a terminal. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "client/complete.h"
#include "client/context.h"
#include "client/manual/manual.h"
#include "client/terminal/interrupt.h"
#include "client/terminal/language.h"
#include "client/work/fetch.h"
#include "version.h"

/* Prints what needs no service: help, version, manual, completions. -1: none of them was asked for. */
static int print_manual(const struct command_line *options, int columns)
{
    if (options->given[OPTION_HELP])
        manual_print_help(stdout, columns, options->command);
    else if (options->command)
        return -1;
    else if (options->given[OPTION_VERSION])
        printf("coalesce %s\n", COALESCED_VERSION);
    else if (options->given[OPTION_MAN])
        manual_print_man_page(stdout, COALESCED_VERSION);
    else if (options->given[OPTION_COMPLETION])
        manual_print_completion(stdout, options->given[OPTION_COMPLETION]);
    else
        return -1;
    return EXIT_FINE;
}

static int run(struct context *context)
{
    struct command_line *options = &context->options;
    struct error error = {0};
    double retry_s;
    static const enum option tables[] = {OPTION_CSV, OPTION_VIEW, OPTION_COLUMNS};
    const char *table = NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !table; i++)
        if (options->given[tables[i]])
            table = manual_options[tables[i]].name;
    if (table)
        options->given[OPTION_CSV] = "";
    if (options->given[OPTION_JSON] && table) {
        error_set(&error, ERROR_INVALID, language_text("--json and --%s do not go together"), table);
        return context_usage(context, &error);
    }
    if (context_number(options, OPTION_PATIENCE, 60, 0, 86400, &retry_s, &error) != 0 ||
        http_client_open(&context->service, &context->screen, options->given[OPTION_URL], retry_s, &error) !=
            0)
        return context_usage(context, &error);
    interrupt_watch();
    if (!table && !options->given[OPTION_JSON] && !command_table_takes(options->command, OPTION_OUTPUT))
        screen_wrap_output(&context->screen);
    int status = EXIT_FINE;
    for (int i = 0; i < options->word_count && status == EXIT_FINE; i++)
        status = fetch_whole_id(context, &options->words[i]);
    if (status == EXIT_FINE)
        status = options->command->run(context);
    screen_clear_progress(&context->screen);
    http_client_close(&context->service);
    return status;
}

/* Opens the standard files that are closed. A standard output that was closed then refuses what is written, so that it is a
   failure for a command that writes there, and for no other. */
static void output_open(void)
{
    const bool closed = fcntl(STDOUT_FILENO, F_GETFD) < 0;
    file_open_standard();
    int nothing = closed ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    if (nothing >= 0) {
        dup2(nothing, STDOUT_FILENO);
        close(nothing);
    }
}

int main(int argc, char **argv)
{
    static struct context context;
    struct error error = {0};
    output_open();
    bool ascii = false;
    for (int i = 1; i < argc; i++)
        ascii = ascii || strcmp(argv[i], "--ascii") == 0;
    language_open(ascii);
    if (argc > 1 && strcmp(argv[1], "--complete") == 0)
        return complete(argc - 2, argv + 2);
    int parsed = context_parse(&context.options, argc, argv, &error);
    const char *const *given = context.options.given;
    screen_open(&context.screen, given[OPTION_COLOR] ? given[OPTION_COLOR] : "auto",
                given[OPTION_QUIET] != NULL);
    context.screen.json = given[OPTION_JSON] != NULL;
    if (parsed != 0)
        return context_usage(&context, &error);
    int status = print_manual(&context.options, context.screen.columns);
    if (status < 0 && !context.options.command) {
        manual_print_help(stderr, context.screen.columns, NULL);
        return EXIT_USAGE;
    }
    if (status < 0)
        status = run(&context);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        screen_say(&context.screen, language_text("standard output cannot be written"));
        return status ? status : EXIT_FAILED;
    }
    return status;
}
