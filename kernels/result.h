/* The result of an experiment on a device. Times are microseconds, bandwidths 10^9 bytes a second. */
#pragma once

#include <sys/cdefs.h>

#include "kernels/counters.h"
#include "kernels/experiment.h"
#include "kernels/facts.h"
#include "kernels/stability.h"

__BEGIN_DECLS

enum stop_reason { STOP_NOISE, STOP_NO_GAIN, STOP_TIME, STOP_COUNT };

/* "noise", "no_gain", "max_seconds" */
const char *stop_reason_name(enum stop_reason reason);

/* The fewest samples whose extremes contain the median with at least 95 % (96.9 %; five: 93.8 %). */
enum { TIMING_LEAST = 6, SERIES_ROUNDS_MAX = 64, SERIES_SAMPLES_MAX = 16384 };

/* The samples of one kind (cold, hot) in the order in which they were taken: in rounds that alternate with
   the other kind's. */
struct series {
    double *us;
    unsigned count, capacity;
    unsigned discarded;
    unsigned rounds;
    unsigned round_end[SERIES_ROUNDS_MAX]; /* number of samples at the end of each round */
};

struct timing {
    unsigned samples;   /* 0: no timing was tried, or every sample was discarded */
    unsigned discarded; /* samples whose launch was not enqueued in time */
    unsigned launches;  /* launches in a sample: 1 cold; hot the difference of two sequences */
    unsigned rounds;    /* rounds that alternate with the other kind's */
    double min_us, p25_us, median_us, p75_us, max_us, mean_us, stddev_us;
    /* 95 % interval of the median at this placement, see timing.h; NAN below TIMING_LEAST samples */
    double ci95_us[2];
    double noise; /* half the interval by the samples alone over the median, see timing.h; NAN likewise */
    enum stop_reason stop;
};

struct correctness {
    bool
        checked; /* every element was compared on the device and, if all were right, a sample of them on the host */
    bool verified;             /* checked, and all was right */
    uint64_t elements_checked; /* output elements, touched or not */
    uint64_t
        mismatches; /* elements and guard words that the device found wrong; if none, the host's sample */
    double max_abs_error; /* over elements that a launch changes */
    bool has_first;
    struct {
        char buffer[16];
        uint64_t index; /* element; with `guard` set: beyond the last one, in the guard zone behind */
        bool guard;
        double expected, found;
        bool untouched; /* a launch must not change it */
        bool unwritten; /* of a user's kernel: no thread wrote it, and `found` is no value */
        int line,
            reference_line; /* of sources, where `found` and `expected` were stored; 0: not known, or nowhere */
    } first;
};

/* Copies of the experiment's own arrays. */
struct transfer {
    unsigned samples; /* 0: none was timed */
    uint64_t bytes;   /* of a sample */
    double median_us, min_us;
};

/* Times of launches by the host's clock, read before a launch and after the device has finished. */
struct host_times {
    unsigned samples; /* launches behind the first; 0: not asked for */
    double first_us;  /* of the launch whose output was checked */
    double median_us, min_us;
};

struct calibration;

struct launch_facts {
    int registers_per_thread; /* -1: the device has no such figure */
    uint64_t local_bytes_per_thread, shared_bytes_per_block;
    uint64_t constant_bytes; /* __constant__ data that the kernel uses */
};

struct result {
    struct device_facts device;
    struct launch_facts launch;
    struct correctness correctness;
    struct placed placed;
    struct timing cold, hot;
    /* when the experiment keeps its samples; see runner_run() */
    const struct series *cold_series, *hot_series;
    struct transfer to_device, to_host;    /* all inputs; all outputs */
    struct host_times host;                /* when the experiment asks for it */
    struct counters counters;              /* of separate launches, each with cold caches */
    const struct calibration *calibration; /* the device's own; NULL: the one shipped for its name */
    double floor_us; /* time of an empty kernel, measured as cold samples are; 0: not measurable */
    double tick_us;  /* resolution of the timer */
    struct stability stability;
    /* clock_monotonic_ns() before the first and after the last operation on the device */
    int64_t began_ns, ended_ns;
    uint64_t load_bytes, store_bytes, atomic_bytes; /* requested in one launch, from the kernel's ledger */
    uint64_t operations; /* arithmetic or steps that the kernel measures; 0: it measures bytes */
    uint64_t working_set_bytes;
};

__END_DECLS
