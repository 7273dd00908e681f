/* Finds the braces behind the struct's name, and reads the declarations between them. */
#include "kernels/source/source_struct.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/source/source_declaration.h"

/* Returns the index of the "{" of the struct that has that name; 0: there is none, or an attribute stands beside it, or there
   are two, as behind #ifdef and #else. */
static int find(const struct source_tokens *tokens, const struct source_token *name)
{
    int found = 0;
    for (int i = 0; i < tokens->count; i++) {
        if (!source_tokens_is(tokens, i, "struct"))
            continue;
        bool named = source_token_is_name(source_tokens_at(tokens, i + 1));
        int open = i + 1 + named;
        if (!source_tokens_is(tokens, open, "{"))
            continue;
        int behind = source_tokens_skip(tokens, open, tokens->count);
        bool alias = source_tokens_is(tokens, i - 1, "typedef") &&
                     source_tokens_is(tokens, behind + 1, ";"); /* typedef struct { ... } NAME; */
        if ((named && source_token_same(source_tokens_at(tokens, i + 1), name) &&
             (alias || source_tokens_is(tokens, behind, ";"))) ||
            (alias && source_token_same(source_tokens_at(tokens, behind), name))) {
            if (found)
                return 0;
            found = open;
        }
        i = behind - 1; /* what is nested in another struct is not looked for */
    }
    return found;
}

/* Returns how many values the declarator that ends at `end` - 1 has: x one, v[4] four; 0: it cannot be read. */
static unsigned values_of(const struct source_tokens *tokens, int end)
{
    char *rest;
    if (!source_tokens_is(tokens, end - 1, "]"))
        return 1;
    if (!source_tokens_is(tokens, end - 3, "[") || !source_token_is_name(source_tokens_at(tokens, end - 4)))
        return 0;
    const struct source_token *number = source_tokens_at(tokens, end - 2);
    unsigned long count = strtoul(number->at, &rest, 10);
    return rest == number->at + number->length && count <= SOURCE_STRUCT_MEMBERS ? (unsigned)count : 0;
}

/* Reads the declaration of tokens `from` to `end` - 1, one type and one or several names. Adds how many values it declares.
   False: it is not understood, or the type is not that of the members before it. */
static bool declaration_read(const struct source_tokens *tokens, int from, int end,
                             struct source_type *member, unsigned *count)
{
    const struct source_scope scope = {.tokens = tokens};
    struct source_parameter first;
    int comma = from;
    while (comma < end && !source_tokens_is(tokens, comma, ","))
        comma++;
    source_declaration_read(&scope, from, comma, &first);
    if (first.why || !first.name[0] || (member->width && memcmp(member, &first.type, sizeof *member) != 0))
        return false;
    *member = first.type;
    for (int i = comma; i <= end && *count <= SOURCE_STRUCT_MEMBERS; i++) {
        if (i < end && !source_tokens_is(tokens, i, ","))
            continue;
        unsigned values = values_of(tokens, i);
        if (!values)
            return false;
        *count += values;
    }
    return true;
}

bool source_struct_read(const struct source_tokens *tokens, const struct source_token *name,
                        struct source_type *member, unsigned *count)
{
    int open = find(tokens, name);
    int end = open ? source_tokens_skip(tokens, open, tokens->count) - 1 : 0;
    *member = (struct source_type){.width = 0};
    *count = 0;
    for (int from = open + 1, i = from; open && i < end; i++) {
        if (source_tokens_is(tokens, i, "static") ||
            (source_tokens_at(tokens, i)->length == 1 && strchr("({<:=&*", *source_tokens_at(tokens, i)->at)))
            return false;
        if (!source_tokens_is(tokens, i, ";"))
            continue;
        if (i > from && !declaration_read(tokens, from, i, member, count))
            return false;
        from = i + 1;
    }
    return *count > 0 && *count <= SOURCE_STRUCT_MEMBERS;
}
