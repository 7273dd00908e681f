#include "client/complete.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "client/manual/command_table.h"
#include "client/parameters/source_file.h"
#include "client/service/http_client.h"
#include "client/terminal/clean.h"
#include "client/terminal/language.h"

static void offer(const char *prefix, const char *before, const char *word, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", before, word);
    if (strncmp(whole, prefix, strlen(prefix)) == 0)
        printf("%s%s%.60s\n", whole, text && *text ? "\t" : "", text && *text ? language_text(text) : "");
}

/* Offers each word of "ca cg ldg". */
static void offer_words(const char *prefix, const char *before, const char *words)
{
    while (*words) {
        char word[64];
        size_t length = strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        offer(prefix, before, word, NULL);
        words += length + (words[length] == ' ');
    }
}

/* The document at that path, released by the caller; NULL: the service does not respond at once. */
static json_t *fetch(const char *path)
{
    struct screen screen = {.quiet = true};
    struct http_client service;
    struct http_client_response response = {0};
    json_t *document = NULL;
    if (http_client_open(&service, &screen, NULL, 0, NULL) != 0)
        return NULL;
    service.silent = true;
    service.limit_s = 1;
    if (http_client_get(&service, path, &response) == 0)
        document = json_loads(response.body.data, 0, NULL);
    clean_strings(document);
    http_client_response_free(&response);
    http_client_close(&service);
    return document;
}

/* The member's text, in English where there are two; "": there is none. */
static const char *text_of(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name), *english = json_object_get(value, "en");
    const char *text = json_string_value(english ? english : value);
    return text ? text : "";
}

/* Offers the member `name` of each object in the list of the document at that path. False: it cannot be
   had. */
static bool offer_rows(const char *prefix, const char *before, const char *path, const char *list,
                       const char *name, const char *text)
{
    json_t *document = fetch(path), *row;
    bool found = document != NULL;
    size_t i;
    json_array_foreach (json_object_get(document, list), i, row)
        offer(prefix, before, text_of(row, name), text_of(row, text));
    json_decref(document);
    return found;
}

static void offer_devices(const char *prefix, const char *before, bool choose)
{
    if (offer_rows(prefix, before, "/v1/devices", "devices", "device_name", "name") && choose)
        offer_words(prefix, before, "any arch=");
}

/* Offers only GPUs, because no time is predicted for a CPU. */
static void offer_gpus(const char *prefix)
{
    json_t *document = fetch("/v1/devices"), *row;
    size_t i;
    json_array_foreach (json_object_get(document, "devices"), i, row)
        if (strcmp(text_of(row, "backend"), "cuda") == 0)
            offer(prefix, "", text_of(row, "name"), NULL);
    json_decref(document);
}

static void offer_sweeps(const char *prefix)
{
    offer_rows(prefix, "", "/v1/sweeps?page_size=20", "sweeps", "id", "state");
}

static void offer_kernels(const char *prefix)
{
    offer_rows(prefix, "", "/v1/kernels", "kernels", "name", "title");
}

/* Columns are separated by commas: the ones before the last comma are part of each offer. */
static void offer_columns(const char *prefix)
{
    char before[400];
    const char *comma = strrchr(prefix, ',');
    snprintf(before, sizeof before, "%.*s", comma ? (int)(comma - prefix) + 1 : 0, prefix);
    offer_rows(prefix, before, "/v1/columns", "columns", "name", "text");
}

/* Offers the values after "name=" where the prefix has come so far, else that itself. */
static void offer_parameter(const char *prefix, const char *name, const char *text, const json_t *choices)
{
    char before[128];
    size_t i;
    json_t *choice;
    snprintf(before, sizeof before, "%s=", name);
    if (strncmp(prefix, before, strlen(before)) != 0)
        offer(prefix, "", before, text);
    else
        json_array_foreach (choices, i, choice)
            offer(prefix, before, json_string_value(choice), NULL);
}

static void offer_parameters(const char *kernel, const char *prefix, bool sweep)
{
    static const struct {
        const char *name, *text, *words; /* words: its values */
    } common[] = {{"size=", "elements, or rows x columns", NULL},
                  {"block=", "threads", NULL},
                  {"grid=", "blocks", NULL},
                  {"dtype=", "f32 f64 i32", NULL},
                  {"device=", "its name, any, or what it must be", NULL},
                  {"label.", "a label", NULL},
                  {"counters=", "on off", "on off"},
                  {"debug=", "on off", "on off"},
                  {"measure.noise=", "stop below it", NULL},
                  {"measure.min_samples=", "samples", NULL},
                  {"measure.max_seconds=", "seconds", NULL},
                  {"shared_bytes=", "bytes a block", NULL},
                  {"transfers=", "none pageable pinned", "none pageable pinned"},
                  {"timeout_s=", "seconds", NULL},
                  {"priority=", "-100 to 100", NULL}};
    char path[512];
    snprintf(path, sizeof path, "/v1/kernels/%s", kernel);
    bool file = source_file_is(kernel);
    json_t *document = file || strpbrk(kernel, "/?#% ") ? NULL : fetch(path), *row;
    size_t i;
    if (file) /* the names of its arguments are in it alone */
        offer_words(prefix, "", "block= grid= shared_bytes= entry=");
    if (!document)
        return;
    json_array_foreach (json_object_get(document, "parameters"), i, row)
        offer_parameter(prefix, text_of(row, "name"), text_of(row, "text"), json_object_get(row, "choices"));
    if (strncmp(prefix, "dtype=", 6) == 0)
        offer_parameter(prefix, "dtype", NULL, json_object_get(document, "dtypes"));
    json_decref(document);
    if (strncmp(prefix, "device=", 7) == 0)
        offer_devices(prefix, "device=", true);
    for (i = 0; i < sizeof common / sizeof *common; i++)
        if (!strchr(prefix, '='))
            offer(prefix, "", common[i].name, common[i].text);
        else if (common[i].words && strncmp(prefix, common[i].name, strlen(common[i].name)) == 0)
            offer_words(prefix, common[i].name, common[i].words);
    if (sweep && !strchr(prefix, '='))
        offer(prefix, "", "repeat=", "rounds, each with the arrays placed anew");
}

static void offer_architectures(const char *prefix)
{
    if (!strchr(prefix, '='))
        offer(prefix, "", "arch=", "architectures");
    if (strncmp(prefix, "arch=", 5) == 0)
        offer_rows(prefix, "arch=", "/v1/occupancy", "occupancies", "arch", NULL);
}

static void offer_figures(const char *prefix)
{
    static const char *const figures[][2] = {
        {"block=", "threads"}, {"registers=", "registers a thread"}, {"shared_bytes=", "bytes a block"}};
    offer_architectures(prefix);
    for (size_t i = 0; i < sizeof figures / sizeof *figures && !strchr(prefix, '='); i++)
        offer(prefix, "", figures[i][0], figures[i][1]);
}

static void offer_commands(const char *prefix)
{
    for (const struct manual_command *row = manual_commands; row->name; row++)
        offer(prefix, "", row->name, row->summary);
    offer(prefix, "", "help", "help, of a command or of all");
}

static void offer_options(const struct manual_command *command, const char *prefix)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        if (command_table_takes(command, (enum option)i))
            offer(prefix, "--", manual_options[i].name, manual_options[i].text);
    }
}

/* Offers values of the option, which is the word before the last. False: it is no option that takes a
   value. */
static bool offer_value(const char *command, const char *option, const char *prefix)
{
    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct manual_option *row = &manual_options[i];
        bool named = strncmp(option, "--", 2) == 0
                         ? strcmp(option + 2, row->name) == 0
                         : option[0] == '-' && row->letter && option[1] == row->letter && !option[2];
        if (!named || !row->value)
            continue;
        if (row->choices)
            offer_words(prefix, "", row->choices);
        if (i == OPTION_STATE)
            offer_words(prefix, "", "queued running succeeded failed cancelled");
        if (i == OPTION_KERNEL)
            offer_kernels(prefix);
        if (i == OPTION_DEVICE)
            offer_devices(prefix, "", strcmp(command, "ls") != 0);
        if (i == OPTION_DEVICE_NAME)
            offer_gpus(prefix);
        if (i == OPTION_COLUMNS)
            offer_columns(prefix);
        if (i == OPTION_SWEEP)
            offer_sweeps(prefix);
        return true;
    }
    return false;
}

static void offer_next(const struct manual_command *command, const char *name, const char *prefix)
{
    if (command->words == WORDS_KERNEL && !name) {
        if (strcmp(command->name, "check") != 0) /* the shell offers files */
            offer_kernels(prefix);
    } else if (command->words == WORDS_KERNEL) {
        if (command_table_takes(command, OPTION_DEVICE_NAME) || command_table_takes(command, OPTION_WARP))
            offer_architectures(prefix);
        offer_parameters(name, prefix, command->most < 0);
    } else if (command->words == WORDS_RECIPE && !name)
        offer_rows(prefix, "", "/v1/recipes", "recipes", "name", "title");
    else if (command->words == WORDS_DEVICE)
        offer_devices(prefix, "", false);
    else if (command->words == WORDS_OCCUPANCY)
        offer_figures(prefix);
    else if (command->words == WORDS_IDS && (!name || strcmp(command->name, "again") != 0)) {
        offer_sweeps(prefix);
        if (strcmp(command->name, "compare") != 0)
            offer_rows(prefix, "", "/v1/experiments?page_size=20", "experiments", "id", "kernel");
    }
}

int complete(int count, char **words)
{
    const char *prefix = count > 0 ? words[count - 1] : "", *name = NULL;
    const struct manual_command *command = NULL;
    bool named = false, help = false;
    for (int i = 0; i + 1 < count; i++) {
        if (words[i][0] == '-')
            continue;
        if (!named) {
            command = command_table_find(words[i]);
            help = strcmp(words[i], "help") == 0;
        } else if (!name) {
            name = words[i];
        }
        named = true;
    }
    if (count > 1 && offer_value(command ? command->name : "", words[count - 2], prefix))
        return 0;
    if (prefix[0] == '-')
        offer_options(command, prefix);
    else if (!named || (help && !name))
        offer_commands(prefix);
    else if (command)
        offer_next(command, name, prefix);
    return 0;
}
