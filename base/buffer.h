/* Bytes that grow. A failed allocation is remembered, so that a caller may append freely and ask once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer {
    char *data;       /* always ends with a NUL beyond `size` when not NULL */
    size_t size;      /* bytes in use */
    size_t allocated; /* bytes */
    bool failed;      /* an append found no memory; the contents are incomplete */
};

/* Appends; 0, or -1 when memory is gone (and from then on). */
int buffer_append(struct buffer *buffer, const void *bytes, size_t count);
int buffer_text(struct buffer *buffer, const char *text);
int buffer_format(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Drops the first `count` bytes. */
void buffer_consume(struct buffer *buffer, size_t count);

/* Hands the bytes over (to be freed by the caller; NULL after a failure) and leaves the buffer empty. */
char *buffer_take(struct buffer *buffer);

void buffer_free(struct buffer *buffer);
