/* How the value of a register depends on the block: in a box of blocks it is that of the first block, plus multiples of
   the distance along each axis. */
#pragma once

#include "ptx/warp.h"

enum { AXES = 3, ALL_AXES = 7 };

__extension__ typedef __int128 coordinates_wide;

/* Blocks; high is excluded. */
struct coordinates_box {
    uint32_t low[AXES], high[AXES];
};

struct coordinates {
    int64_t step
        [AXES]; /* from block to block, modulo 2^width, with the sign of its width; for the lanes of `valid` */
    uint32_t valid;   /* lanes; the others have other steps */
    uint32_t unknown; /* lanes whose value was loaded, so that it is not even known in the first block */
    uint8_t deferred; /* axes along which the value changes in a way that has no step */
};

/* The trace of one warp through one box. */
struct trace {
    struct machine *run;
    struct warp *warp;
    struct coordinates_box box;
    struct coordinates **slots;      /* by function, then by slot */
    struct coordinates **predicates; /* their steps are not used */
};

/* Axes along which the box has more than one block. */
unsigned coordinates_axes(const struct trace *trace);

/* Axes along which the value changes by a step. */
unsigned coordinates_steps(const struct trace *trace, const struct coordinates *value);

/* Axes along which the value changes, by a step or otherwise. */
unsigned coordinates_change(const struct trace *trace, const struct coordinates *value);

/* Keeps the first block along these axes alone: what is computed is right for it. */
void coordinates_pin(struct trace *trace, unsigned axes);

/* Narrows the box to blocks where value < 0 stays what it is in the first block. */
void coordinates_keep_sign(struct trace *trace, coordinates_wide value, const int64_t step[AXES]);

/* Narrows the box to blocks where all lanes of the mask, whose values in the first block are given, stay within
   least ... most. False when they are outside in the first block. */
bool coordinates_keep_range(struct trace *trace, const coordinates_wide *value, uint32_t mask,
                            const int64_t step[AXES], coordinates_wide least, coordinates_wide most);

/* What the instruction makes of the coordinates of its operands; may narrow the box. `operands` are as many as the
   instruction reads; predicates too. */
void coordinates_result(struct trace *trace, const struct instruction *instruction, uint32_t mask,
                        const struct coordinates *operands, struct coordinates *result);
