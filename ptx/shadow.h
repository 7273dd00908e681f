/* Who accessed what last: races within a block and between blocks. */
#pragma once

#include "ptx/state.h"

/* The lanes of one warp instruction at a segment, in bounds. */
struct shadow_access {
    const struct instruction *instruction;
    struct segment *segment;
    uint32_t mask;
    const uint64_t *offset; /* of the segment, by lane */
    uint8_t *const *at;     /* the bytes, by lane */
    unsigned bytes;
    const uint8_t (*values)[16]; /* what a store writes, by lane; NULL */
};

/* Looks at it, and remembers it. Called before the memory changes. */
void shadow_note(struct warp *warp, const struct shadow_access *access);

/* Room for a segment's record. 0; -1 when there is no memory, or its budget is spent. `granule` is the least width of an
   access: 1, 2, 4, 8 or 16. */
int shadow_add(struct machine *run, struct segment *segment, unsigned granule, bool between_blocks);

void shadow_free(struct segment *segment);
