/* A set of device numbers: the devices on which an experiment may run. A plain value without locks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Numbers are below DEVICE_SET_MOST. */
enum { DEVICE_SET_MOST = 128, DEVICE_SET_WORDS = DEVICE_SET_MOST / 64 };

/* All zero: the empty set. */
struct device_set {
    uint64_t words[DEVICE_SET_WORDS];
};

/* False for a number that no device can have. */
static inline bool device_set_has(const struct device_set *set, int64_t device)
{
    return device >= 0 && device < DEVICE_SET_MOST && set->words[device / 64] >> device % 64 & 1;
}

/* A number that no device can have changes nothing. */
static inline void device_set_add(struct device_set *set, int64_t device)
{
    if (device >= 0 && device < DEVICE_SET_MOST)
        set->words[device / 64] |= UINT64_C(1) << device % 64;
}

static inline void device_set_remove(struct device_set *set, int64_t device)
{
    if (device >= 0 && device < DEVICE_SET_MOST)
        set->words[device / 64] &= ~(UINT64_C(1) << device % 64);
}

static inline struct device_set device_set_of(int64_t device)
{
    struct device_set set = {{0}};
    device_set_add(&set, device);
    return set;
}

static inline int device_set_count(const struct device_set *set)
{
    int count = 0;
    for (int i = 0; i < DEVICE_SET_WORDS; i++)
        count += __builtin_popcountll(set->words[i]);
    return count;
}

/* The lowest number of the set from `from` on; -1: there is none. */
static inline int device_set_next(const struct device_set *set, int from)
{
    while (from < DEVICE_SET_MOST && !device_set_has(set, from))
        from++;
    return from < DEVICE_SET_MOST ? from : -1;
}

static inline bool device_set_equal(const struct device_set *a, const struct device_set *b)
{
    for (int i = 0; i < DEVICE_SET_WORDS; i++)
        if (a->words[i] != b->words[i])
            return false;
    return true;
}

static inline struct device_set device_set_both(const struct device_set *a, const struct device_set *b)
{
    struct device_set both;
    for (int i = 0; i < DEVICE_SET_WORDS; i++)
        both.words[i] = a->words[i] & b->words[i];
    return both;
}

/* How many devices are in both. */
static inline int device_set_count_both(const struct device_set *a, const struct device_set *b)
{
    const struct device_set both = device_set_both(a, b);
    return device_set_count(&both);
}
