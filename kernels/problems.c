/* A list of bounded length. */
#include "kernels/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool problems_full(const struct problems *problems)
{
    return problems->count > EXPERIMENT_PROBLEMS;
}

bool problems_about(const struct problems *problems, const char *member)
{
    for (int i = 0; i < problems->count && i < EXPERIMENT_PROBLEMS; i++)
        if (strncmp(problems->at[i].pointer, "#/", 2) == 0 &&
            strcmp(problems->at[i].pointer + 2, member) == 0)
            return true;
    return false;
}

static void add(struct problems *problems, const char *pointer, int line, int column, const char *format,
                va_list arguments)
{
    if (problems->count < EXPERIMENT_PROBLEMS) {
        struct problem *problem = &problems->at[problems->count];
        snprintf(problem->pointer, sizeof problem->pointer, "%s", pointer);
        problem->line = line > 0 ? line : 0;
        problem->column = line > 0 && column > 0 ? column : 0;
        vsnprintf(problem->detail, sizeof problem->detail, format, arguments);
    }
    problems->count++;
}

void problem_add(struct problems *problems, const char *pointer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(problems, pointer, 0, 0, format, arguments);
    va_end(arguments);
}

void problem_add_at(struct problems *problems, const char *pointer, int line, int column, const char *format,
                    ...)
{
    va_list arguments;
    va_start(arguments, format);
    add(problems, pointer, line, column, format, arguments);
    va_end(arguments);
}
