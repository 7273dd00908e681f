/* The names of the kinds of errors, and the text of one. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[ERROR_KIND_COUNT] = {
    [ERROR_NONE] = "none",           [ERROR_INVALID] = "invalid",
    [ERROR_NOT_FOUND] = "not_found", [ERROR_CONFLICT] = "conflict",
    [ERROR_FULL] = "full",           [ERROR_UNAVAILABLE] = "unavailable",
    [ERROR_MEMORY] = "host_memory",  [ERROR_SYSTEM] = "system",
    [ERROR_STORE] = "store",         [ERROR_STORAGE] = "storage",
    [ERROR_UNCERTAIN] = "uncertain", [ERROR_OUT_OF_MEMORY] = "out_of_memory",
    [ERROR_CUDA] = "cuda_error",     [ERROR_DEVICE_LOST] = "device_lost",
    [ERROR_CRASHED] = "crashed",     [ERROR_TIMED_OUT] = "timed_out",
    [ERROR_CANCELLED] = "cancelled", [ERROR_INCORRECT] = "incorrect",
    [ERROR_ABANDONED] = "abandoned",
};

#undef error_set /* of the analyzer */
#undef error_set_errno

int error_set(struct error *error, enum error_kind kind, const char *format, ...)
{
    if (!error || error->kind != ERROR_NONE)
        return -1;
    error->kind = kind;
    error->where[0] = '\0';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    return -1;
}

int error_set_errno(struct error *error, int number, const char *format, ...)
{
    if (!error || error->kind != ERROR_NONE)
        return -1;
    error->kind = ERROR_SYSTEM;
    error->where[0] = '\0';
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
    size_t used = strlen(error->text);
    char reason[128];
    snprintf(error->text + used, sizeof error->text - used, ": %s",
             strerror_r(number, reason, sizeof reason));
    return -1;
}

void error_clear(struct error *error)
{
    if (error)
        *error = (struct error){0};
}

const char *error_kind_name(enum error_kind kind)
{
    return (unsigned)kind < ERROR_KIND_COUNT ? kind_names[kind] : "unknown";
}

enum error_kind error_kind_of(const char *name)
{
    for (int kind = 0; name && kind < ERROR_KIND_COUNT; kind++)
        if (strcmp(name, kind_names[kind]) == 0)
            return (enum error_kind)kind;
    return ERROR_NONE;
}
