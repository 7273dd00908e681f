#include "client/manual/help.h"

#include <string.h>

enum { TEXT_FROM = 30, WIDTH = 100 };

/* Prints words from column `from` on, in lines of at most WIDTH; the current line is `at` columns long. */
static void print_words(FILE *out, int from, int at, const char *text)
{
    fprintf(out, "%*s", from - at, "");
    int column = from;
    while (*text) {
        int length = (int)strcspn(text, " \n");
        if (column > from && column + 1 + length > WIDTH) {
            fprintf(out, "\n%*s", from, "");
            column = from;
        }
        column += fprintf(out, "%s%.*s", column > from ? " " : "", length, text);
        text += length + (text[length] != '\0');
    }
    fputc('\n', out);
}

static void print_text(FILE *out, int at, const char *text)
{
    if (at >= TEXT_FROM) {
        fputc('\n', out);
        at = 0;
    }
    print_words(out, TEXT_FROM, at, text);
}

static void print_pairs(FILE *out, const char *title, const struct manual_pair *pairs)
{
    fprintf(out, "\n%s:\n", title);
    for (; pairs->name; pairs++)
        print_text(out, fprintf(out, "  %s", pairs->name), pairs->text);
}

static void print_options(FILE *out, uint64_t which)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct manual_option *option = &manual_options[i];
        if (!(which & (UINT64_C(1) << i)))
            continue;
        int at = option->letter ? fprintf(out, "  -%c, --%s", option->letter, option->name)
                                : fprintf(out, "      --%s", option->name);
        if (option->value)
            at += fprintf(out, " %s", option->value);
        print_text(out, at, option->text);
    }
}

/* Prints each line of the text after two blanks. */
static void print_lines(FILE *out, const char *text)
{
    while (*text) {
        int length = (int)strcspn(text, "\n");
        fprintf(out, "  %.*s\n", length, text);
        text += length + (text[length] == '\n');
    }
}

static void print_command(FILE *out, const struct manual_command *command)
{
    fprintf(out, "coalesce %s %s\n\n  %s\n", command->name, command->arguments, command->summary);
    if (*command->text) {
        fputc('\n', out);
        print_words(out, 2, 0, command->text);
    }
    fputs("\nOptions:\n", out);
    print_options(out, command->options | manual_common);
    if (strstr(command->arguments, "NAME=VALUE"))
        print_pairs(out, "Values", manual_values);
    fputs("\nExamples:\n", out);
    print_lines(out, command->examples);
    print_pairs(out, "Exit status", manual_exits);
}

void help_print(FILE *out, const struct manual_command *command)
{
    if (command) {
        print_command(out, command);
        return;
    }
    fputs(
        "coalesce COMMAND ...\n\n  Memory experiments on a GPU, run by the service coalesced.\n\nCommands:\n",
        out);
    for (command = manual_commands; command->name; command++)
        print_text(out, fprintf(out, "  %s %s", command->name, command->arguments), command->summary);
    fputs("\nOptions of every command (coalesce help COMMAND has its own):\n", out);
    print_options(out, manual_common);
    fputs("\nOptions without a command:\n", out);
    print_options(out, manual_alone & ~manual_common);
    print_pairs(out, "Values of parameters", manual_values);
    print_pairs(out, "Environment", manual_environment);
    print_pairs(out, "Exit status", manual_exits);
    fputs("\nBegin with:\n  coalesce devices\n  coalesce run read_offset offset=11\n", out);
}
