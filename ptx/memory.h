/* Memory of a launch: segments, and how the lanes of a warp access them. */
#pragma once

#include "ptx/state.h"

/* What the lanes of `mask` access, all in one segment. */
struct memory_access {
    struct segment *segment;
    uint32_t mask;
    uint64_t address[LANES]; /* as in struct ptx_access */
    uint8_t *at[LANES];      /* valid for the lanes of the mask; of the others somewhere in the segment */
    uint64_t offset[LANES];  /* of the segment */
    unsigned bytes;          /* a lane's */
};

/* The virtual addresses of an instruction's lanes. */
void memory_addresses(const struct warp *warp, const struct instruction *instruction,
                      uint64_t address[LANES]);

/* Takes from *mask the lanes of one segment, and of these keeps those that may access it; faults are added. The
   caller asks again while *mask is not empty. */
void memory_take(struct warp *warp, const struct instruction *instruction, const uint64_t address[LANES],
                 unsigned bytes, uint32_t *mask, struct memory_access *access);

/* Tells whoever listens. */
void memory_tell(struct warp *warp, const struct instruction *instruction,
                 const struct memory_access *access);

/* The generic address of a byte of a segment. */
static inline uint64_t memory_segment_base(unsigned segment)
{
    return (uint64_t)segment << SEGMENT_SHIFT | UINT64_C(1) << (SEGMENT_SHIFT - 1);
}
