/* What limits a launch by what was counted, and whether that is what was predicted.

   Counters tell how busy a unit was, as a part of the most it can do, and how many warps were resident. The rule, in this
   order:

   1. A unit that was busy for COUNTED_BUSY of its ceiling or more limits: the busiest of them. The ramp of the first block
      and the last stores are taken off the profiler's duration first: no unit can be busy then.
   2. Else, where blocks had to wait for places and yet less than COUNTED_SPARSE of the warps that would fit were there on
      average, blocks end faster than others start: launch. (On an H200 achieved over theoretical occupancy is 0.3
      where launch limits, elsewhere 0.76 to 0.87.) A grid that does not fill the device is no case of it.
   3. Else warps are there, and no unit has enough to do: they wait. latency; the lines of the L1 that loads in flight
      occupy look just so, and stand for the same here.

   Of 460 experiments on an H200 above 10 us in which the predicted limiter leads by 20 %, 93 % agree by DRAM's bytes and
   occupancy alone; any COUNTED_BUSY from 0.78 to 0.82 does the same. Nearly all others are predicted to be DRAM's, and
   their bytes do not show it: pages that are opened (gather, wide strides) keep DRAM busy without moving bytes, and what is
   stored by a launch that fits the L2 stays there.

   The default counters have DRAM's bytes, instructions, occupancy and the duration. How busy L1 and L2 were is known only
   where a request names their metrics (COUNTED_L1, COUNTED_L2); without both the third step cannot exclude them, and says
   so instead of guessing. */
#ifndef COALESCED_KERNELS_MODEL_TIME_COUNTED_H
#define COALESCED_KERNELS_MODEL_TIME_COUNTED_H

#include "kernels/counters.h"
#include "kernels/model/time/time.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COUNTED_BUSY 0.8
#define COUNTED_SPARSE 0.5
/* Metrics to be named in a request's counters, per cent. */
#define COUNTED_L1 "l1tex__throughput.avg.pct_of_peak_sustained_elapsed"
#define COUNTED_L2 "lts__throughput.avg.pct_of_peak_sustained_elapsed"

enum counted_answer {
    COUNTED_NO_CASE, /* neither DRAM's bytes nor the duration were counted, or occupancy was not */
    COUNTED_UNIT,    /* 1 */
    COUNTED_STARTS,  /* 2 */
    COUNTED_WAITS,   /* 3 */
    COUNTED_OPEN     /* 3, but L1 or L2 was not counted */
};

enum counted_agreement { COUNTED_AGREES, COUNTED_DIFFERS, COUNTED_UNDECIDED };

/* Parts of a ceiling, 0 to 1; NAN: not counted. */
struct counted_limiter {
    double share
        [TIME_BOUNDS]; /* of TIME_DRAM, TIME_ASK (the L2), TIME_TAG (the L1), TIME_ISSUE; NAN the others */
    double occupancy;  /* achieved over theoretical */
    enum counted_answer answer;
    enum time_bound limiter;          /* not with COUNTED_NO_CASE and COUNTED_OPEN */
    enum time_bound busiest;          /* of those counted; not with COUNTED_NO_CASE */
    enum counted_agreement agreement; /* with the predicted limiter, or a second that is close */
};

/* Of what was counted of the launch that `prediction` is for (one that applies). `theoretical` occupancy, 0 to 1; NAN: not
   known. Any thread. */
void counted_find(const struct counters *counters, double theoretical,
                  const struct time_prediction *prediction, struct counted_limiter *counted);

#ifdef __cplusplus
}
#endif
#endif
