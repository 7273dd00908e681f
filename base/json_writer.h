/* Writes JSON text piece by piece into a buffer: separators, escapes and the form of numbers have one rule each, here.

   Every function takes the key of the member that it writes; NULL within an array, and for the outermost value. Errors
   (no memory, more ends than begins, too deep) are remembered and asked once, with json_writer_finish(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"

enum { JSON_WRITER_DEPTH = 64 }; /* arrays and objects within each other, at most */

/* Begins as {.out = &buffer}: the text is appended to what the buffer holds. One thread uses it at a time. */
struct json_writer {
    struct buffer *out; /* borrowed */
    uint64_t arrays;    /* bit d: what is open at depth d is an array */
    unsigned depth;
    bool separate; /* the next key or value needs a comma before it */
    bool failed;   /* begins and ends do not match */
};

void json_writer_begin_object(struct json_writer *writer, const char *key);
void json_writer_begin_array(struct json_writer *writer, const char *key);

/* Ends the innermost open object or array. */
void json_writer_end(struct json_writer *writer);

/* NULL is written as null. A byte that is not part of valid UTF-8 becomes U+FFFD, so that any text of a
   client or a library can be repeated. Control characters are escaped. */
void json_writer_string(struct json_writer *writer, const char *key, const char *text);

void json_writer_int(struct json_writer *writer, const char *key, int64_t value);
void json_writer_uint(struct json_writer *writer, const char *key, uint64_t value);
void json_writer_bool(struct json_writer *writer, const char *key, bool value);
void json_writer_null(struct json_writer *writer, const char *key);

/* An array of integers. */
void json_writer_ints(struct json_writer *writer, const char *key, const int64_t *values, size_t count);

/* A real number, always with a fraction or an exponent, so that it is read as a real number again: to
   seven significant digits (more than any clock here resolves), fifteen, or as many as give back the same
   bits. NaN and infinity are written as null. */
void json_writer_rounded(struct json_writer *writer, const char *key, double value);
void json_writer_double(struct json_writer *writer, const char *key, double value);
void json_writer_exact(struct json_writer *writer, const char *key, double value);

/* An integer where the value is whole, else as json_writer_rounded(): for what is counted. */
void json_writer_amount(struct json_writer *writer, const char *key, double value);

/* With just so many digits after the point; negative values, NaN and infinity are written as null: for
   durations. */
void json_writer_fixed(struct json_writer *writer, const char *key, double value, int decimals);

/* A text that is written as null where it is empty or NULL. */
void json_writer_name(struct json_writer *writer, const char *key, const char *text);

/* Null where it is not known. */
void json_writer_known_int(struct json_writer *writer, const char *key, bool known, int64_t value);
void json_writer_known_bool(struct json_writer *writer, const char *key, bool known, bool value);

/* An array of two real numbers: [low, high]. */
void json_writer_interval(struct json_writer *writer, const char *key, const double interval[2]);

/* A duration, as json_writer_fixed() to a thousandth. */
void json_writer_seconds(struct json_writer *writer, const char *key, double seconds);

/* A moment, in milliseconds since 1970, as "2026-01-20T12:00:00.000Z"; 0 is written as null. */
void json_writer_time(struct json_writer *writer, const char *key, int64_t wall_ms);

/* Bytes that are valid JSON already, as they are. */
void json_writer_raw(struct json_writer *writer, const char *key, const char *json, size_t bytes);

/* As json_writer_raw(), for text that ends with NUL; NULL is written as null. */
void json_writer_json(struct json_writer *writer, const char *key, const char *json);

/* The members of an object's text, into the open object; nothing where the text is NULL or no object. */
void json_writer_members(struct json_writer *writer, const char *object);

/* 0 when the whole value was written and everything is closed; else -1. */
int json_writer_finish(const struct json_writer *writer);

/* True when the text, which ends with NUL, is UTF-8. */
bool json_writer_is_utf8(const char *text);
