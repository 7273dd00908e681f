/* Predicts the time of a launch from exact counts, its machine code, and a device's constants. docs/model.md
   derives the formulas.

   There are seven bounds, each the time that it alone would take. The starts of blocks are a lower limit; the
   others are joined by a high power, so that the largest dominates and a close second adds to it. Every launch
   adds the floor of an empty kernel, the ramp of one block on an idle device, and the last stores. */
#pragma once

#include "kernels/calibrations/calibration.h"
#include "kernels/experiment.h"
#include "kernels/model/access.h"
#include "kernels/model/arch.h"
#include "kernels/time/machine_code.h"

enum time_bound {
    TIME_LAUNCH,  /* blocks that start one after the other */
    TIME_DRAM,    /* bytes that DRAM moves */
    TIME_L2,      /* between SMs and L2: requested lines, stored data, sectors that come back */
    TIME_L1,      /* lines that an SM looks up in its L1, and rows of shared memory */
    TIME_LINES,   /* lines of the L1 that loads in flight occupy */
    TIME_ISSUE,   /* instructions that an SM issues */
    TIME_LATENCY, /* Little's law: bytes in flight over the latency under load */
    TIME_BOUNDS
};

/* The bound's name in the API: "launch", "dram", "ask", "tag", "lines", "issue", "latency". */
const char *predicted_time_bound_name(enum time_bound bound);

/* Units of TIME_L2 when it is not limited by all SMs' flits: the requests to one slice of the L2, or the
   sectors that come back. */
extern const char *const time_unit_slice, *const time_unit_back;

struct time_amount {
    double amount;    /* in `unit` */
    const char *unit; /* "blocks", "bytes", "flits", "lines", "instructions", ... */
    double ceiling;   /* maximum of `amount` in a microsecond */
    double us;        /* amount / ceiling */
};

struct time_prediction {
    /* Why the model does not apply, as part of a sentence. Without a text it applies, and all members
       below are set. */
    struct text_pair why_not;
    const struct calibration *calibration;
    const char *code_arch; /* architecture of the machine code that was used */
    double us;             /* of a cold launch, as the service measures: all below together */
    double floor_us;       /* an empty kernel */
    double ramp_us;        /* the first block on an idle device, and the last stores */
    struct time_amount bound[TIME_BOUNDS];
    enum time_bound limiter;
    enum time_bound second;
    bool close; /* the second is within 20 % of the first: both limit */
    /* The parts of the prediction, which are predictions themselves. */
    double dram_read_bytes, dram_write_bytes;
    double dram_opened_us;              /* of TIME_DRAM: pages of which little is read */
    double dram_dirty_us;               /* of TIME_DRAM: stores that stay in the L2 */
    double constant_words_us;           /* of TIME_ISSUE: different words of constant memory in one request */
    double l1_hit_pct;                  /* of the load sectors; -1: no loads through the L1 */
    double blocks_per_sm, warps_per_sm; /* resident at a time */
    double places; /* blocks of the launch / blocks that can be resident on the device at a time; at most 1 */
    double achieved_occupancy; /* 0 to 1 */
    double rounds;             /* rounds of resident blocks, one after the other */
    double waits;              /* latencies that a warp waits for in a row */
    double latency_ns;         /* of a load, in this launch */
    double in_flight_bytes;    /* of an SM, on average */
    double needed_bytes; /* for DRAM to work all the time, at the latency of a busy memory; 0: no loads */
};

/* Predicts a checked experiment on the calibrated device. `registers` a thread and `shared_bytes` a block
   (with what the compiler adds) are those of the launch; -1: not known, those of the machine code and of
   the request are used. Takes some microseconds. Any thread. */
void predicted_time_predict(const struct experiment *experiment, const struct access *access,
                            const struct calibration *calibration, int registers, int64_t shared_bytes,
                            struct time_prediction *prediction);
