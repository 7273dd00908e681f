/* The work of a launch as far as its time depends on it: everything known before any calibrated constant. */
#pragma once

#include "kernels/calibrations/calibration.h"
#include "kernels/experiment.h"
#include "kernels/model/access.h"
#include "kernels/model/arch.h"
#include "kernels/time/machine_code.h"

struct launch_work {
    double blocks, warps_per_block;
    double warps;                       /* with work */
    double busy_blocks;                 /* with work */
    double sms;                         /* SMs with work */
    double blocks_per_sm, warps_per_sm; /* resident at a time */
    double warp_slots;                  /* of an SM */
    bool has_dependent_loads;           /* some addresses were themselves loaded */
    bool again;                         /* a loop in a loop: reads the same data again */
    bool loop;                          /* a loop over the grid: its blocks are long */

    double instructions;   /* of a warp, on average */
    double cycles;         /* of a warp alone, without waiting for global loads */
    double doubles;        /* of the instructions: arithmetic of 64-bit floats */
    double ramp_cycles;    /* the same, outside of loops */
    double waits;          /* latencies of loads from DRAM in a row */
    double l2_waits;       /* likewise from the L2, of data that was loaded before */
    double l1_waits;       /* likewise from the L1 */
    double barriers;       /* of a block */
    double steps;          /* of a lane with work, on average: of loops and of calculations */
    double constant_words; /* of a warp, beyond one of each request */
    /* Of a warp: rows of shared memory (128 bytes, one word of each bank at most) that are fetched one after
       the other. */
    double shared_rows;
    double conflict_rows; /* of these: bank conflicts */

    double load_requests, load_lines, load_sectors, store_requests, store_lines, store_sectors;
    /* requested; a byte that several lanes request counts once for each request */
    double load_bytes, store_bytes;
    double store_moved;            /* bytes of the stored sectors; with gaps more than store_bytes */
    double filled;                 /* bytes that are read to fill the gaps */
    double requests_at_once;       /* of a warp, before it has to wait */
    double chain_lines;            /* of a request of a full warp, on average */
    double extra_lines;            /* of a warp: lines beyond one of each request */
    double missed;                 /* part of the load sectors that misses the L1, 0 to 1 */
    double l1_lines;               /* capacity of the L1 of an SM */
    double chunks;                 /* distinct loaded chunks of 64 bytes */
    double dram_read, dram_opened; /* bytes; opened pages, without those of a stream */
    double in_flight;              /* bytes from DRAM that a warp waits for at once */
    bool near; /* all SMs request the same few lines: only the first request waits for DRAM */
};

/* Fills the work of a checked experiment; `registers` a thread and `shared_bytes` a block as in
   predicted_time_predict(). Returns no text, or why the model does not apply: static, part of a sentence. */
struct text_pair launch_work_make(const struct experiment *experiment, const struct access *access,
                                  const struct code *code, const struct calibration *calibration,
                                  int registers, int64_t shared_bytes, struct launch_work *work);
