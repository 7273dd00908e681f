/* What a buffer of a source kernel holds before a launch: each element is known from its index alone. */
#pragma once

#include "base/json_writer.h"
#include "kernels/source/source_type.h"

__BEGIN_DECLS

enum source_fill_rule {
    SOURCE_FILL_GENERATOR, /* input_value(), 0 to 255, of the buffer's number */
    SOURCE_FILL_INDEX,     /* i */
    SOURCE_FILL_ZERO,
    SOURCE_FILL_MODULO, /* i modulo `modulus` */
    SOURCE_FILL_HASH,   /* murmur3's 32-bit finaliser of the lower 32 bits of i, modulo `modulus` */
    SOURCE_FILL_VALUES, /* the values, again and again */
    SOURCE_FILL_RULES
};

/* A number as a request gives it. */
struct source_number {
    bool real; /* `value` is it; else `whole` */
    int64_t whole;
    double value;
};

/* Component c of element i of a vector of W components has the index i W + c. */
struct source_fill {
    enum source_fill_rule rule;
    uint64_t modulus;             /* at least 1 */
    struct source_number *values; /* owned by who made it */
    size_t value_count;
};

enum { SOURCE_FILL_VALUES_MAX = 4096 };

/* "index", "zero", "modulo", "hash", "values"; NULL for the generator, which has no name. Static. */
const char *source_fill_name(enum source_fill_rule rule);

/* Writes elements `from` to `to` - 1 of the buffer of that number to `bytes`, the first at its beginning. */
void source_fill_write(const struct source_fill *fill, int buffer, struct source_type type, uint64_t from,
                       uint64_t to, void *bytes);

/* Writes it as a request has it; nothing for the generator. */
void source_fill_json(struct json_writer *json, const char *key, const struct source_fill *fill);

/* Writes a number as a request has it, and one component of a type with its value. */
void source_fill_number_json(struct json_writer *json, const char *key, const struct source_number *number);
void source_fill_number_put(const struct source_number *number, enum source_base base, void *to);

__END_DECLS
