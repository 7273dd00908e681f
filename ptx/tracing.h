/* The state of ptx_affine_run(), and the accesses of a box. */
#pragma once

#include "ptx/affine_launch.h"
#include "ptx/coordinates.h"
#include "ptx/memory.h"

enum { ACCESSES_KEPT = 4096 };

/* An access, until the box is known. */
struct kept_access {
    const struct instruction *instruction;
    uint32_t mask;
    int64_t step[AXES];
    struct memory_access access;
};

struct tracing {
    const struct ptx_launch *launch;
    struct trace trace;
    struct ptx_affine_result *result;
    struct kept_access *kept;
    size_t kept_count;
    bool overflow;                   /* more accesses than are kept: the box is traced again */
    bool streaming;                  /* which is now, with a box that no longer changes */
    uint64_t instructions, barriers; /* of this box */
    struct coordinates_box *waiting;
    size_t waiting_count, waiting_allocated;
    bool stopped;
};

/* Remembers an access of the box that is traced, or tells it when the box is known. */
void tracing_keep(struct tracing *tracing, const struct kept_access *made);

/* Looks whether it stays inside in the whole box, and tells it. */
void tracing_finish(struct tracing *tracing, const struct kept_access *kept);
