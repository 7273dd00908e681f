/* What a launch asks of a device, as far as its time depends on it: all that is known before any constant. */
#ifndef COALESCED_KERNELS_TIME_LAUNCH_WORK_H
#define COALESCED_KERNELS_TIME_LAUNCH_WORK_H

#include "kernels/calibrations/calibration.h"
#include "kernels/experiment.h"
#include "kernels/model/access.h"
#include "kernels/model/arch.h"
#include "kernels/time/machine_code.h"

#ifdef __cplusplus
extern "C" {
#endif

struct launch_work {
    double blocks, warps_per_block;
    double warps;                       /* that have anything to do */
    double busy_blocks;                 /* likewise */
    double busy_part;                   /* of the warps of these, 0 to 1 */
    double sms;                         /* that have work */
    double blocks_per_sm, warps_per_sm; /* resident at a time */
    double warp_slots;                  /* of an SM */
    bool has_dependent_loads;           /* addresses that it loads itself */
    bool again;                         /* a loop in a loop: goes over the same again */
    bool loop;                          /* over the grid: its blocks are long */

    double instructions;   /* of a warp, on average */
    double cycles;         /* of a warp alone, without global loads */
    double doubles;        /* of the instructions: arithmetic of 64-bit floats */
    double ramp_cycles;    /* the same, outside of loops */
    double waits;          /* latencies of loads from DRAM, one after the other */
    double l2_waits;       /* likewise, of what was loaded before and is in the L2 */
    double l1_waits;       /* and in the L1 */
    double barriers;       /* of a block */
    double steps;          /* of a lane that has anything to do, on average: of loops, and of calculations */
    double constant_words; /* of a warp, beyond one a request */
    /* Of a warp: 128 bytes of shared memory, a word of each bank at most, that are fetched one after the other. */
    double shared_rows;
    double conflict_rows; /* of these: bank conflicts */

    double load_requests, load_lines, load_sectors, store_requests, store_lines, store_sectors;
    double load_bytes, store_bytes; /* requested, the same byte of several lanes counted once a request */
    double store_moved;      /* bytes of the sectors that are stored to; with gaps, more than those stored */
    double filled;           /* bytes that are read for these gaps */
    double requests_at_once; /* of a warp: before it has to wait */
    double extra_lines;      /* of a warp: lines beyond one a request */
    double missed;           /* part of the load sectors that the L1 does not have, 0 to 1 */
    double l1_lines;         /* that the L1 of an SM has room for */
    double chunks;           /* distinct 64-byte chunks that are loaded */
    double dram_read, dram_opened; /* bytes; pages opened besides those of a stream */
    double in_flight;              /* bytes from DRAM that a warp waits for at once */
    bool near; /* all that is loaded fits the L2 and is asked for by everybody: no DRAM latency */
};

/* Fills what a checked experiment asks for; `registers` a thread and `shared_bytes` a block as predicted_time_predict() takes them.
   Returns NULL, or why the model does not apply: static text. */
struct text_pair launch_work_make(const struct experiment *experiment, const struct access *access,
                                  const struct code *code, const struct calibration *calibration,
                                  int registers, int64_t shared_bytes, struct launch_work *work);

#ifdef __cplusplus
}
#endif
#endif
