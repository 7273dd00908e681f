#include "client/manual/manual.h"

#include <limits.h>
#include <string.h>

#include "client/terminal/language.h"
#include "client/terminal/screen.h"

/* ---- help ---- */

enum { WIDTH_MAX = 100 };

static int width, text_from; /* of the lines of help, and where an option's text begins */

/* Prints words from column `from` on, in lines of at most `width`; the current line is `at` columns long. */
static void print_words(FILE *out, int from, int at, const char *text)
{
    fprintf(out, "%*s", from - at, "");
    int column = from;
    bool blank = false; /* before the next word */
    while (*text) {
        int columns;
        size_t length = screen_word(text, strlen(text), &columns);
        if (length == 0) {
            blank = column > from;
            text++;
            continue;
        }
        for (; screen_is_punctuation(text + length, strlen(text + length)); length += 3)
            columns += 2;
        if (column > from && column + blank + columns > width) {
            fprintf(out, "\n%*s", from, "");
            column = from;
            blank = false;
        }
        fprintf(out, "%s%.*s", blank ? " " : "", (int)length, text);
        column += blank + columns;
        text += length;
        blank = false;
    }
    fputc('\n', out);
}

static void print_text(FILE *out, int at, const char *text)
{
    if (at >= text_from) {
        fputc('\n', out);
        at = 0;
    }
    print_words(out, text_from, at, text);
}

static void print_pairs(FILE *out, const char *title, const struct manual_pair *pairs, int most)
{
    fputs(title, out);
    for (; pairs->name && most > 0; pairs++, most--)
        print_text(out, fprintf(out, "  %s", pairs->name), language_text(pairs->text));
}

/* Prints the exit statuses that a command returns; NULL: those of all. */
static void print_exits(FILE *out, const struct manual_command *command)
{
    fputs(language_text("\nExit status:\n"), out);
    for (const struct manual_exit *row = manual_exits; row->status; row++)
        if (!command || command_table_returns(command, row))
            print_text(out, fprintf(out, "  %s", row->status), language_text(row->text));
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
        print_text(out, at, language_text(option->text));
    }
}

/* Prints commands, one a line of the text, after two blanks. A longer line goes on after a backslash, as a shell takes it. */
static void print_commands(FILE *out, const char *text)
{
    int indent = 2;
    while (*text) {
        int length = (int)strcspn(text, "\n"), cut = width - indent - 2; /* " \\" */
        if (indent + length > width)
            while (cut > 0 && text[cut] != ' ')
                cut--;
        bool goes_on = indent + length > width && cut > 0;
        if (goes_on)
            length = cut;
        fprintf(out, "%*s%.*s%s\n", indent, "", length, text, goes_on ? " \\" : "");
        indent = goes_on ? 6 : 2;
        text += length + (text[length] != '\0');
    }
}

static void print_command(FILE *out, const struct manual_command *command)
{
    fprintf(out, "coalesce %s%s%s\n\n", command->name, *command->arguments ? " " : "", command->arguments);
    print_words(out, 2, 0, language_text(command->summary));
    if (*command->text) {
        fputc('\n', out);
        print_words(out, 2, 0, language_text(command->text));
    }
    if (command->options) {
        fputs(language_text("\nOptions:\n"), out);
        print_options(out, command->options);
    }
    fputs(language_text("\nOptions of every command:\n"), out);
    print_options(out, manual_common);
    if (strstr(command->arguments, "NAME=VALUE"))
        print_pairs(out, language_text("\nValues:\n"), manual_values,
                    command_table_takes(command, OPTION_DETACH) ? INT_MAX : MANUAL_VALUES_OF_ALL);
    fputs(language_text("\nExamples:\n"), out);
    print_commands(out, command->examples);
    print_exits(out, command);
}

void manual_print_help(FILE *out, int columns, const struct manual_command *command)
{
    width = columns < WIDTH_MAX ? columns : WIDTH_MAX;
    text_from = width < 80 ? 10 : 30;
    if (command) {
        print_command(out, command);
        return;
    }
    fputs(language_text("coalesce COMMAND ...\n\n  Memory experiments on a GPU, run by the service "
                        "coalesced.\n\nCommands:\n"),
          out);
    for (command = manual_commands; command->name; command++)
        print_text(out, fprintf(out, "  %s %s", command->name, command->arguments),
                   language_text(command->summary));
    fputc('\n', out);
    print_words(out, 0, 0, language_text("Options of every command (coalesce help COMMAND has its own):"));
    print_options(out, manual_common);
    fputs(language_text("\nOptions without a command:\n"), out);
    print_options(out, manual_alone & ~manual_common);
    print_pairs(out, language_text("\nValues of parameters:\n"), manual_values, INT_MAX);
    print_pairs(out, language_text("\nEnvironment:\n"), manual_environment, INT_MAX);
    print_exits(out, NULL);
    fputs(language_text("\nBegin with:\n  coalesce devices\n  coalesce run read_offset offset=11\n"), out);
}

/* ---- the man page ---- */

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

static void put_pair(FILE *out, const char *name, const char *text)
{
    fputs(".TP\n", out);
    put_bold(out, name);
    fputc('\n', out);
    put(out, text);
    fputc('\n', out);
}

static void put_pairs(FILE *out, const char *title, const struct manual_pair *pairs)
{
    fprintf(out, ".SH %s\n", title);
    for (; pairs->name; pairs++)
        put_pair(out, pairs->name, pairs->text);
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

void manual_print_man_page(FILE *out, const char *version)
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
    fputs(".SH EXIT STATUS\n", out);
    for (const struct manual_exit *row = manual_exits; row->status; row++)
        put_pair(out, row->status, row->text);
    put_pairs(out, "ENVIRONMENT", manual_environment);
    fputs(".SH SEE ALSO\n\\fBcoalesced \\-\\-help\\fR, \\fBcurl\\fR(1)\n", out);
}

/* ---- completion ---- */

/* bash ends a word at "=", so the part before it is cut off the candidates. A blank within a word, as in a device's name,
   has a backslash. */
static const char bash[] =
    "# Completion of coalesce for bash.\n"
    "_coalesce()\n"
    "{\n"
    "    local line=${COMP_LINE:0:COMP_POINT} words candidates\n"
    "    read -a words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
    "    local word=${words[-1]}\n"
    "    mapfile -t candidates < <(\"${words[0]}\" --complete \"${words[@]:1}\" 2>/dev/null | cut -f 1)\n"
    "    COMPREPLY=(\"${candidates[@]// /\\\\ }\")\n"
    "    if [[ $word == *=* && $COMP_WORDBREAKS == *=* ]]; then\n"
    "        COMPREPLY=(\"${COMPREPLY[@]#\"${word%\"${word##*=}\"}\"}\")\n"
    "    fi\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
    "    return 0\n"
    "}\n"
    "complete -o default -F _coalesce coalesce\n";

static const char zsh[] =
    "#compdef coalesce\n"
    "# Completion of coalesce for zsh.\n"
    "_coalesce()\n"
    "{\n"
    "    local -a lines open closed\n"
    "    local line\n"
    "    lines=(\"${(@f)$(\"${words[1]}\" --complete \"${(@)words[2,CURRENT]}\" 2>/dev/null | cut -f 1)}\")\n"
    "    for line in $lines; do\n"
    "        if [[ $line == *= ]]; then open+=(\"$line\"); else closed+=(\"$line\"); fi\n"
    "    done\n"
    "    compadd -S '' -a open\n"
    "    compadd -a closed\n"
    "    (( ${#lines} )) || _files\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _coalesce ]; then _coalesce \"$@\"; else compdef _coalesce coalesce; fi\n";

static const char fish[] =
    "# Completion of coalesce for fish.\n"
    "function __coalesce\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    $words[1] --complete $words[2..-1] 2>/dev/null\n"
    "end\n"
    "complete -c coalesce -f -a '(__coalesce)'\n"
    "complete -c coalesce -n '__fish_seen_subcommand_from export' -s o -l output -r -F\n";

void manual_print_completion(FILE *out, const char *shell)
{
    fputs(strcmp(shell, "bash") == 0   ? bash
          : strcmp(shell, "zsh") == 0  ? zsh
          : strcmp(shell, "fish") == 0 ? fish
                                       : "",
          out);
}
