/* "Did you mean ...?": which of the names that there are somebody may have meant by one that there is not. */
#pragma once

#include <stddef.h>

enum { SUGGEST_NAME_MAX = 63 }; /* bytes; longer names are not compared */

struct suggestion {
    const char *wanted; /* borrowed, as `found` is */
    const char *found;  /* the nearest so far; NULL: none is near */
    size_t distance;    /* only what is nearer is taken */
    char text[SUGGEST_NAME_MAX + 24];
};

/* Begins the search for what was meant by `wanted`. */
void suggest_begin(struct suggestion *suggestion, const char *wanted);

/* Looks at one of the names that there are. Near is: a letter in three is missing, too many, another one
   or at its neighbour's place, but in a word of three letters not another one; or one or two letters behind the
   first are missing (of two letters one); or a word that other services use for the same. A name that begins with all of
   `wanted`, of five letters or more, is as near as one with two wrong letters. Of equally near names the first is taken.
   If no name is near, the first name is taken that begins with `wanted`, of five letters or more; one letter in six may be
   wrong. Of three or four letters: that begins with `wanted` and an underscore. */
void suggest_consider(struct suggestion *suggestion, const char *name);

/* Looks at all names of a table, WORDS_TABLE() of base/words.h; and returns what suggest_text() does. */
const char *suggest_among(struct suggestion *suggestion, const char *wanted, const void *table, size_t count,
                          size_t stride);

/* How a sentence about the wrong name goes on: ": did you mean \"...\"?" or, when nothing is near, ";". In
   the suggestion. */
const char *suggest_text(struct suggestion *suggestion);
