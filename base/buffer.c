/* Doubles the allocation as bytes are appended. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int buffer_reserve(struct buffer *buffer, size_t count)
{
    if (buffer->failed)
        return -1;
    size_t need = buffer->size + count + 1;
    if (need <= buffer->allocated)
        return 0;
    size_t allocated = buffer->allocated ? buffer->allocated : 256;
    while (allocated < need)
        allocated *= 2;
    char *data = realloc(buffer->data, allocated);
    if (!data) {
        buffer->failed = true;
        return -1;
    }
    buffer->data = data;
    buffer->allocated = allocated;
    return 0;
}

int buffer_append(struct buffer *buffer, const void *bytes, size_t count)
{
    if (buffer_reserve(buffer, count) < 0)
        return -1;
    if (count)
        memcpy(buffer->data + buffer->size, bytes, count);
    buffer->size += count;
    buffer->data[buffer->size] = '\0';
    return 0;
}

int buffer_text(struct buffer *buffer, const char *text)
{
    return buffer_append(buffer, text, strlen(text));
}

int buffer_format(struct buffer *buffer, const char *format, ...)
{
    va_list arguments;
    if (buffer_reserve(buffer, 0) < 0)
        return -1;
    /* Most of what is written fits into what is left. */
    size_t left = buffer->allocated - buffer->size;
    va_start(arguments, format);
    int wanted = vsnprintf(buffer->data + buffer->size, left, format, arguments);
    va_end(arguments);
    if (wanted >= 0 && (size_t)wanted >= left) {
        if (buffer_reserve(buffer, (size_t)wanted) < 0) {
            buffer->data[buffer->size] = '\0';
            return -1;
        }
        va_start(arguments, format);
        vsnprintf(buffer->data + buffer->size, (size_t)wanted + 1, format, arguments);
        va_end(arguments);
    }
    if (wanted < 0)
        return -1;
    buffer->size += (size_t)wanted;
    return 0;
}

void buffer_consume(struct buffer *buffer, size_t count)
{
    if (count > buffer->size)
        count = buffer->size;
    if (!count)
        return;
    memmove(buffer->data, buffer->data + count, buffer->size - count);
    buffer->size -= count;
    buffer->data[buffer->size] = '\0';
}

char *buffer_take(struct buffer *buffer)
{
    char *data = buffer->failed ? NULL : buffer->data;
    if (buffer->failed)
        free(buffer->data);
    *buffer = (struct buffer){0};
    return data;
}

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}
