/* Reads a range, checks it and expands it. */
#include "api/range.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
    long long first, last;
    long long by; /* added to each value, or each is multiplied by it */
    bool times;
};

bool range_is(const char *text)
{
    return text && strstr(text, "..");
}

static const char *blanks_skip(const char *text)
{
    return text + strspn(text, " ");
}

/* NULL: there is no number, or none that fits. */
static const char *number_read(const char *text, long long *number)
{
    const char *digits = text + (*text == '-');
    char *end;
    if (*digits < '0' || *digits > '9')
        return NULL;
    errno = 0;
    *number = strtoll(text, &end, 10);
    return errno ? NULL : end;
}

/* " step 32" or " by x2", or nothing; NULL: something else. */
static const char *step_read(const char *text, struct range *range)
{
    const char *word = blanks_skip(text);
    *range = (struct range){.first = range->first, .last = range->last, .by = 1};
    if (!*word || word == text)
        return word;
    if (strncmp(word, "step ", 5) == 0)
        return number_read(blanks_skip(word + 5), &range->by);
    range->times = true;
    if (strncmp(word, "by ", 3) != 0 || *(word = blanks_skip(word + 3)) != 'x')
        return NULL;
    return number_read(word + 1, &range->by);
}

static bool range_read(const char *text, struct range *range)
{
    const char *at = number_read(blanks_skip(text), &range->first);
    at = at ? blanks_skip(at) : NULL;
    if (!at || strncmp(at, "..", 2) != 0)
        return false;
    at = number_read(blanks_skip(at + 2), &range->last);
    at = at ? step_read(at, range) : NULL;
    return at && !*blanks_skip(at);
}

/* Of a range that is right: the value behind this one; false: this is the last. */
static bool range_step(const struct range *range, long long *value)
{
    if (range->times ? *value > range->last / range->by
                     : (uint64_t)range->last - (uint64_t)*value < (uint64_t)range->by)
        return false;
    *value = range->times ? *value * range->by : *value + range->by;
    return true;
}

static size_t range_count(const struct range *range, size_t limit)
{
    long long value = range->first;
    size_t count = 1;
    while (count <= limit && range_step(range, &value))
        count++;
    return count;
}

/* What is wrong with it; empty: nothing. */
static void range_check(const struct range *range, size_t limit, char detail[RANGE_DETAIL_BYTES])
{
    long long first = range->first, last = range->last, by = range->by;
    detail[0] = '\0';
    if (first > last)
        snprintf(detail, RANGE_DETAIL_BYTES,
                 "the range %lld..%lld is empty: the first is greater than the last; %lld..%lld goes up",
                 first, last, last, first);
    else if (!range->times && by < 1)
        snprintf(detail, RANGE_DETAIL_BYTES, "a range goes up by a step of at least 1, not %lld", by);
    else if (range->times && by < 2)
        snprintf(detail, RANGE_DETAIL_BYTES, "a range goes up by a factor of at least 2, not x%lld", by);
    else if (range->times && first < 1)
        snprintf(
            detail, RANGE_DETAIL_BYTES,
            "a range that is multiplied begins at 1 or above, not at %lld; a list may hold both, as in [0, "
            "\"1..%lld by x%lld\"]",
            first, last > 1 ? last : 1024, by);
    else if (range_count(range, limit) > limit)
        snprintf(detail, RANGE_DETAIL_BYTES, "a range of more than %zu values; a greater step makes it fewer",
                 limit);
}

int range_append(const char *text, size_t limit, json_t *list, char detail[RANGE_DETAIL_BYTES])
{
    struct range range;
    if (!range_read(text, &range)) {
        snprintf(
            detail, RANGE_DETAIL_BYTES,
            "\"%.40s\" is no range of integers; \"0..128\", \"0..1024 step 32\" and \"1..4096 by x2\" are",
            text);
        return -1;
    }
    range_check(&range, limit, detail);
    if (detail[0])
        return -1;
    long long value = range.first;
    do {
        if (json_array_append_new(list, json_integer(value)) < 0)
            return -1;
    } while (range_step(&range, &value));
    return 0;
}
