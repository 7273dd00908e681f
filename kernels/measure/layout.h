/* An experiment in the device's memory: its buffers between guard zones, filled, and checked after one launch. */
#ifndef COALESCED_KERNELS_MEASURE_LAYOUT_H
#define COALESCED_KERNELS_MEASURE_LAYOUT_H

#include "base/error.h"
#include "kernels/device/device.h"
#include "kernels/result.h"

struct layout {
    const struct device_kind *kind;
    struct device *device;
    const struct experiment *experiment;
    struct reserved place;
    /* Of each memory that some buffer lies in, with all offsets the same; the first one is the place's. */
    enum memory whose[MEMORIES];
    char *base[MEMORIES];
    int bases;
    uint64_t bytes; /* of each, with the guard zones */
    struct run run;
};

/* Reserves memory wherever some buffer lies, `anew` as reserve() of device.h has it, and says where everything lies in it.
   Returns 0, or -1: ERROR_OUT_OF_MEMORY. */
int layout_make(const struct device_kind *kind, struct device *device, const struct experiment *experiment,
                bool anew, struct layout *layout, struct error *error);

/* Guards and untouched elements get the pattern, inputs their values, outputs the complement of what is expected. */
int layout_fill(const struct layout *layout, struct error *error);

/* Compares every element and guard word on the device, and a sample of the outputs again on the host. Returns 0 when
   nothing was wrong, or -1: ERROR_INCORRECT with *correctness filled, or what the device said. */
int layout_check(const struct layout *layout, struct correctness *correctness, struct error *error);

#endif
