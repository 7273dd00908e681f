/* How long a launch takes, from exact counts, its machine code, and a device's constants. docs/model.md derives it.

   Seven bounds, each the time that it would take alone. Starts of blocks are felt where they take longest; the others are
   joined by a high power, so that the largest decides and a close second is felt. Before and behind them stand what every launch pays: the floor of an empty kernel, the ramp of one block
   on an idle device, and the last stores. */
#ifndef COALESCED_KERNELS_TIME_PREDICTED_TIME_H
#define COALESCED_KERNELS_TIME_PREDICTED_TIME_H

#include "kernels/calibrations/calibration.h"
#include "kernels/experiment.h"
#include "kernels/model/access.h"
#include "kernels/model/arch.h"
#include "kernels/time/machine_code.h"

#ifdef __cplusplus
extern "C" {
#endif

enum time_bound {
    TIME_LAUNCH,  /* blocks that start one after the other */
    TIME_DRAM,    /* bytes that DRAM moves */
    TIME_L2,      /* between the SMs and the L2: lines asked for, data stored, sectors that come back */
    TIME_L1,      /* lines that an SM looks up in its L1, and rows of its shared memory */
    TIME_LINES,   /* lines of the L1 that loads in flight occupy */
    TIME_ISSUE,   /* instructions that an SM issues */
    TIME_LATENCY, /* Little's law: what is in flight, over the latency that the load brings */
    TIME_BOUNDS
};

/* "launch", "dram", "ask", "tag", "lines", "issue", "latency" */
const char *predicted_time_bound_name(enum time_bound bound);

/* Units of TIME_L2 where it is not all SMs' flits that limit: one slice of the L2 that all ask, or what comes back. */
extern const char *const time_unit_slice, *const time_unit_back;

struct time_amount {
    double amount;    /* of what the bound counts */
    const char *unit; /* "blocks", "bytes", "flits", "lines", "instructions", ... */
    double ceiling;   /* so many of them a microsecond at most */
    double us;        /* amount / ceiling */
};

struct time_prediction {
    /* Why the model does not apply, as part of a sentence; without a text: it does, and all that follows is set. */
    struct text_pair why_not;
    const struct calibration *calibration;
    const char *code_arch; /* whose machine code was read */
    double us;             /* cold, as the service measures: all below together */
    double floor_us;       /* an empty kernel */
    double ramp_us;        /* the first block on an idle device, and the last stores */
    struct time_amount bound[TIME_BOUNDS];
    enum time_bound limiter;
    enum time_bound second;
    bool close; /* the second is within 20 % of the first: both limit */
    /* What it is made of, predictions of their own. */
    double dram_read_bytes, dram_write_bytes;
    double dram_opened_us;              /* of TIME_DRAM: pages of which little is read */
    double dram_kept_us;                /* of TIME_DRAM: stores that stay in the L2 */
    double l1_hit_pct;                  /* of the sectors that loads ask for; -1: no loads through the L1 */
    double blocks_per_sm, warps_per_sm; /* resident at a time */
    double achieved_occupancy;          /* 0 to 1 */
    double rounds;                      /* of resident blocks, one after the other */
    double waits;                       /* latencies that a warp waits for, one after the other */
    double latency_ns;                  /* of a load under this load */
    double in_flight_bytes;             /* on average, an SM */
    double needed_bytes;                /* in flight, an SM, for the bandwidth at that latency; 0: no loads */
};

/* Predicts a checked experiment on the device that was calibrated. `registers` a thread, `shared_bytes` a block with what
   the compiler adds: those of the launch where it is known, else -1 and the code's and the request's are taken. Some
   microseconds, any thread. */
void predicted_time_predict(const struct experiment *experiment, const struct access *access,
                            const struct calibration *calibration, int registers, int64_t shared_bytes,
                            struct time_prediction *prediction);

#ifdef __cplusplus
}
#endif
#endif
