/* An experiment in the device's memory: buffers between guard zones, filled before and checked after one
   launch. */
#pragma once

#include "base/error.h"
#include "kernels/device/device.h"
#include "kernels/result.h"

struct layout {
    const struct device_kind *kind;
    struct device *device;
    const struct experiment *experiment;
    struct reserved place;
    /* Each memory that some buffer lies in, all with the same offsets; the first is `place`. */
    enum memory whose[MEMORIES];
    char *base[MEMORIES];
    int bases;
    uint64_t bytes; /* of each memory, with the guard zones */
    struct run run;
};

/* Reserves all memories, with `anew` as reserve() of device.h, and computes the offsets. Returns 0, or -1:
   ERROR_OUT_OF_MEMORY. */
int layout_make(const struct device_kind *kind, struct device *device, const struct experiment *experiment,
                bool anew, struct layout *layout, struct error *error);

/* Fills guards and untouched elements with the pattern, inputs with their values, outputs with the complement
   of the expected value. */
int layout_fill(const struct layout *layout, struct error *error);

/* Compares every element and guard word on the device and, if all are right, a sample of the outputs again on the host.
   Returns 0 when all are right; or -1: ERROR_INCORRECT with *correctness filled, or the device's error. */
int layout_check(const struct layout *layout, struct correctness *correctness, struct error *error);
