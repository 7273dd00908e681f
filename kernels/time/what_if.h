/* Finds what one change of a request would bring, by prediction: each candidate is checked, counted and
   predicted as a request of its own.

   Candidates come from the kernel's own table and the request's fields alone: other blocks; each choice of a
   choice parameter; an integer parameter's minimum and default, the powers of two and the multiples of a cache
   line beside its value; for kernels that loop over the grid other numbers of blocks; the derived grid where a
   larger one was given; no shared memory that limits occupancy. Never the element type or the size.

   Only a change that does the same work counts: as many requested bytes, as many distinct ones, and as much
   arithmetic, within 3 %. Shared memory that an integer parameter uses is work too (repeats, phases); the way
   of a choice parameter is not. */
#pragma once

#include "kernels/time/predicted_time.h"

enum {
    WHAT_IF_MOST = 3,
    WHAT_IF_TRIES = 96,        /* candidates, where counts are exact: some microseconds each */
    WHAT_IF_TRIES_SAMPLED = 8, /* where blocks are sampled: milliseconds each */
};

/* The smallest gain that counts, a part of the time: about the model's own error. */
#define WHAT_IF_GAIN 0.05

struct what_if {
    const char *field;            /* of the request: "block", "grid", "shared_bytes", or a parameter's name */
    int param;                    /* its index; -1: no parameter */
    struct experiment experiment; /* checked, with that change */
    struct time_prediction time;
};

/* The request that a time is predicted for. */
struct what_if_case {
    const struct experiment *experiment; /* checked for the calibrated device */
    const struct access *access;
    const struct time_prediction *now; /* one that applies */
    int registers;                     /* as predicted_time_predict() has them */
    int64_t shared_bytes;
};

/* True when the grid is the one that is derived on that device when none is given. */
bool what_if_grid_derived(const struct experiment *experiment, const struct calibration *calibration);

/* Finds the best changes, of different fields, fastest first. Returns how many. Any thread. */
int what_if_find(const struct what_if_case *asked, struct what_if found[WHAT_IF_MOST]);
