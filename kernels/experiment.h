/* One request in plain C, and the one place that decides whether it can run. */
#pragma once

#include <sys/cdefs.h>

#include "kernels/counters.h"
#include "kernels/facts.h"
#include "kernels/kernel.h"
#include "kernels/placement.h"
#include "kernels/problems.h"

__BEGIN_DECLS

/* Where an experiment may run, as its request says. */
enum device_choice_kind {
    DEVICE_BY_NUMBER,
    DEVICE_BY_NAME, /* the name that the operator gave the device */
    DEVICE_ANY,
    DEVICE_BY_CONDITIONS, /* every condition that is given */
};

/* All zero: device 0. */
struct device_choice {
    enum device_choice_kind kind;
    int64_t number;
    char called[64];
    /* Conditions; empty, 0 and false: any. */
    char arch[16];        /* "cpu": of any machine */
    char product[128];    /* device_facts.name */
    int64_t memory_bytes; /* at least */
    bool counters;        /* the device has hardware counters */
};

struct measure {
    int64_t min_samples; /* the minimum of cold samples */
    double noise;        /* stop below this: half the 95 % interval of the median over the median */
    double max_seconds;  /* limit of the sampling time, cold and hot together */
    double quiet_s;      /* limit of the wait for a quiet device, besides half of timeout_s */
    bool keep_samples;   /* the result includes the raw samples */
    bool host_timer;     /* launches are also timed by the host's clock: struct host_times */
};

/* Whether copies of the arrays between host and device are timed, and from what kind of host memory. */
enum transfers { TRANSFERS_NONE, TRANSFERS_PAGEABLE, TRANSFERS_PINNED, TRANSFERS_COUNT };

/* "none", "pageable", "pinned" */
const char *transfers_name(enum transfers transfers);

struct experiment {
    const struct kernel *kernel;
    /* Machine code of a kernel that is not of the suite, and the architecture that it is of; NULL: not known. Borrowed. */
    const struct code *code;
    const char *code_arch;
    enum dtype dtype;
    int64_t size[2];   /* as the kernel's dims say; size[1] is 0 for one dimension */
    bool size_by_name; /* the request says it by the kernel's size_name: so do problems */
    int64_t block[3];
    int64_t grid[3]; /* all 0: derived by experiment_check() */
    int64_t param[KERNEL_PARAMS];
    /* Unused dynamic shared memory of a block: it limits how many blocks fit an SM. */
    int64_t shared_bytes;
    struct device_choice device;
    struct device_choice peer; /* the other device, for kernels that need one: by number or name */
    bool peer_given;
    /* Of the other device, as in its facts, for kernels that need one; empty: not known yet. */
    char peer_uuid[64];
    struct measure measure;
    struct counters_wanted counters;
    enum transfers transfers;
    enum placement placement;
    double timeout_s;
    int64_t priority; /* higher runs sooner */
};

enum {
    EXPERIMENT_MIN_SAMPLES_MAX = 10000,
    EXPERIMENT_TIMEOUT_MAX_S = 3600,
    EXPERIMENT_MAX_SECONDS_MAX = 600,
    EXPERIMENT_QUIET_MAX_S = 60,
    EXPERIMENT_PRIORITY_MAX = 100,      /* the minimum is -100 */
    EXPERIMENT_PRIORITY_OVERRIDE = 200, /* above all others: an admin's experiment that runs first */
};

/* Sets all fields to the kernel's defaults; the grid is derived later. */
void experiment_init(struct experiment *experiment, const struct kernel *kernel);

/* Sets the default of measure.quiet_s, which is 0 until this is called. The server calls it once, before the
   first request. */
void experiment_quiet_default(double seconds);

/* Checks every field against the kernel's table and, unless facts is NULL, the device's limits and memory;
   derives a missing grid. Returns 0, or -1 with what is wrong in *problems. */
int experiment_check(struct experiment *experiment, const struct device_facts *facts,
                     struct problems *problems);

/* Adds to *problems which types the kernel takes, and that it is not the given one. The kernel must take some. */
void experiment_refuse_dtype(const struct experiment *experiment, const char *given,
                             struct problems *problems);

/* The fields of a checked experiment that a kernel's functions use. */
struct domain experiment_domain(const struct experiment *experiment);

/* Dynamic shared memory of a block, bytes: the kernel's own plus the request's. */
uint64_t experiment_shared_bytes(const struct experiment *experiment);

/* Bytes of device memory for all buffers with their guard zones. */
uint64_t experiment_memory_bytes(const struct experiment *experiment);

/* Bytes of all buffers, without the guards. */
uint64_t experiment_working_set_bytes(const struct experiment *experiment);

/* Offset of buffer b within the experiment's memory, bytes; for b = buffer_count the end of the last guard
   zone's buffer. Each buffer is aligned to KERNEL_ALIGN_BYTES and has KERNEL_GUARD_BYTES or more around it.
   Saturates instead of overflowing. */
uint64_t experiment_buffer_at(const struct experiment *experiment, int buffer);

enum { KERNEL_GUARD_BYTES = 4096, KERNEL_ALIGN_BYTES = 256 };

__END_DECLS
