#include "client/context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/suggest.h"
#include "base/words.h"
#include "client/terminal/language.h"

/* The option that "name" or "name=value" names, or a single letter; OPTION_COUNT when there is none. */
static enum option find_option(const char *text, bool letter)
{
    size_t length = strcspn(text, "=");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct manual_option *row = &manual_options[i];
        if (letter ? row->letter && row->letter == text[0]
                   : strlen(row->name) == length && memcmp(row->name, text, length) == 0)
            return (enum option)i;
    }
    return OPTION_COUNT;
}

static int unknown_option(const char *text, struct error *error)
{
    struct suggestion meant;
    char name[SUGGEST_NAME_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 2, "="), text + 2);
    suggest_among(&meant, text[1] == '-' ? name : "", manual_options, OPTION_COUNT, sizeof *manual_options);
    if (meant.found)
        return error_set(error, ERROR_INVALID, language_text("there is no option %s: did you mean --%s?"),
                         text, meant.found);
    if (words_contain("arch size block grid dtype offset load repeat counters placement priority", name))
        return error_set(error, ERROR_INVALID,
                         language_text("there is no option %s: a field of the request is given as %s=VALUE"),
                         text, name);
    return error_set(error, ERROR_INVALID, language_text("there is no option %s"), text);
}

static int unknown_command(const char *text, struct error *error)
{
    static const char *const elsewhere[][2] = {{"list", "ls"},      {"rm", "remove"},   {"delete", "remove"},
                                               {"restore", "undo"}, {"wait", "watch"},  {"stop", "cancel"},
                                               {"kill", "cancel"},  {"status", "show"}, {"diff", "compare"},
                                               {"lint", "check"},   {"submit", "run"}};
    struct suggestion meant;
    suggest_begin(&meant, text);
    for (const struct manual_command *command = manual_commands; command->name; command++)
        suggest_consider(&meant, command->name);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        if (strcmp(text, elsewhere[i][0]) == 0)
            meant.found = elsewhere[i][1];
    return meant.found ? error_set(error, ERROR_INVALID,
                                   language_text("there is no command \"%s\": did you mean \"%s\"?"), text,
                                   meant.found)
                       : error_set(error, ERROR_INVALID, language_text("there is no command \"%s\""), text);
}

/* Parses the option argv[*at] with its value, which may be the next argument: *at is then that one. */
static int parse_option(struct command_line *options, int argc, char **argv, int *at, struct error *error)
{
    const char *text = argv[*at], *name = text[1] == '-' ? text + 2 : text + 1, *value = "";
    bool letter = text[1] != '-';
    enum option option = find_option(name, letter);
    if (option == OPTION_COUNT)
        return unknown_option(text, error);
    const struct manual_option *row = &manual_options[option];
    const char *joined = letter ? (name[1] ? name + 1 : NULL) : strchr(name, '=');
    if (joined && !letter)
        joined++;
    if (!row->value && joined)
        return error_set(error, ERROR_INVALID, language_text("--%s takes no value"), row->name);
    if (row->value) {
        if (!joined && *at + 1 >= argc)
            return error_set(error, ERROR_INVALID, language_text("--%s needs a value: %s"), row->name,
                             row->value);
        value = joined ? joined : argv[++*at];
        if (row->choices && !words_contain(row->choices, value))
            return error_set(error, ERROR_INVALID, language_text("--%s is one of: %s"), row->name,
                             row->choices);
    }
    options->given[option] = value;
    return 0;
}

static int one_too_many(const struct manual_command *command, const char *word, struct error *error)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        if (strcmp(manual_options[i].name, word) == 0 && command_table_takes(command, (enum option)i))
            return error_set(error, ERROR_INVALID,
                             language_text("\"%s\" is one too many: did you mean --%s?"), word, word);
    if (command_table_find(word))
        return error_set(error, ERROR_INVALID,
                         language_text("\"%s\" is one too many: did you mean coalesce %s?"), word, word);
    return error_set(error, ERROR_INVALID, language_text("\"%s\" is one too many: coalesce %s %s"), word,
                     command->name, command->arguments);
}

/* "warp=5", where it is --warp 5. */
static bool is_option(const struct manual_command *command, const char *word)
{
    enum option option = strchr(word, '=') ? find_option(word, false) : OPTION_COUNT;
    return (option == OPTION_WARP || option == OPTION_BLOCK) && command_table_takes(command, option);
}

static int check_words(const struct command_line *options, struct error *error)
{
    const struct manual_command *command = options->command;
    for (int i = 0; command && i < OPTION_COUNT; i++)
        if (options->given[i] && !command_table_takes(command, (enum option)i))
            return error_set(error, ERROR_INVALID, language_text("%s does not take --%s"), command->name,
                             manual_options[i].name);
    if (!command || options->given[OPTION_HELP])
        return 0;
    for (int i = 0; i < options->word_count; i++)
        if (is_option(command, options->words[i]))
            return error_set(error, ERROR_INVALID,
                             language_text("\"%s\" is no field here: did you mean --%s %s?"),
                             options->words[i], manual_options[find_option(options->words[i], false)].name,
                             strchr(options->words[i], '=') + 1);
    if (options->word_count < command->least)
        return error_set(error, ERROR_INVALID, language_text("%s needs more: coalesce %s %s"), command->name,
                         command->name, command->arguments);
    if (command->most >= 0 && options->word_count > command->most)
        return one_too_many(command, options->words[command->most], error);
    return 0;
}

int context_parse(struct command_line *options, int argc, char **argv, struct error *error)
{
    *options = (struct command_line){0};
    bool only_words = false, named = false, help = false;
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        if (!only_words && strcmp(text, "--") == 0) {
            only_words = true;
        } else if (!only_words && text[0] == '-' && text[1]) {
            if (parse_option(options, argc, argv, &i, error) != 0)
                return -1;
        } else if (!named) {
            named = true;
            options->command = command_table_find(text);
            if (!options->command && strcmp(text, "help") != 0)
                return unknown_command(text, error);
            help = !options->command;
            if (help)
                options->given[OPTION_HELP] = "";
        } else if (help && options->command) {
            return one_too_many(options->command, text, error);
        } else if (help && strcmp(text, "help") == 0) {
            continue;
        } else if (!options->command && options->given[OPTION_HELP] &&
                   !(options->command = command_table_find(text))) {
            return unknown_command(text, error);
        } else if (!options->command->name || options->word_count >= CONTEXT_WORDS_MAX) {
            return error_set(error, ERROR_INVALID, language_text("more than %d words"), CONTEXT_WORDS_MAX);
        } else if (!options->given[OPTION_HELP]) {
            options->words[options->word_count++] = text;
        }
    }
    return check_words(options, error);
}

int context_number(const struct command_line *options, enum option option, double fallback, double least,
                   double most, double *value, struct error *error)
{
    const char *text = options->given[option];
    *value = fallback;
    if (!text)
        return 0;
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value) || *value < least || *value > most)
        return error_set(error, ERROR_INVALID,
                         language_text("--%s%s%.1s is a number from %.10g to %.10g, not \"%s\""),
                         manual_options[option].name, manual_options[option].letter ? ", -" : "",
                         &manual_options[option].letter, least, most, text);
    return 0;
}

int context_usage(struct context *context, const struct error *error)
{
    screen_say(&context->screen, "%s", error->text);
    const struct manual_command *command = context->options.command;
    fprintf(stderr, language_text("  coalesce help%s%s says more.\n"), command ? " " : "",
            command ? command->name : "");
    return EXIT_USAGE;
}
