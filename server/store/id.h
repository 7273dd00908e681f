/* Ids of experiments and sweeps: 26 characters that sort by the time at which they were given (48 bits of
   milliseconds, then 80 random bits, which count up within one millisecond; Crockford's base 32). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { ID_BYTES = 27 }; /* with the NUL */

/* A new id, greater than every one that this process gave before. Any thread. */
void id_next(char id[ID_BYTES]);

/* Makes every later id greater than this one, in case the clock went back between two runs of the server. */
void id_start_after(const char *id);

/* True when the text has the form of an id; NULL has not. */
bool id_valid(const char *text);

/* When it was given, in milliseconds since 1970. The id must be valid. */
int64_t id_ms(const char *id);

/* The least id that is given at that time or later; milliseconds since 1970. */
void id_least(int64_t ms, char id[ID_BYTES]);
