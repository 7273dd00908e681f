/* Commands and lists as they are given in an option or a file; names in tables. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Splits at any of the separators; they are ordinary characters within '...' and "...", and nothing else
   is special: no shell is ever asked. Empty words that were not quoted are left out. *words is ended by
   NULL, to be freed with words_free(). -1: ERROR_INVALID (no word at all, an open quote), ERROR_MEMORY. */
int words_split(char ***words, const char *text, const char *separators, struct error *error);
void words_free(char **words);

/* True when the word is one of `words`, which have a blank between two. */
bool words_contain(const char *words, const char *word);

/* The three arguments that are an array whose elements begin with a name (const char *, or NULL). */
#define WORDS_TABLE(array) (array), sizeof(array) / sizeof *(array), sizeof *(array)

/* The index of that very name; -1: it is not there, or NULL. */
int words_find(const char *name, const void *table, size_t count, size_t stride);

/* The name of the element of that index. */
const char *words_at(const void *table, size_t index, size_t stride);
