/* Types of a source kernel's arguments: numbers and vectors of them, by the names of a request and by those of CUDA C++. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

enum source_base {
    SOURCE_I8,
    SOURCE_U8,
    SOURCE_I16,
    SOURCE_U16,
    SOURCE_I32,
    SOURCE_U32,
    SOURCE_I64,
    SOURCE_U64,
    SOURCE_F16,
    SOURCE_BF16,
    SOURCE_F32,
    SOURCE_F64,
    SOURCE_BASES
};

struct source_type {
    enum source_base base;
    unsigned width; /* components: 1 to 4, or 8; 0: no type */
};

enum { SOURCE_TYPE_NAME_BYTES = 8, SOURCE_TYPE_BYTES_MAX = 64 };

/* A type by its name in a request ("f32", "u8x4"). False: there is none of that name. */
bool source_type_of(const char *name, struct source_type *type);

/* A type by its name in CUDA C++, of `length` bytes, words apart by single blanks, without const and volatile ("unsigned
   int", "float4", "size_t"), or by its name in a request. False: it is none of those known. */
bool source_type_of_cuda(const char *name, size_t length, struct source_type *type);

/* Its name in a request, ended by NUL. */
void source_type_name(struct source_type type, char name[SOURCE_TYPE_NAME_BYTES]);

/* The name of number `index` of the bases: "i8" ... "f64". Static. */
const char *source_type_base_name(enum source_base base);

/* Bytes of one component, of all, and what an address of such a value is a multiple of. */
unsigned source_type_component_bytes(enum source_base base);
unsigned source_type_bytes(struct source_type type);
unsigned source_type_alignment(struct source_type type);

/* f16, bf16, f32 or f64; signed integers. */
bool source_type_is_real(enum source_base base);
bool source_type_is_signed(enum source_base base);

/* Writes one component as a conversion in C does: integers wrap, real numbers are rounded to the nearest (ties to even); a
   real number becomes an integer by truncation, and one that does not fit the nearest that does. */
void source_type_put_unsigned(enum source_base base, uint64_t value, void *to);
void source_type_put_signed(enum source_base base, int64_t value, void *to);
void source_type_put_real(enum source_base base, double value, void *to);

/* One component as a double, which is rounded where it is an integer beyond 2^53. */
double source_type_get(enum source_base base, const void *from);

__END_DECLS
