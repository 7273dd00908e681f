/* The table of problems with their statuses and titles, and how one is written. */
#include "api/problem.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* `name` is that of the response in openapi.yaml, where the document's type points to. */
static const struct {
    unsigned status;
    const char *name, *title;
} types[PROBLEM_TYPES] = {
    [PROBLEM_MALFORMED] = {400, "Malformed", "The request cannot be understood"},
    [PROBLEM_UNAUTHORIZED] = {401, "Unauthorized", "A token is needed"},
    [PROBLEM_ORIGIN] = {403, "ForeignOrigin", "Pages of that origin may not use the service"},
    [PROBLEM_FORBIDDEN] = {403, "Forbidden", "Not for who asks"},
    [PROBLEM_NOT_FOUND] = {404, "NotFound", "There is no such thing"},
    [PROBLEM_METHOD] = {405, "MethodNotAllowed", "The method does not fit the path"},
    [PROBLEM_NOT_ACCEPTABLE] = {406, "NotAcceptable", "There is no such representation"},
    [PROBLEM_CONFLICT] = {409, "Conflict", "Not possible in the present state"},
    [PROBLEM_TOO_LARGE] = {413, "TooLarge", "The body is too large"},
    [PROBLEM_MEDIA] = {415, "UnsupportedMediaType", "The body is of a kind that is not taken"},
    [PROBLEM_MISDIRECTED] = {421, "Misdirected", "The service does not answer to that name"},
    [PROBLEM_INVALID] = {422, "Invalid", "The request cannot be carried out as asked"},
    [PROBLEM_KEY_REUSED] = {422, "KeyReused", "The idempotency key belongs to another request"},
    [PROBLEM_TOO_MANY] = {429, "TooMany", "Too much is waiting already"},
    [PROBLEM_INTERNAL] = {500, "Internal", "The service failed"},
    [PROBLEM_UNAVAILABLE] = {503, "Unavailable", "Not now"},
    [PROBLEM_UNCERTAIN] = {503, "Uncertain", "It is not known whether it was done"},
    [PROBLEM_STORAGE] = {507, "Storage", "The disk is nearly full"},
};

/* Kinds that are not named are failures of the service. */
static const struct {
    enum error_kind kind;
    enum problem_type type;
} kinds[] = {
    {ERROR_INVALID, PROBLEM_INVALID},         {ERROR_NOT_FOUND, PROBLEM_NOT_FOUND},
    {ERROR_CONFLICT, PROBLEM_CONFLICT},       {ERROR_FULL, PROBLEM_TOO_MANY},
    {ERROR_UNAVAILABLE, PROBLEM_UNAVAILABLE}, {ERROR_MEMORY, PROBLEM_UNAVAILABLE},
    {ERROR_STORE, PROBLEM_UNAVAILABLE},       {ERROR_STORAGE, PROBLEM_STORAGE},
    {ERROR_UNCERTAIN, PROBLEM_UNCERTAIN},
};

unsigned problem_status(enum problem_type type)
{
    return types[type].status;
}

enum problem_type problem_type_of(enum error_kind kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            return kinds[i].type;
    return PROBLEM_INTERNAL;
}

/* Made for each field of each request that is read, also of one with nothing wrong: so letters are put in
   place by hand. */
void problem_pointer(char *pointer, size_t size, const char *parent, const char *name)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t used = strnlen(parent, size);
    if (used + 2 > size) {
        snprintf(pointer, size, "%s", parent);
        return;
    }
    memcpy(pointer, parent, used);
    pointer[used++] = '/';
    for (; *name && used + 4 < size; name++) {
        unsigned char letter = (unsigned char)*name;
        if (letter == '~' || letter == '/') {
            pointer[used++] = '~';
            pointer[used++] = letter == '~' ? '0' : '1';
        } else if (isalnum(letter) || strchr("-._", letter)) {
            pointer[used++] = *name;
        } else {
            pointer[used++] = '%';
            pointer[used++] = digits[letter >> 4];
            pointer[used++] = digits[letter & 15];
        }
    }
    pointer[used] = '\0';
}

void problem_write_text(struct json_writer *json, const char *key, const char *english)
{
    char chinese[1024];
    json_writer_string(json, key, english);
    if (!problem_zh(english, chinese, sizeof chinese))
        return;
    json_writer_begin_object(json, "zh");
    json_writer_string(json, key, chinese);
    json_writer_end(json);
}

void problem_add_within(struct problems *problems, const char *member, const struct problems *inner)
{
    for (int i = 0; i < inner->count && i < EXPERIMENT_PROBLEMS; i++) {
        char pointer[2 * sizeof inner->at[i].pointer];
        snprintf(pointer, sizeof pointer, "#/%s%s", member, inner->at[i].pointer + 1);
        problem_add_at(problems, pointer, inner->at[i].line, inner->at[i].column, "%s", inner->at[i].detail);
    }
}

void problem_extend(struct problems *problems, const char *field, const char *text)
{
    size_t length = strlen(field);
    for (int i = 0; i < problems->count && i < EXPERIMENT_PROBLEMS; i++) {
        struct problem *problem = &problems->at[i];
        bool within = strncmp(problem->pointer, "#/", 2) == 0 &&
                      strncmp(problem->pointer + 2, field, length) == 0 &&
                      strchr("/", problem->pointer[2 + length]);
        size_t used = strlen(problem->detail);
        if (within)
            snprintf(problem->detail + used, sizeof problem->detail - used, "%s", text);
    }
}

static void sentence_write(struct json_writer *json, const char *key, const char *english,
                           enum problem_language language)
{
    char chinese[2048];
    if (language == PROBLEM_CHINESE)
        problem_zh(english, chinese, sizeof chinese);
    json_writer_string(json, key, language == PROBLEM_CHINESE ? chinese : english);
}

void problem_write_fields(struct json_writer *json, const char *key, const struct problems *fields,
                          enum problem_language language)
{
    int count = fields->count < EXPERIMENT_PROBLEMS ? fields->count : EXPERIMENT_PROBLEMS;
    json_writer_begin_array(json, key);
    for (int i = 0; i < count; i++) {
        json_writer_begin_object(json, NULL);
        json_writer_string(json, "pointer", fields->at[i].pointer);
        if (fields->at[i].line)
            json_writer_int(json, "line", fields->at[i].line);
        if (fields->at[i].column)
            json_writer_int(json, "column", fields->at[i].column);
        sentence_write(json, "detail", fields->at[i].detail, language);
        json_writer_end(json);
    }
    json_writer_end(json);
}

int problem_write(struct buffer *out, enum problem_type type, const char *detail, const char *instance,
                  const struct problems *fields, const char *taken, enum problem_language language)
{
    struct json_writer json = {.out = out};
    char reference[96];
    snprintf(reference, sizeof reference, "/openapi.yaml#/components/responses/%s", types[type].name);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "type", reference);
    sentence_write(&json, "title", types[type].title, language);
    json_writer_uint(&json, "status", types[type].status);
    sentence_write(&json, "detail", detail, language);
    if (instance)
        json_writer_string(&json, "instance", instance);
    if (fields)
        problem_write_fields(&json, "errors", fields, language);
    if (taken)
        json_writer_json(&json, "request", taken);
    json_writer_end(&json);
    return buffer_text(out, "\n");
}
