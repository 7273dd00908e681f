/* Names of experiments: 26 characters that sort by the time they were given (48 bits of milliseconds, then
   80 random bits that only count up within one millisecond; Crockford's base 32). */
#ifndef COALESCED_SERVER_STORE_ID_H
#define COALESCED_SERVER_STORE_ID_H

#include <stdbool.h>
#include <stdint.h>

enum { ID_BYTES = 27 }; /* with the NUL */

/* The next one; greater than every one given before by this process. Any thread. */
void id_next(char id[ID_BYTES]);

/* From now on every id is greater than this one: for a clock that went back between two runs. */
void id_start_after(const char *id);

/* Is it formed like one? NULL is not. */
bool id_valid(const char *text);

/* When it was given: milliseconds since 1970. The id must be valid. */
int64_t id_ms(const char *id);

/* The least that is given at that time or later; milliseconds since 1970. */
void id_least(int64_t ms, char id[ID_BYTES]);

/* For tables: every bit depends on every character. Any text. */
uint64_t id_hash(const char *text);

#endif
