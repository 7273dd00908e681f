/* All that came of an experiment on a device. Times are microseconds, bandwidths 10^9 bytes a second. */
#ifndef COALESCED_KERNELS_RESULT_H
#define COALESCED_KERNELS_RESULT_H

#include "kernels/counters.h"
#include "kernels/experiment.h"
#include "kernels/facts.h"
#include "kernels/stability.h"

#ifdef __cplusplus
extern "C" {
#endif

enum stop_reason { STOP_NOISE, STOP_NO_GAIN, STOP_TIME, STOP_COUNT };

/* "noise", "no_gain", "max_seconds" */
const char *stop_reason_name(enum stop_reason reason);

/* Samples that hold the median between them with at least 95 % (96.9 %; five: 93.8 %). */
enum { TIMING_LEAST = 6, SERIES_ROUNDS_MAX = 64, SERIES_SAMPLES_MAX = 16384 };

/* The samples of one kind in the order in which they were taken: in rounds, between which those of the other kind were. */
struct series {
    double *us;
    unsigned count, capacity;
    unsigned discarded;
    unsigned rounds;
    unsigned round_end[SERIES_ROUNDS_MAX]; /* so many samples had been taken at its end */
};

struct timing {
    unsigned samples;   /* 0: there is no timing: not tried, or every sample was discarded */
    unsigned discarded; /* samples thrown away because the launch was not queued in time */
    unsigned launches;  /* launches a sample stands for: 1 cold; the difference of two lengths hot */
    unsigned rounds;    /* in so many turns with the other kind they were taken */
    double min_us, p25_us, median_us, p75_us, max_us, mean_us, stddev_us;
    double ci95_us[2]; /* of the median at this placement, see timing.h; NAN below TIMING_LEAST samples */
    double noise;      /* half of what the samples leave open over the median, see timing.h; NAN likewise */
    enum stop_reason stop;
};

struct correctness {
    bool checked;              /* every element was compared on the device and a sample again on the host */
    bool verified;             /* checked, and nothing was wrong */
    uint64_t elements_checked; /* output elements, touched or not */
    uint64_t mismatches;       /* elements, guard words and host samples that were wrong */
    double max_abs_error;      /* over touched elements */
    bool has_first;
    struct {
        char buffer[16];
        uint64_t index; /* element; beyond the last one: a guard zone behind, with `guard` set */
        bool guard;
        double expected, found;
        bool untouched; /* it should have been left alone */
    } first;
};

/* Copies of the experiment's own arrays. */
struct transfer {
    unsigned samples; /* 0: none was timed */
    uint64_t bytes;   /* a sample */
    double median_us, min_us;
};

/* A launch as a program's own timer has it: the host's clock, read before it and after the device is done. */
struct host_times {
    unsigned samples; /* launches after the first; 0: it was not asked for */
    double first_us;  /* the launch whose output was checked */
    double median_us, min_us;
};

struct calibration;

struct launch_facts {
    int registers_per_thread; /* -1: no such thing on this device */
    uint64_t local_bytes_per_thread, shared_bytes_per_block;
};

struct result {
    struct device_facts device;
    struct launch_facts launch;
    struct correctness correctness;
    struct placed placed;
    struct timing cold, hot;
    const struct series *cold_series,
        *hot_series;                       /* when the experiment keeps its samples; see runner_run() */
    struct transfer to_device, to_host;    /* all inputs; all outputs */
    struct host_times host;                /* when the experiment asks for it */
    struct counters counters;              /* of launches of their own, each with cold caches */
    const struct calibration *calibration; /* of the device's own; NULL: what is shipped for its name */
    double floor_us; /* an empty kernel, measured as the cold samples are; 0: not to be measured */
    double tick_us;  /* what the timer resolves */
    struct stability stability;
    int64_t began_ns,
        ended_ns; /* clock_monotonic_ns() before the first and after the last operation on the device */
    uint64_t load_bytes, store_bytes, atomic_bytes; /* requested, from the kernel's ledger, one launch */
    uint64_t operations; /* arithmetic or steps that the kernel is about; 0: bytes */
    uint64_t working_set_bytes;
};

#ifdef __cplusplus
}
#endif
#endif
