/* What a source kernel is made of, as a request says it or as it was derived: plain data. */
#pragma once

#include "base/json_writer.h"
#include "kernels/kernel.h"
#include "kernels/source/source_expression.h"
#include "kernels/source/source_fill.h"
#include "kernels/source/source_type.h"

__BEGIN_DECLS

enum {
    SOURCE_TEXT_BYTES = 65536,       /* of the source, at most */
    SOURCE_NAME_BYTES = 48,          /* of an argument's name, with its NUL; of a field with its struct's */
    SOURCE_ENTRY_BYTES = 256,        /* of the entry's name, with its NUL */
    SOURCE_ARGUMENTS = 32,           /* at most; a field of a struct counts as one */
    SOURCE_CONSTANTS = 16,           /* at most */
    SOURCE_SHARED_BYTES = 227 << 10, /* dynamic, of a block, at most */
    SOURCE_PARAMETER_BYTES = 1024,   /* of a launch's parameters: above what so many arguments take */
};

enum source_value {
    SOURCE_VALUE_ASKED, /* a member of the request has it */
    SOURCE_VALUE_GIVEN, /* `fallback`, unless a member of the request has another */
    SOURCE_VALUE_SIZE,  /* the experiment's size */
};

/* An argument, or a field of a struct by value. */
struct source_argument {
    char name[SOURCE_NAME_BYTES]; /* of a field "p.x" */
    int index;                    /* of the function's parameter: fields of one struct have the same */
    int field;                    /* of its struct; -1: it is none */
    bool pointer;                 /* a buffer */
    struct source_type type;      /* of the value, or of a buffer's elements */
    enum buffer_role role;        /* of a buffer */
    char elements[SOURCE_EXPRESSION_BYTES + 1]; /* of a buffer: an expression */
    struct source_fill fill;                    /* of a buffer; its values are the draft's */
    enum source_value value;                    /* of a scalar; of a vector only SOURCE_VALUE_ASKED */
    struct source_number fallback;
};

/* Values of a variable in constant memory. */
struct source_constant {
    char name[SOURCE_NAME_BYTES];
    struct source_type type;      /* of its elements */
    struct source_number *values; /* the draft's */
    size_t value_count;           /* in components; an array may have more, which are 0 */
};

/* All pointers are owned by the draft. Begins as {0}. */
struct source_draft {
    char *source; /* UTF-8, up to SOURCE_TEXT_BYTES */
    char entry
        [SOURCE_ENTRY_BYTES]; /* the name of the __global__ function, as it stands in the source or as an instance of a
                                       template ("scale<float, 4>") */
    struct source_argument argument[SOURCE_ARGUMENTS];
    int argument_count;
    struct source_constant constant[SOURCE_CONSTANTS];
    int constant_count;
    char threads[3][SOURCE_EXPRESSION_BYTES + 1]; /* expressions, in x, y and z; empty: not told */
    int64_t shared_bytes; /* of a block, dynamic, unless a request says another number */
};

void source_draft_free(struct source_draft *draft);

/* Writes an argument's member of a request ("elements") as a JSON pointer: "#/arguments/2/elements", or of a field of a struct
   "#/arguments/2/fields/0/elements". */
void source_draft_pointer(const struct source_argument *argument, const char *member, char *pointer,
                          size_t size);

/* Writes the members "source", "entry", "arguments", "constants", "threads" and, unless it is 0, "shared_bytes" of the open
   object, with everything that was derived: read again they make the same kernel. */
void source_draft_json(struct json_writer *json, const struct source_draft *draft);

/* The same as an object: the definition of the kernel. To be freed with buffer_free(); `failed` is set when there was no
   memory. */
struct buffer source_draft_text(const struct source_draft *draft);

__END_DECLS
