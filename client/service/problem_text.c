#include "client/service/problem_text.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 256 };

/* The pointer "#/labels/who" as the path "labels.who", "#/block/0" as "block.0": as parameters are
   written. */
static void path_of(const char *pointer, char name[NAME_BYTES])
{
    size_t at = 0;
    pointer += strspn(pointer, "#/");
    for (; *pointer && at + 1 < NAME_BYTES; pointer++)
        name[at++] = *pointer == '/' ? '.' : *pointer;
    name[at] = '\0';
}

/* True when the path labels.who, or labels, is about the argument "label.who=me". */
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
    return strncmp(name, path, common) == 0 && (!name[common] || name[common] == '.') &&
           (!path[common] || path[common] == '.');
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
    return *path ? path : "the request";
}

static void print_field(const char *pointer, const char *detail, char *const *arguments, int count)
{
    char path[NAME_BYTES];
    path_of(pointer, path);
    const char *about = NULL;
    for (int i = 0; i < count && !about; i++)
        if (is_about(arguments[i], path))
            about = arguments[i];
    if (!about && count > 0 && (strcmp(path, "kernel") == 0 || strcmp(path, "recipe") == 0))
        about = arguments[0];
    if (!about && count == 2 && (path[0] == 'a' || path[0] == 'b') && (!path[1] || path[1] == '.'))
        about = arguments[path[0] - 'a']; /* the sides of a comparison */
    if (!about) {
        fprintf(stderr, "  %s: %s\n", option_of(path), detail);
        return;
    }
    fprintf(stderr, "  %s\n  ", about);
    for (int i = 0; i < screen_text_columns(about); i++)
        fputc('^', stderr);
    fprintf(stderr, " %s\n", detail);
}

void problem_text_print(struct screen *screen, long status, const char *body, char *const *arguments,
                        int argument_count)
{
    json_t *document = json_loads(body ? body : "", 0, NULL);
    const char *title = json_string_value(json_object_get(document, "title"));
    const char *detail = json_string_value(json_object_get(document, "detail"));
    const json_t *errors = json_object_get(document, "errors");
    if (title && json_array_size(errors) > 0)
        screen_say(screen, "the service refused (%ld): %s", status, title);
    else if (title && detail)
        screen_say(screen, "the service refused (%ld %s): %s", status, title, detail);
    else
        screen_say(screen, "what answered %ld is not the service: another address, or a proxy?", status);
    if (status == 401)
        fputs("  Name a file with a token that it knows in COALESCED_TOKEN_FILE.\n", stderr);
    size_t i;
    json_t *row;
    json_array_foreach (errors, i, row) {
        const char *pointer = json_string_value(json_object_get(row, "pointer"));
        const char *what = json_string_value(json_object_get(row, "detail"));
        if (pointer && what)
            print_field(pointer, what, arguments, argument_count);
    }
    json_decref(document);
}

void problem_text_remark(struct screen *screen, long status, const char *body, double retry_s)
{
    json_t *document = json_loads(body ? body : "", 0, NULL);
    const char *detail = json_string_value(json_object_get(document, "detail"));
    screen_remark(screen, "not now (%ld%s%s); trying again for up to %.0f s", status, detail ? ": " : "",
                  detail ? detail : "", retry_s);
    json_decref(document);
}
