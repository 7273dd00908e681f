#include "client/manual/man_page.h"

#include <string.h>

#include "client/manual/command_table.h"

/* Escapes dashes, backslashes, and a first character that troff would read as a request. */
static void put(FILE *out, const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '\n' && (text[1] == '.' || text[1] == '\''))
            fputs("\n\\&", out);
        else
            fputc(*text, out);
    }
}

static void put_bold(FILE *out, const char *text)
{
    fputs("\\fB", out);
    put(out, text);
    fputs("\\fR", out);
}

static void put_options(FILE *out, uint64_t which)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct manual_option *option = &manual_options[i];
        if (!(which & (UINT64_C(1) << i)))
            continue;
        fputs(".TP\n", out);
        if (option->letter)
            fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
        fputs("\\fB\\-\\-\\fR", out);
        put_bold(out, option->name);
        if (option->value)
            fprintf(out, " \\fI%s\\fR", option->value);
        fputc('\n', out);
        put(out, option->text);
        if (option->choices) {
            fputs(" (", out);
            put(out, option->choices);
            fputc(')', out);
        }
        fputc('\n', out);
    }
}

static void put_pairs(FILE *out, const char *title, const struct manual_pair *pairs)
{
    fprintf(out, ".SH %s\n", title);
    for (; pairs->name; pairs++) {
        fputs(".TP\n", out);
        put_bold(out, pairs->name);
        fputc('\n', out);
        put(out, pairs->text);
        fputc('\n', out);
    }
}

static void put_command(FILE *out, const struct manual_command *command)
{
    fputs(".SS ", out);
    put(out, command->name);
    fputc(' ', out);
    put(out, command->arguments);
    fputc('\n', out);
    put(out, command->summary);
    fputs(".\n", out);
    if (*command->text)
        fputs(".PP\n", out);
    put(out, command->text);
    put_options(out, command->options);
    fputs(".PP\n.nf\n", out);
    put(out, command->examples);
    fputs(".fi\n", out);
}

void man_page_print(FILE *out, const char *version)
{
    fprintf(out, ".TH COALESCE 1 \"\" \"coalesced %s\" \"User Commands\"\n", version);
    fputs(".SH NAME\ncoalesce \\- memory experiments on a GPU, run by the service coalesced\n", out);
    fputs(".SH SYNOPSIS\n\\fBcoalesce\\fR \\fICOMMAND\\fR [\\fIWORD\\fR ...] [\\fIOPTION\\fR ...]\n", out);
    fputs(".SH DESCRIPTION\nAsks a coalesced service over HTTP: submits experiments and sweeps, waits for "
          "them, and prints\n"
          "tables, plots and drawings of what the memory system does. Options stand anywhere; behind "
          "\\fB\\-\\-\\fR all are words.\n",
          out);
    fputs(".SH COMMANDS\n", out);
    for (const struct manual_command *command = manual_commands; command->name; command++)
        put_command(out, command);
    fputs(".SH OPTIONS\n.SS Of every command\n", out);
    put_options(out, manual_common);
    fputs(".SS Without a command\n", out);
    put_options(out, manual_alone & ~manual_common);
    put_pairs(out, "VALUES OF PARAMETERS", manual_values);
    put_pairs(out, "EXIT STATUS", manual_exits);
    put_pairs(out, "ENVIRONMENT", manual_environment);
    fputs(".SH SEE ALSO\n\\fBcoalesced \\-\\-help\\fR, \\fBcurl\\fR(1)\n", out);
}
