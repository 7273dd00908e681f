/* One declaration of CUDA source, as that of a parameter: its name and type. For source_signature.c. */
#pragma once

#include "kernels/source/source_draft.h"
#include "kernels/source/source_token.h"

__BEGIN_DECLS

enum { SOURCE_BINDINGS = 16 };

/* What a template's parameter stands for in an instance. */
struct source_binding {
    struct source_token name;
    const char *at; /* text of `length` bytes */
    size_t length;
};

/* What words mean where a declaration stands. */
struct source_scope {
    const struct source_tokens *tokens;
    struct source_binding binding[SOURCE_BINDINGS];
    int binding_count;
};

/* One parameter of a function. */
struct source_parameter {
    char name[SOURCE_NAME_BYTES]; /* empty: it has none */
    char text[64];                /* its type as it stands there, cut */
    bool pointer;
    bool constant; /* points to const */
    bool
        only_written; /* each use in the function's body is name[...] = ... or name[...].member = ...: set by source_signature_read() */
    struct source_type type; /* of the value, or of what is pointed to; width 0: not known, as `why` says */
    const char *why;         /* static; NULL: type and pointer are known */
    struct source_token type_name; /* the type's only word, if it is not known; else of length 0 */
    /* Of a pointer to structs whose members are all of one type, which is then `type`, how many members one has; else 0: set
       by source_signature_read(), which leaves `why` as it is. */
    unsigned members;
};

/* Reads tokens `from` to `end` - 1, without the sign behind the declaration. */
void source_declaration_read(const struct source_scope *scope, int from, int end,
                             struct source_parameter *parameter);

/* Behind an attribute with values, __launch_bounds__(256) or [[...]], that begins at that token; the same index where none does. */
int source_declaration_skip_attribute(const struct source_tokens *tokens, int i, int end);

__END_DECLS
