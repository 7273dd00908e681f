/* What a request wants from a GPU's hardware counters, and what they counted: plain data.
   device/device_counters.h reads them. */
#pragma once

#include <stdbool.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

enum {
    COUNTERS_NAMES = 16,       /* a request may name so many besides the default set */
    COUNTERS_NAME_BYTES = 128, /* each with its NUL */
    COUNTERS_MAX = 48,         /* in one measurement: the default set and the named ones */
    COUNTERS_POINTS = 16,      /* experiments that may share passes */
};

/* What a request wants. */
struct counters_wanted {
    bool on;
    /* The kernel uses shared memory, so the counters of its accesses are wanted too. Not set by the
       request. */
    bool shared;
    int count;
    char name[COUNTERS_NAMES][COUNTERS_NAME_BYTES]; /* of metrics, or of the default set */
};

/* 1 to 127 letters, digits, '_' and '.' */
bool counters_name_valid(const char *name);

enum counters_when {
    COUNTERS_ALWAYS,
    COUNTERS_SHARED,  /* needs a pass of its own: wanted when the kernel uses shared memory, or by name */
    COUNTERS_BY_NAME, /* likewise: wanted by name alone */
};

/* A counter of the default set. */
struct counter_kind {
    /* as in results: nvprof's name where it had one; the unit is in the name, a count has none */
    const char *name;
    const char *metrics[2]; /* CUPTI's names: a chip has the first or the second, which may be NULL */
    double scale;           /* factor from the metric's unit to the unit of the name */
    enum counters_when when;
};

/* Ended by a NULL name. */
extern const struct counter_kind counter_kinds[];

/* NULL: there is none of that name. */
const struct counter_kind *counters_kind_find(const char *name);

struct counter {
    char name[COUNTERS_NAME_BYTES];   /* a name of the table; for a metric named by the request: the metric */
    char metric[COUNTERS_NAME_BYTES]; /* where the value comes from; empty: the chip has no such metric */
    bool named;                       /* asked for by the request, not of the table */
    bool measured;
    double value;     /* finite */
    char reason[160]; /* why it was not measured */
};

enum counters_status { COUNTERS_NOT_REQUESTED, COUNTERS_UNAVAILABLE, COUNTERS_MEASURED };

struct counters {
    enum counters_status status;
    char reason[256]; /* when unavailable: the cause, and what an operator can do */
    char remedy[256];
    unsigned passes; /* counted launches, each with cold caches */
    int points;      /* experiments that shared these passes, 1 or more */
    int count;
    struct counter at[COUNTERS_MAX];
};

/* Sets the status to COUNTERS_UNAVAILABLE, with the reason and what an operator can do about it. */
void counters_unavailable(struct counters *counters, const char *remedy, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fills in names and metrics with nothing measured yet: the default set in the table's order, then the
   counters that the request names. The metric is the table's first; code that knows the chip may replace
   it. */
void counters_begin(struct counters *counters, const struct counters_wanted *wanted);

/* The counter of that name; NULL: not measured. */
const struct counter *counters_find(const struct counters *counters, const char *name);

__END_DECLS
