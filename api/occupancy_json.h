/* struct occupancy -> JSON: a result's `occupancy`, and that of a what-if. */
#ifndef COALESCED_API_OCCUPANCY_JSON_H
#define COALESCED_API_OCCUPANCY_JSON_H

#include <jansson.h>

#include "kernels/model/occupancy.h"

struct occupancy_case {
    const char *arch;         /* "sm_90" */
    int registers_per_thread; /* -1: not known, and then not counted */
    uint64_t shared_bytes_per_block;
    uint64_t threads_per_block, grid_blocks;
    uint32_t sms; /* 0: not known */
};

/* Or why there is none. New reference; NULL: no memory. */
json_t *occupancy_to_json(const struct occupancy_case *question);

#endif
