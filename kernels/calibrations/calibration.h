/* The constants of a device that its predicted times are computed from (kernels/time/predicted_time.h): their
   meanings, and the shipped values.

   The constants of an H200 are shipped, so that any machine can predict what an H200 would take. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/facts.h"
#include "kernels/kernel.h"

enum calibration_constant {
    CALIBRATION_FLOOR,   /* us: an empty kernel, measured as cold samples are */
    CALIBRATION_LAUNCH,  /* ns: between the starts of two blocks, whole device */
    CALIBRATION_SLOT,    /* ns: a block's place stands idle between two blocks */
    CALIBRATION_REQUEST, /* ns: a block lasts longer for each load or store request of its warps */
    CALIBRATION_EXTRA,   /* ns: and for each line of a request beyond the first */
    /* ns: a launch beyond the empty one: the last stores on their way, the end of the grid */
    CALIBRATION_TAIL,
    CALIBRATION_DRAM_LATENCY, /* ns: of a load, nothing else going on */
    CALIBRATION_L2_LATENCY,   /* ns */
    CALIBRATION_QUEUE,        /* 1: latency of a busy memory system over that of an idle one, less 1 */
    CALIBRATION_WRITES,       /* 1: how much more than a byte read a byte written makes others wait */
    CALIBRATION_SECTOR,       /* ns: a warp waits longer for each 32 bytes that it reads from DRAM at once */
    CALIBRATION_BANDWIDTH,    /* GB/s: DRAM */
    CALIBRATION_ACTIVATE,     /* ps: a DRAM page is opened, whole device */
    CALIBRATION_DIRTY,        /* MB: that the L2 keeps, of what was read and written */
    /* ps: a line asked for, the head of a line stored, or up to 64 bytes of it, from the SMs to the L2, whole device */
    CALIBRATION_FLIT,
    CALIBRATION_NARROW, /* flits: more for a line of which lanes store 8 bytes each, less than 64 in all */
    CALIBRATION_SLICE,  /* requests a ns that one slice of the L2 answers */
    CALIBRATION_STEP,   /* ns: a barrier, or the end of a block, for each of its warps */
    CALIBRATION_TAG,    /* cycles: an SM looks up a line that a load touches */
    CALIBRATION_ISSUE,  /* instructions a cycle and SM */
    CALIBRATION_WORD,   /* cycles: another word of constant memory */
    CALIBRATION_CONSTANTS
};

struct calibration_about {
    const char *name; /* "dram_latency_ns": with its unit, as JSON has it */
    const char *unit;
    struct text_pair text;     /* what it is */
    struct text_pair measured; /* by which experiment it is found directly */
    bool fitted;               /* fitted to calibration experiments; false: taken as given */
};

/* Static. */
const struct calibration_about *calibration_about(enum calibration_constant constant);

struct calibration {
    char name[128]; /* of the device: "NVIDIA H200" */
    char arch[16];  /* "sm_90" */
    char driver[48];
    char build[80];  /* of the service, whose kernels were run */
    int64_t made_ms; /* since 1970; 0: it is shipped */
    int experiments; /* number of experiments that it was made from */
    uint32_t sms;
    uint32_t clock_khz;
    uint64_t l1_bytes; /* of an SM, with its shared memory */
    /* Of the device; 0: not known. Shipped: what NVIDIA's data sheets call 141 and 80 GB, in units of 2^30 bytes, of which a
       little less can be allocated. */
    uint64_t memory_bytes;
    struct {
        double value;
        double spread; /* one standard error, as a part of the value; 0: taken as given */
    } constant[CALIBRATION_CONSTANTS];
};

/* The shipped calibrations. Static. */
int calibration_count(void);
const struct calibration *calibration_at(int index);

/* Finds a shipped calibration by its device's name, in any case; NULL: there is none. */
const struct calibration *calibration_find(const char *name);

/* The first shipped calibration for that architecture, as "sm_90"; NULL: there is none. */
const struct calibration *calibration_of_arch(const char *arch);

/* The same by what a reader calls the device (see product.h): of "H100" that of the H100, and none of an H800, whose
   constants nobody measured; of "sm_90" the first for that architecture. */
const struct calibration *calibration_of_product(const char *text);

/* The calibrated device as an experiment's check sees a device: its multiprocessors, the limits of a GPU
   of its architecture, and memory without end. So a launch for it gets the grid that it would have there.
   Any thread. */
void calibration_facts(const struct calibration *calibration, struct device_facts *facts);
