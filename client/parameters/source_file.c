/* Reads files that belong to a request. */
#include "client/parameters/source_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "client/terminal/language.h"

enum { SOURCE_BYTES = 64 << 10 };

bool source_file_is(const char *word)
{
    return strpbrk(word, "./") != NULL;
}

int source_file_add(json_t *request, const char *path, struct error *error)
{
    char text[SOURCE_BYTES + 1];
    FILE *file = fopen(path, "r");
    if (!file)
        return error_set(error, ERROR_SYSTEM, language_text("cannot read %s: %s"), path,
                         language_system(strerror(errno)));
    size_t length = fread(text, 1, sizeof text, file);
    int failed = ferror(file) ? errno : 0;
    fclose(file);
    if (failed)
        return error_set(error, ERROR_SYSTEM, language_text("cannot read %s: %s"), path,
                         language_system(strerror(failed)));
    if (length > SOURCE_BYTES)
        return error_set(error, ERROR_INVALID,
                         language_text("%s has more than %d bytes, which is the limit of a source"), path,
                         SOURCE_BYTES);
    json_t *source = json_stringn(text, length);
    if (!source || memchr(text, '\0', length)) {
        json_decref(source);
        return error_set(error, ERROR_INVALID, language_text("%s is not text in UTF-8"), path);
    }
    json_object_set_new(request, "source", source);
    return 0;
}

int source_file_add_members(json_t *request, const char *path, struct error *error)
{
    json_error_t where;
    json_t *members = json_load_file(path, JSON_REJECT_DUPLICATES, &where);
    if (!members && where.line < 0)
        return error_set(error, ERROR_SYSTEM, language_text("cannot read %s: %s"), path, where.text);
    if (!members)
        return error_set(error, ERROR_INVALID, language_text("%s, line %d: %s"), path, where.line,
                         where.text);
    if (!json_is_object(members)) {
        json_decref(members);
        return error_set(error, ERROR_INVALID,
                         language_text("%s must hold an object, as {\"arguments\": [...]}"), path);
    }
    json_t *given = json_object_get(request, "reference"), *more = json_object_get(members, "reference");
    if (json_is_object(given) && json_is_object(more)) {
        /* A reference kernel on the command line replaces the one in the file. */
        if (json_object_get(given, "kernel") || json_object_get(given, "source")) {
            json_object_del(more, "kernel");
            json_object_del(more, "source");
        }
        json_object_update_missing(given, more);
    }
    json_object_update_missing(request, members);
    json_decref(members);
    return 0;
}
