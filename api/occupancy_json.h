/* How much of a multiprocessor a launch fills, as JSON: the one object that results, predictions and
   GET /v1/occupancy have. Any thread. */
#pragma once

#include <stdbool.h>

#include "base/json_writer.h"
#include "kernels/experiment.h"

struct occupancy_case {
    const char *arch;         /* "sm_90"; borrowed */
    int registers_per_thread; /* -1: not known, and then not counted */
    uint64_t shared_bytes_per_block;
    uint32_t parameter_bytes; /* of the kernel: struct occupancy_question */
    uint64_t threads_per_block, grid_blocks;
    uint32_t sms;    /* 0: not known */
    bool staircases; /* writes them too, besides the thresholds */
};

/* That of a checked experiment: registers of the machine code that is known for the architecture, parameters that
   are the address of each buffer and a number of elements. Without waves. */
struct occupancy_case occupancy_json_case(const struct experiment *experiment, const char *arch);

/* Returns why a multiprocessor of the architecture has no room for one block, because of the block's shared memory or
   registers, static; NULL: it has room, or something else prevents the launch, or the model does not know the
   architecture. */
const char *occupancy_json_no_room(const struct occupancy_case *question);

/* Writes the occupancy, or why there is none. Returns the theoretical occupancy, 0 to 1; NAN: there is
   none. */
double occupancy_json_write(struct json_writer *json, const char *key, const struct occupancy_case *question);
