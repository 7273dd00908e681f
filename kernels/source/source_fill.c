/* One writer for each rule. */
#include "kernels/source/source_fill.h"

#include <string.h>

#include "kernels/input_value.h"

static const char *const names[SOURCE_FILL_RULES] = {
    [SOURCE_FILL_INDEX] = "index", [SOURCE_FILL_ZERO] = "zero",     [SOURCE_FILL_MODULO] = "modulo",
    [SOURCE_FILL_HASH] = "hash",   [SOURCE_FILL_VALUES] = "values",
};

const char *source_fill_name(enum source_fill_rule rule)
{
    return names[rule];
}

/* The finaliser of MurmurHash3_x86_32 (Appleby). */
static uint32_t finalised(uint32_t h)
{
    h = (h ^ h >> 16) * 0x85EBCA6Bu;
    h = (h ^ h >> 13) * 0xC2B2AE35u;
    return h ^ h >> 16;
}

static uint64_t whole(const struct source_fill *fill, int buffer, uint64_t i)
{
    switch (fill->rule) {
    case SOURCE_FILL_GENERATOR:
        return input_value(buffer, i);
    case SOURCE_FILL_INDEX:
        return i;
    case SOURCE_FILL_MODULO:
        return i % fill->modulus;
    case SOURCE_FILL_HASH:
        return finalised((uint32_t)i) % fill->modulus;
    default:
        return 0;
    }
}

void source_fill_number_put(const struct source_number *number, enum source_base base, void *to)
{
    if (number->real)
        source_type_put_real(base, number->value, to);
    else
        source_type_put_signed(base, number->whole, to);
}

void source_fill_write(const struct source_fill *fill, int buffer, struct source_type type, uint64_t from,
                       uint64_t to, void *bytes)
{
    unsigned each = source_type_component_bytes(type.base);
    unsigned char *at = bytes;
    if (fill->rule == SOURCE_FILL_ZERO) {
        memset(bytes, 0, (size_t)(to - from) * source_type_bytes(type));
        return;
    }
    for (uint64_t i = from * type.width; i < to * type.width; i++, at += each) {
        if (fill->rule == SOURCE_FILL_VALUES)
            source_fill_number_put(&fill->values[i % fill->value_count], type.base, at);
        else
            source_type_put_unsigned(type.base, whole(fill, buffer, i), at);
    }
}

void source_fill_number_json(struct json_writer *json, const char *key, const struct source_number *number)
{
    if (number->real)
        json_writer_exact(json, key, number->value);
    else
        json_writer_int(json, key, number->whole);
}

void source_fill_json(struct json_writer *json, const char *key, const struct source_fill *fill)
{
    if (fill->rule == SOURCE_FILL_GENERATOR)
        return;
    if (fill->rule == SOURCE_FILL_INDEX || fill->rule == SOURCE_FILL_ZERO) {
        json_writer_string(json, key, names[fill->rule]);
        return;
    }
    json_writer_begin_object(json, key);
    if (fill->rule == SOURCE_FILL_VALUES) {
        json_writer_begin_array(json, names[fill->rule]);
        for (size_t i = 0; i < fill->value_count; i++)
            source_fill_number_json(json, NULL, &fill->values[i]);
        json_writer_end(json);
    } else {
        json_writer_uint(json, names[fill->rule], fill->modulus);
    }
    json_writer_end(json);
}
