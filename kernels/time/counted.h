/* Finds what limits a launch by what was counted, and whether that is what was predicted.

   Each bound of the prediction has witnesses among the counters: the part of the duration, less the first
   block's ramp and the last stores, in which the unit was busy. The rule, in this order:

   1. A unit that was busy for COUNTED_BUSY or more limits: the busiest of them.
        launch: the blocks, each with the calibrated time between two starts.
        dram: counted bytes over the calibrated bandwidth; or `lts__throughput` from COUNTED_WAY on, where it is above
          the crossbar's part of it: then the busiest part of an L2 slice is its way to DRAM and to the other half of
          the L2. (DRAM that opens pages for a few bytes reaches 0.6 to 0.7 of its bandwidth, and this metric 0.88 to
          0.93.) `lts__throughput` alone says nothing about the SMs' side: a stream from DRAM has it at 0.9, and the
          crossbar at 0.4.
        TIME_L2 ("ask" in answers): the crossbar between SMs and L2, both ways. Where all request the same few chunks and the bound is one
          slice's: the look-ups of the busiest slice, which no average over slices shows. (Seen once on a GPU, where it
          did not show it.)
        TIME_L1 ("tag" in answers): `l1tex__throughput`; or a cycle for each counted bank conflict.
        issue: instructions over the calibrated issue rate of an SM; or the constants' unit, for constant words; or the
          busiest pipe.
   2. Else, where the floor and the ramp are more than 1 - COUNTED_BUSY of the duration, the launch is too
      short: a limiter cannot reach COUNTED_BUSY, and the answer is COUNTED_SHORT.
   3. Else no unit has enough to do: warps wait (latency). Lines of the L1 that loads in flight occupy look
      the same in the counters, and count as the same here.

   The rule was made with 532 experiments on an H200. Of 872 that were drawn afterwards, on two others, the
   predicted first bound leads by 20 % in 659; in 466 of these the counters decide, and 95.7 % agree
   (bench/results/why_h200.json, why_h200_before.json); nearly all others are too short. It depends little on
   its numbers: with the first 532 experiments COUNTED_BUSY from 0.78 to 0.85 gave 94.5 to 95.8 %, COUNTED_WAY
   from 0.8 to 0.92 gave 95.1 to 95.9 %. docs/model.md has the differences.

   The default counters contain DRAM's bytes, instructions, conflicts and the duration: enough for launch, most
   of dram and most of issue. The rest needs metrics that the request names (COUNTED_METRICS); without them step
   3 answers COUNTED_OPEN. */
#pragma once

#include "kernels/counters.h"
#include "kernels/time/predicted_time.h"

#define COUNTED_BUSY 0.8
#define COUNTED_WAY 0.87
/* Metrics that a request may name in `counters`, per cent. */
#define COUNTED_ELAPSED ".avg.pct_of_peak_sustained_elapsed"
#define COUNTED_L2 "lts__throughput" COUNTED_ELAPSED
#define COUNTED_TO_L2 "lts__xbar2lts_cycles_active" COUNTED_ELAPSED
#define COUNTED_FROM_L2 "lts__lts2xbar_cycles_active" COUNTED_ELAPSED
#define COUNTED_SLICE "lts__t_tag_requests.max.pct_of_peak_sustained_elapsed"
#define COUNTED_L1 "l1tex__throughput" COUNTED_ELAPSED
#define COUNTED_ISSUED "sm__inst_issued" COUNTED_ELAPSED
#define COUNTED_PIPES "sm__instruction_throughput" COUNTED_ELAPSED
#define COUNTED_WORDS "idc__request_cycles_active" COUNTED_ELAPSED
/* All of them, as a list in a sentence. */
#define COUNTED_METRICS                                                                                      \
    COUNTED_L2 ", " COUNTED_TO_L2 ", " COUNTED_FROM_L2 ", " COUNTED_SLICE ", " COUNTED_L1                    \
               ", " COUNTED_ISSUED ", " COUNTED_PIPES ", " COUNTED_WORDS

enum counted_answer {
    COUNTED_NO_CASE, /* DRAM's bytes or the duration were not counted */
    COUNTED_UNIT,    /* step 1 */
    COUNTED_STARTS,  /* step 1: launch */
    COUNTED_SHORT,   /* step 2 */
    COUNTED_WAITS,   /* step 3 */
    COUNTED_OPEN     /* step 3, but not all witnesses were counted */
};

enum counted_agreement { COUNTED_AGREES, COUNTED_DIFFERS, COUNTED_UNDECIDED };

/* The witnesses of each bound, as parts of its ceiling, 0 to 1; NAN: not counted. */
struct counted_limiter {
    double share[TIME_BOUNDS]; /* NAN for TIME_LATENCY and TIME_LINES */
    bool open[TIME_BOUNDS];    /* not all its witnesses were counted: the share may be larger */
    bool way;                  /* TIME_DRAM's share is of the way to DRAM, not of its bytes */
    bool slice;                /* TIME_L2's share is of the busiest slice of the L2 */
    double occupancy;          /* achieved over theoretical */
    enum counted_answer answer;
    enum time_bound limiter;          /* with COUNTED_UNIT, COUNTED_STARTS and COUNTED_WAITS */
    enum time_bound busiest;          /* of the counted ones; unset with COUNTED_NO_CASE */
    enum counted_agreement agreement; /* with the predicted limiter, or with a second one that is close */
};

/* Decides from the counters of the launch that `prediction`, which must apply, is for. `theoretical` occupancy,
   0 to 1; NAN: not known. Any thread. */
void counted_find(const struct counters *counters, double theoretical,
                  const struct time_prediction *prediction, struct counted_limiter *counted);
