/* What a GPU's hardware counters are asked for, and what they said: plain data. How they are read is
   device/counters.h's business. */
#ifndef COALESCED_KERNELS_COUNTERS_H
#define COALESCED_KERNELS_COUNTERS_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    COUNTERS_NAMES = 16,       /* a request may name so many beside the default set */
    COUNTERS_NAME_BYTES = 128, /* each with its NUL */
    COUNTERS_MAX = 48,         /* of one measurement: the default set and the named ones */
    COUNTERS_POINTS = 16,      /* experiments that may share passes */
};

/* Of a request. */
struct counters_wanted {
    bool on;
    bool
        /* the kernel uses shared memory: what is only of use there is wanted too; not the request's to say */
        shared;
    int count;
    char name[COUNTERS_NAMES][COUNTERS_NAME_BYTES]; /* of metrics, or of the default set */
};

/* 1 to 127 letters, digits, '_' and '.' */
bool counters_name_valid(const char *name);

enum counters_when {
    COUNTERS_ALWAYS,
    COUNTERS_SHARED, /* costs a pass of its own: when the kernel uses shared memory, or by name */
};

/* One of the default set. */
struct counter_kind {
    const char *name; /* in results: nvprof's where it had one; the unit is in the name, a count has none */
    const char *metrics[2]; /* of CUPTI: the chip's list has the first or the second, which may be NULL */
    double scale;           /* from the metric's unit to that of the name */
    enum counters_when when;
};

/* Ended by a NULL name. */
extern const struct counter_kind counter_kinds[];

/* NULL: there is none of that name. */
const struct counter_kind *counter_kind_find(const char *name);

struct counter {
    char name[COUNTERS_NAME_BYTES];   /* of the table; of a named metric: the metric */
    char metric[COUNTERS_NAME_BYTES]; /* that it came from; empty: the chip has none */
    bool named;                       /* asked for by the request, not of the table */
    bool measured;
    double value;     /* finite */
    char reason[160]; /* of one that was not measured */
};

enum counters_status { COUNTERS_NOT_REQUESTED, COUNTERS_UNAVAILABLE, COUNTERS_MEASURED };

struct counters {
    enum counters_status status;
    char reason[256]; /* unavailable: why, and what an operator can do about it */
    char remedy[256];
    unsigned passes; /* launches that were counted, each with cold caches */
    int points;      /* experiments that shared these passes, 1 or more */
    int count;
    struct counter at[COUNTERS_MAX];
};

/* Fills in that there are none; the remedy is a text of operating.md's kind. */
void counters_unavailable(struct counters *counters, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Names, sources and nothing measured yet, as `wanted` says: the default set in the table's order, then what was named.
   The metric is the table's first; who knows the chip may put another there. */
void counters_begin(struct counters *counters, const struct counters_wanted *wanted);

/* The counter of that name; NULL: not measured. */
const struct counter *counters_find(const struct counters *counters, const char *name);

#ifdef __cplusplus
}
#endif
#endif
