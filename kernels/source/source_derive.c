/* One argument for each parameter. */
#include "kernels/source/source_derive.h"

#include <stdio.h>
#include <string.h>

static bool is_size(const struct source_parameter *p)
{
    static const char *const names[] = {"n", "N", "size", "count", "length"};
    bool named = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        named = named || strcmp(p->name, names[i]) == 0;
    return named && !p->pointer && p->type.width == 1 && !source_type_is_real(p->type.base);
}

enum buffer_role source_derive_role(const struct source_parameter *p)
{
    return p->constant ? BUFFER_INPUT : p->only_written ? BUFFER_OUTPUT : BUFFER_ACCUMULATED;
}

static void derive_one(const struct source_parameter *p, bool has_size, int index, struct source_argument *a,
                       struct problems *problems)
{
    *a = (struct source_argument){.index = index, .field = -1, .pointer = p->pointer, .type = p->type};
    snprintf(a->name, sizeof a->name, "%s", p->name);
    if (!p->name[0])
        problem_add(problems, "#/arguments",
                    "parameter %d of the function, %s, has no name: describe all in \"arguments\"", index + 1,
                    p->text);
    else if (p->why && !p->members)
        problem_add(problems, "#/arguments",
                    "\"%s\" cannot be derived, %s (%s): describe all parameters in \"arguments\"", p->name,
                    p->why, p->text);
    else if (p->pointer && !has_size)
        problem_add(problems, "#/arguments",
                    "how many elements \"%s\" has cannot be derived without a parameter named n, size, count "
                    "or length: "
                    "describe all parameters in \"arguments\"",
                    p->name);
    a->role = source_derive_role(p);
    a->value = is_size(p) ? SOURCE_VALUE_SIZE : SOURCE_VALUE_GIVEN;
    if (p->pointer && p->members > 1)
        snprintf(a->elements, sizeof a->elements, "%u * size", p->members);
    else if (p->pointer)
        snprintf(a->elements, sizeof a->elements, "size");
}

int source_derive_arguments(const struct source_signature *signature, struct source_draft *draft,
                            struct problems *problems)
{
    int before = problems->count;
    bool has_size = false;
    for (int i = 0; i < signature->parameter_count; i++)
        has_size = has_size || is_size(&signature->parameter[i]);
    for (int i = 0; i < signature->parameter_count; i++)
        derive_one(&signature->parameter[i], has_size, i, &draft->argument[i], problems);
    draft->argument_count = signature->parameter_count;
    return problems->count == before ? 0 : -1;
}
