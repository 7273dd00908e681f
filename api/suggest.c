/* Finds the nearest name by the optimal string alignment distance. */
#include "api/suggest.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/words.h"

/* Words for the same thing; `name` counts only where it is among the names that there are. */
static const struct {
    const char *word, *name;
} synonyms[] = {
    {"limit", "page_size"},
    {"per_page", "page_size"},
    {"count", "page_size"},
    {"page", "page_token"},
    {"cursor", "page_token"},
    {"after", "page_token"},
    {"status", "state"},
    {"tag", "label"},
    {"tags", "labels"},
    {"gpu", "device"},
    {"timeout", "wait"},
    {"timeout", "timeout_s"},
    {"threads", "block"},
    {"blocks", "grid"},
    {"n", "size"},
    {"length", "size"},
    {"elements", "size"},
    {"type", "dtype"},
    {"samples", "min_samples"},
    {"hot_gbps", "hot_effective_gbps"},
    {"cold_gbps", "cold_effective_gbps"},
};

/* A name that begins with all of what is wanted, of so many letters or more, is as near as one with two wrong letters. */
enum { WORD_LEAST = 3, BEGINNING_LEAST = 5, BEGINNING_DISTANCE = 2 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The optimal string alignment distance, blind to case: letters to drop, add, change, or swap with the
   next. */
static size_t distance(const char *a, const char *b)
{
    uint8_t rows[3][SUGGEST_NAME_MAX + 1];
    size_t a_length = strlen(a), b_length = strlen(b);
    for (size_t k = 0; k <= b_length; k++)
        rows[0][k] = (uint8_t)k;
    for (size_t i = 1; i <= a_length; i++) {
        uint8_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = (uint8_t)i;
        for (size_t k = 1; k <= b_length; k++) {
            int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[k - 1]);
            size_t cost = least(least(above[k], row[k - 1]) + 1u, above[k - 1] + (x != y));
            if (i > 1 && k > 1 && x == tolower((unsigned char)b[k - 2]) &&
                y == tolower((unsigned char)a[i - 2]))
                cost = least(cost, two_above[k - 2] + 1u);
            row[k] = (uint8_t)cost;
        }
    }
    return rows[a_length % 3][b_length];
}

void suggest_begin(struct suggestion *suggestion, const char *wanted)
{
    size_t length = strlen(wanted);
    *suggestion = (struct suggestion){.wanted = wanted};
    /* Of less than three letters every other name would be near. */
    if (length <= SUGGEST_NAME_MAX)
        suggestion->distance = length / 3 + 1;
}

/* True: words of three letters that differ in one of them. They mean different things, as gpu and cpu. */
static bool is_other_word(const char *wanted, const char *name)
{
    int others = 0;
    if (strlen(wanted) > 3)
        return false;
    for (; *wanted && *name; wanted++, name++)
        others += tolower((unsigned char)*wanted) != tolower((unsigned char)*name);
    return others == 1 && !*wanted && !*name;
}

/* True: `wanted` is the name with one or two letters missing, but not the first one: blk for block. Of two letters one: rn
   for run. */
static bool is_short_for(const char *wanted, const char *name)
{
    size_t length = strlen(wanted);
    if (length < 2 || strlen(name) > length + (length > 2 ? 2 : 1) ||
        tolower((unsigned char)*wanted) != tolower((unsigned char)*name))
        return false;
    for (; *name && *wanted; name++)
        wanted += tolower((unsigned char)*wanted) == tolower((unsigned char)*name);
    return !*wanted;
}

/* True: `wanted` is the beginning of a longer name, with at most one wrong letter in six. Fewer than five letters are not
   compared, because too many names begin with them; three or four are when an underscore follows in the name: size and
   size_elements. */
static bool is_beginning_of(const char *wanted, const char *name)
{
    char beginning[SUGGEST_NAME_MAX + 1];
    size_t length = strlen(wanted), most = length / 6;
    if (length >= WORD_LEAST && strncasecmp(name, wanted, length) == 0 && name[length] == '_')
        return true;
    for (size_t cut = length - most; length >= BEGINNING_LEAST && cut <= length + most && cut < strlen(name);
         cut++) {
        snprintf(beginning, sizeof beginning, "%.*s", (int)cut, name);
        if (distance(wanted, beginning) <= most)
            return true;
    }
    return false;
}

void suggest_consider(struct suggestion *suggestion, const char *name)
{
    size_t wanted = strlen(suggestion->wanted), length = strlen(name), found;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcasecmp(synonyms[i].word, suggestion->wanted) == 0 && strcmp(synonyms[i].name, name) == 0 &&
            suggestion->distance) {
            suggestion->found = name;
            suggestion->distance = 0;
        }
    bool shortened = !suggestion->found && is_short_for(suggestion->wanted, name);
    if (length > SUGGEST_NAME_MAX || !suggestion->distance)
        return;
    bool beginning = !suggestion->found && is_beginning_of(suggestion->wanted, name);
    found = suggestion->distance;
    if (wanted >= BEGINNING_LEAST && wanted < length && strncasecmp(name, suggestion->wanted, wanted) == 0)
        found = least(found, BEGINNING_DISTANCE);
    else if (shortened || (wanted > length ? wanted - length : length - wanted) < found)
        found = distance(suggestion->wanted, name);
    if (shortened || (found < suggestion->distance && !is_other_word(suggestion->wanted, name))) {
        suggestion->found = name;
        suggestion->distance = found;
    } else if (beginning) {
        suggestion->found = name; /* until another one is near as a whole */
    }
}

const char *suggest_among(struct suggestion *suggestion, const char *wanted, const void *table, size_t count,
                          size_t stride)
{
    suggest_begin(suggestion, wanted);
    for (size_t i = 0; i < count; i++)
        suggest_consider(suggestion, words_at(table, i, stride));
    return suggest_text(suggestion);
}

const char *suggest_text(struct suggestion *suggestion)
{
    if (suggestion->found)
        snprintf(suggestion->text, sizeof suggestion->text, ": did you mean \"%.*s\"?", SUGGEST_NAME_MAX,
                 suggestion->found);
    else
        snprintf(suggestion->text, sizeof suggestion->text, ";");
    return suggestion->text;
}
