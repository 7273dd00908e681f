/* JSON written by hand where texts that are JSON already are put together: a stored result keeps its bytes.
 */
#ifndef COALESCED_API_TEXT_H
#define COALESCED_API_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

/* Appends the text as a JSON string, quotes included; null when it is NULL. Bytes that are not UTF-8 become
   U+FFFD, so that whatever a client or a library said can be repeated. 0, or -1: no memory. */
int text_string(struct buffer *out, const char *text);

/* Append a number; a real one to 15 significant digits, always with a fraction or an exponent, so that it is read as a
   real one again. `value` must be finite. 0, or -1: no memory. */
int text_integer(struct buffer *out, int64_t value);
int text_real(struct buffer *out, double value);

/* Is it UTF-8? */
bool text_valid(const char *text);

/* Appends ",member,member ..." of a JSON object's text, or nothing when it is empty or NULL. 0 or -1. */
int text_members(struct buffer *out, const char *object);

#endif
