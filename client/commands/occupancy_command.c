/* The command occupancy: what fits a multiprocessor, from the figures of a launch. */
#include "client/commands/command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/answers.h"
#include "client/parameters/parameters.h"
#include "client/terminal/language.h"
#include "client/work/fetch.h"

/* A number as the service reads it: 4Ki is 4096, a block of 32x8 has 256 threads. What is none stays as it is, and the
   service says what would have been right. False: no memory, or beyond 64 bits. */
static bool number_read(char text[32], const char *value, struct error *error)
{
    size_t i;
    const json_t *side;
    json_t *item = parameters_item(value, error);
    json_int_t number = json_is_integer(item) ? json_integer_value(item) : 1;
    json_array_foreach (item, i, side)
        number *= json_integer_value(side);
    if (json_is_integer(item) || json_is_array(item))
        snprintf(text, 32, "%" JSON_INTEGER_FORMAT, number);
    else
        snprintf(text, 32, "%s", value);
    json_decref(item);
    return item != NULL;
}

/* Appends NAME=VALUE to the address; -1 with ERROR_INVALID. */
static int word_add(struct context *context, struct buffer *path, const char *word, struct error *error)
{
    char name[64], number[32];
    const char *equals = strchr(word, '=');
    if (!equals || strspn(word, "abcdefghijklmnopqrstuvwxyz_") != (size_t)(equals - word))
        return error_set(error, ERROR_INVALID, language_text("\"%.40s\" is no NAME=VALUE"), word);
    snprintf(name, sizeof name, "%.*s", (int)(equals - word), word);
    bool arch = strcmp(name, "arch") == 0;
    if (!arch && !number_read(number, equals + 1, error))
        return -1;
    http_client_escape(&context->service, path,
                       strcmp(name, "registers") == 0 ? "registers_per_thread" : name,
                       arch ? equals + 1 : number);
    return 0;
}

static void print(struct context *context, const json_t *document)
{
    answers_print_occupancy(document, &context->screen);
}

int command_occupancy(struct context *context)
{
    const struct command_line *options = &context->options;
    struct error error = {0};
    struct buffer path = {0};
    int status = 0;
    buffer_text(&path, "/v1/occupancy");
    for (int i = 0; i < options->word_count && status == 0; i++)
        status = word_add(context, &path, options->words[i], &error);
    status = status == 0 ? fetch_show(context, path.data, print) : context_usage(context, &error);
    buffer_free(&path);
    return status;
}
