/* One request, in plain C, and the one place that says whether it can be run. */
#ifndef COALESCED_KERNELS_EXPERIMENT_H
#define COALESCED_KERNELS_EXPERIMENT_H

#include "kernels/counters.h"
#include "kernels/facts.h"
#include "kernels/kernel.h"
#include "kernels/placement.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where an experiment may run, as its request says it. */
enum device_choice_kind {
    DEVICE_BY_NUMBER,
    DEVICE_BY_NAME, /* the operator's */
    DEVICE_ANY,
    DEVICE_BY_CONDITIONS, /* all of those that are given */
};

/* All zero: device 0. */
struct device_choice {
    enum device_choice_kind kind;
    int64_t number;
    char called[64]; /* by name */
    /* Conditions; empty, 0 and false: whatever it is. */
    char arch[16];        /* "cpu": whichever machine's */
    char product[128];    /* device_facts.name */
    int64_t memory_bytes; /* at least */
    bool counters;        /* it has hardware counters */
};

struct measure {
    int64_t min_samples; /* at least so many cold samples */
    double noise;        /* stop below it: half the median's 95 % interval over the median */
    double max_seconds;  /* and never sample longer than this, for cold and hot together */
    double quiet_s;      /* wait at most so long, and half of timeout_s, for a quiet device */
    bool keep_samples;   /* the raw samples are of the result */
    bool host_timer;     /* a launch is timed by the host's clock, too: struct host_times */
};

/* Whether copies of the arrays between host and device are timed, and from what kind of host memory. */
enum transfers { TRANSFERS_NONE, TRANSFERS_PAGEABLE, TRANSFERS_PINNED, TRANSFERS_COUNT };

/* "none", "pageable", "pinned" */
const char *transfers_name(enum transfers transfers);

struct experiment {
    const struct kernel *kernel;
    enum dtype dtype;
    int64_t size[2]; /* as the kernel's dims say; size[1] is 0 for one dimension */
    int64_t block[3];
    int64_t grid[3]; /* all 0: derived by experiment_check() */
    int64_t param[KERNEL_PARAMS];
    int64_t
        /* dynamic shared memory a block that is not used: it limits how many blocks fit an SM */
        shared_bytes;
    struct device_choice device;
    struct device_choice peer; /* of the other device, where the kernel needs one: by number or name */
    bool peer_given;
    char peer_uuid
        /* of the other device, as its facts have it, where the kernel needs one; empty: not known yet */
        [64];
    struct measure measure;
    struct counters_wanted counters;
    enum transfers transfers;
    enum placement placement;
    double timeout_s;
    int64_t priority; /* the higher the sooner */
};

enum {
    EXPERIMENT_PROBLEMS = 16,
    EXPERIMENT_MIN_SAMPLES_MAX = 10000,
    EXPERIMENT_TIMEOUT_MAX_S = 3600,
    EXPERIMENT_MAX_SECONDS_MAX = 600,
    EXPERIMENT_QUIET_MAX_S = 60,
    EXPERIMENT_PRIORITY_MAX = 100,      /* and -100 is the least */
    EXPERIMENT_PRIORITY_OVERRIDE = 200, /* above the other: before everybody's, for an admin */
};

/* What is wrong, field by field. */
struct problems {
    int count; /* may be more than were kept */
    struct problem {
        char pointer[64]; /* a JSON pointer as a URI fragment: "#/block/0" */
        char detail[224];
    } at[EXPERIMENT_PROBLEMS];
};

/* More was found than is kept: looking further would only count. Whoever reads what a client may make long stops. */
bool problems_full(const struct problems *problems);

void problem_add(struct problems *problems, const char *pointer, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All defaults of that kernel; the grid is left to be derived. */
void experiment_init(struct experiment *experiment, const struct kernel *kernel);

/* What measure.quiet_s is when a request does not say: 0 until this is called. The service does, once, before
   there is a request. */
void experiment_quiet_default(double seconds);

/* Checks every field against the kernel's table and, unless facts is NULL, the device's limits and memory;
   derives a missing grid. Returns 0, or -1 with what is wrong in *problems. */
int experiment_check(struct experiment *experiment, const struct device_facts *facts,
                     struct problems *problems);

/* The part of a checked experiment that a kernel's functions work on. */
struct domain experiment_domain(const struct experiment *experiment);

/* Dynamic shared memory of a block: the kernel's own, and what the request adds. */
uint64_t experiment_shared_bytes(const struct experiment *experiment);

/* Bytes of device memory for all buffers with their guard zones. */
uint64_t experiment_memory_bytes(const struct experiment *experiment);

/* Bytes of all buffers, without the guards. */
uint64_t experiment_working_set_bytes(const struct experiment *experiment);

/* Where buffer b of the experiment begins within its memory, and the end of the last for b = buffer_count:
   each is aligned to 256 bytes and has KERNEL_GUARD_BYTES or more around it. Saturates instead of
   overflowing. */
uint64_t experiment_buffer_at(const struct experiment *experiment, int buffer);

enum { KERNEL_GUARD_BYTES = 4096, KERNEL_ALIGN_BYTES = 256 };

#ifdef __cplusplus
}
#endif
#endif
