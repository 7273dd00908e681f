/* Splits a command into words, and finds a word or a name. */
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

/* Copies one word's characters to `to` and returns what follows it; NULL: a quote is left open. */
static const char *word_copy(const char *from, const char *separators, char *to)
{
    char quote = '\0';
    for (; *from && (quote || !strchr(separators, *from)); from++) {
        if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? '\0' : *from;
        else
            *to++ = *from;
    }
    *to = '\0';
    return quote ? NULL : from;
}

int words_split(char ***out, const char *text, const char *separators, struct error *error)
{
    size_t count = 0;
    const char *at = text;
    char **words = calloc(strlen(text) / 2 + 2, sizeof *words);
    if (!words)
        return error_set(error, ERROR_MEMORY, "no memory for words");
    while (*(at += strspn(at, separators))) {
        if (!(words[count++] = malloc(strlen(at) + 1))) {
            error_set(error, ERROR_MEMORY, "no memory for words");
            goto failed;
        }
        if (!(at = word_copy(at, separators, words[count - 1]))) {
            error_set(error, ERROR_INVALID, "a quote is left open in: %s", text);
            goto failed;
        }
    }
    if (!count) {
        error_set(error, ERROR_INVALID, "there is not a word in: \"%s\"", text);
        goto failed;
    }
    *out = words;
    return 0;
failed:
    words_free(words);
    return -1;
}

void words_free(char **words)
{
    for (char **word = words; word && *word; word++)
        free(*word);
    free(words);
}

bool words_contain(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == length && memcmp(at, word, length) == 0)
            return true;
    return false;
}

const char *words_at(const void *table, size_t index, size_t stride)
{
    return *(const char *const *)((const char *)table + index * stride);
}

int words_find(const char *name, const void *table, size_t count, size_t stride)
{
    for (size_t i = 0; name && i < count; i++) {
        const char *own = words_at(table, i, stride);
        if (own && strcmp(own, name) == 0)
            return (int)i;
    }
    return -1;
}
