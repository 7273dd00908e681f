#include "client/service/problem_text.h"

#include <ctype.h>
#include <curl/curl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/words.h"
#include "client/terminal/clean.h"
#include "client/terminal/language.h"

enum { NAME_BYTES = 256 };

/* Requests that the service's sentences name, and the command that makes them. A '*' is an id. */
static const struct {
    const char *request, *command;
} commands[] = {
    {"GET /v1/kernels", "coalesce kernels"},
    {"GET /v1/recipes", "coalesce recipe"},
    {"/v1/recipes", "coalesce recipe"},
    {"GET /v1/devices", "coalesce devices"},
    {"GET /v1/columns 列出全部", "省略 --columns 时表格的首行列出全部"},
    {"GET /v1/columns", "the first line of the table without --columns"},
    {"POST /v1/experiments/*/restore", "coalesce undo *"},
    {"POST /v1/sweeps/*/restore", "coalesce undo *"},
    {"describe all in \"arguments\"", "describe all in a file for --members: coalesce help check"},
    {"describe all parameters in \"arguments\"",
     "describe all parameters in a file for --members: coalesce help check"},
    {"请在 \"arguments\" 中描述", "请在 --members 的文件中描述（coalesce help check）"},
    {"registers_per_thread must be", "registers must be"},
    {"registers_per_thread 必须是", "registers 必须是"},
    {"block, registers_per_thread, ", "block, registers, "},
    {"no query parameter", "nothing called"},
    {"没有查询参数", "没有"},
    {"\"measure\": {\"keep_samples\": true}", "measure.keep_samples=on"},
    {"did you mean \"labels\"?", "did you mean label.NAME=VALUE?"},
    {"是否指 \"labels\"？", "是否指 label.NAME=VALUE？"},
    {"POST /v1/predictions", "coalesce predict"},
    {"POST /v1/sweeps", "coalesce sweep"},
    {"DELETE with ?remove=true", "coalesce remove"},
    {"DELETE without remove", "coalesce cancel"},
    {"带 ?remove=true 的 DELETE", "coalesce remove"},
    {"不带 remove 的 DELETE", "coalesce cancel"},
    {": send \"Authorization: Bearer TOKEN\"", ""},
    {"：请发送 \"Authorization: Bearer TOKEN\"", ""},
};

/* The length of what the pattern matches at the beginning of the text, 0: nothing. *id is what its '*' is. */
static size_t pattern_length(const char *pattern, const char *text, const char **id, int *id_bytes)
{
    size_t head = strcspn(pattern, "*");
    if (strncmp(pattern, text, head) != 0)
        return 0;
    if (!pattern[head])
        return head;
    const char *tail = pattern + head + 1;
    *id = text + head;
    *id_bytes = (int)strcspn(*id, "/ ");
    return strncmp(tail, *id + *id_bytes, strlen(tail)) == 0 ? head + (size_t)*id_bytes + strlen(tail) : 0;
}

/* The service's sentence in the command's words. The buffer is released by the caller. */
static const char *command_words(struct buffer *out, const char *sentence)
{
    out->size = 0;
    for (const char *at = sentence; *at;) {
        const char *id = "";
        int id_bytes = 0;
        size_t length = 0, which = 0;
        for (; !length && which < sizeof commands / sizeof *commands; which++)
            length = pattern_length(commands[which].request, at, &id, &id_bytes);
        const char *command = length ? commands[which - 1].command : at;
        size_t head = length ? strcspn(command, "*") : 1;
        buffer_append(out, command, head);
        if (length && command[head])
            buffer_append(out, id, (size_t)id_bytes);
        at += length ? length : 1;
    }
    return out->failed || !out->data ? sentence : out->data;
}

/* The pointer "#/labels/who" as the path "labels.who", "#/block/0" as "block.0": as parameters are
   written. "%20" is a space again. */
static void path_of(const char *pointer, char name[NAME_BYTES])
{
    char *plain = curl_easy_unescape(NULL, pointer, 0, NULL), *from = plain ? plain : "";
    snprintf(name, NAME_BYTES, "%s", from + strspn(from, "#/"));
    curl_free(plain);
    for (char *at = name; (at = strchr(at, '/'));)
        *at = '.';
    for (char *at = name; (at = strchr(at, '~')) && at[1]; at++) { /* "~1" is a slash, "~0" a tilde */
        *at = at[1] == '1' ? '/' : '~';
        memmove(at + 1, at + 2, strlen(at + 2) + 1);
    }
}

/* Returns whether the path of a field, as labels.who, is set by the argument, as "label.who=me", or is a part of it or has it as a
   part. o=1 does not set o.scale: that is another argument of a user's kernel. */
static bool is_about(const char *argument, const char *path)
{
    size_t length = strcspn(argument, "=");
    if (!argument[length])
        return false;
    char name[NAME_BYTES];
    bool label = strncmp(argument, "label.", 6) == 0;
    snprintf(name, sizeof name, "%s%.*s", label ? "labels" : "", (int)(label ? length - 5 : length),
             label ? argument + 5 : argument);
    size_t common = strlen(name) < strlen(path) ? strlen(name) : strlen(path);
    bool part = path[common] == '.' && (isdigit((unsigned char)path[common + 1]) ||
                                        words_contain("device labels measure reference", name));
    return strncmp(name, path, common) == 0 && (!name[common] || name[common] == '.') &&
           (!path[common] || part);
}

/* Members of a request that an option sets. */
static const struct {
    const char *path, *option;
} options[] = {{"explain.warp", "--warp"},
               {"explain.block", "--in-block"},
               {"same_within", "--same-within"},
               {"but_for", "--but-for"},
               {"time", "--time"}};

static const char *option_of(const char *path)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        size_t length = strlen(options[i].path);
        if (strncmp(path, options[i].path, length) == 0 && (!path[length] || path[length] == '.'))
            return options[i].option;
    }
    return *path ? path : language_text("the request");
}

/* What is wrong with a source, as a compiler says it: the place once, in front. */
static void print_place(const char *file, const json_t *row, const char *detail)
{
    const json_t *column = json_object_get(row, "column");
    int line = (int)json_integer_value(json_object_get(row, "line"));
    fprintf(stderr, "  %s:%d:", file, line);
    if (json_is_integer(column))
        fprintf(stderr, "%d:", (int)json_integer_value(column));
    fprintf(stderr, " %s\n", language_without_line(detail, line));
}

/* Finds the command-line argument that sets the field with this path, or else one that sets a part of it or an object that
   has it. NULL: none does. */
static const char *argument_of(const char *path, char *const *arguments, int count)
{
    size_t length = strlen(path);
    for (int i = 0; i < count; i++)
        if (strncmp(arguments[i], path, length) == 0 && arguments[i][length] == '=')
            return arguments[i];
    for (int i = 0; i < count; i++)
        if (is_about(arguments[i], path))
            return arguments[i];
    if (count > 0 && (strcmp(path, "kernel") == 0 || strcmp(path, "recipe") == 0))
        return arguments[0];
    if (count == 2 && (path[0] == 'a' || path[0] == 'b') && (!path[1] || path[1] == '.'))
        return arguments[path[0] - 'a']; /* the sides of a comparison */
    return NULL;
}

/* Returns the name of the file that the error is in. That is the first argument; of an error in the reference it is FILE of
   the argument reference=FILE, or "reference" if there is no such argument. */
static const char *file_of(const json_t *row, char *const *arguments, int count)
{
    static const char of_reference[] = "#/reference/", word[] = "reference=";
    const char *pointer = json_string_value(json_object_get(row, "pointer"));
    if (!pointer || strncmp(pointer, of_reference, sizeof of_reference - 1) != 0)
        return arguments[0];
    for (int i = 1; i < count; i++)
        if (strncmp(arguments[i], word, sizeof word - 1) == 0)
            return arguments[i] + sizeof word - 1;
    return "reference";
}

static void print_field(const char *pointer, const char *detail, char *const *arguments, int count)
{
    char path[NAME_BYTES];
    path_of(pointer, path);
    const char *about = argument_of(path, arguments, count);
    if (!about) {
        fprintf(stderr, "  %s: %s\n", option_of(path), detail);
        return;
    }
    fprintf(stderr, "  %s\n  ", about);
    for (int i = 0; i < screen_text_columns(about); i++)
        fputc('^', stderr);
    fprintf(stderr, " %s\n", detail);
}

/* True if both errors have the same text and concern the same argument, for example two values of one axis. */
static bool is_same(const json_t *row, const json_t *other, char *const *arguments, int count)
{
    const char *const pointers[2] = {json_string_value(json_object_get(row, "pointer")),
                                     json_string_value(json_object_get(other, "pointer"))};
    const char *about[2] = {NULL};
    for (int i = 0; i < 2 && pointers[i]; i++) {
        char path[NAME_BYTES];
        path_of(pointers[i], path);
        about[i] = argument_of(path, arguments, count);
    }
    return about[0] && about[0] == about[1] &&
           json_equal(json_object_get(row, "detail"), json_object_get(other, "detail"));
}

void problem_text_print(struct screen *screen, long status, const char *body, char *const *arguments,
                        int argument_count)
{
    json_t *document = json_loads(body ? body : "", 0, NULL);
    if (screen->json && json_is_object(document))
        fputs(body, stdout); /* it ends with a newline */
    clean_strings(document);
    const char *title = json_string_value(json_object_get(document, "title"));
    const char *detail = json_string_value(json_object_get(document, "detail"));
    const json_t *errors = json_object_get(document, "errors");
    struct buffer words = {0};
    if (title && json_array_size(errors) > 0)
        screen_say(screen, language_text("the service refused (%ld): %s"), status, title);
    else if (title && detail)
        screen_say(screen, language_text("the service refused (%ld %s): %s"), status, title,
                   command_words(&words, detail));
    else
        screen_say(screen,
                   language_text("what answered %ld is not the service: another address, or a proxy?"),
                   status);
    if (status == 401)
        fputs(language_text("  Name a file with a token that it knows in COALESCED_TOKEN_FILE.\n"), stderr);
    size_t i;
    json_t *row;
    json_array_foreach (errors, i, row) {
        const char *pointer = json_string_value(json_object_get(row, "pointer"));
        const char *what = json_string_value(json_object_get(row, "detail"));
        if (i > 0 && is_same(row, json_array_get(errors, i - 1), arguments, argument_count))
            continue;
        if (what)
            what = command_words(&words, what);
        if (what && argument_count && json_is_integer(json_object_get(row, "line")))
            print_place(file_of(row, arguments, argument_count), row, what);
        else if (pointer && what)
            print_field(pointer, what, arguments, argument_count);
    }
    buffer_free(&words);
    json_decref(document);
}

void problem_text_remark(struct screen *screen, long status, const char *body, double retry_s)
{
    json_t *document = json_loads(body ? body : "", 0, NULL);
    clean_strings(document);
    const char *detail = json_string_value(json_object_get(document, "detail"));
    screen_remark(screen, language_text("not now (%ld%s%s); trying again for up to %.0f s"), status,
                  detail ? ": " : "", detail ? detail : "", retry_s);
    json_decref(document);
}
