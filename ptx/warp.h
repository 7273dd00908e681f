/* A warp executes: lanes part and meet again, registers are read and written. */
#pragma once

#include "ptx/state.h"

/* Runs until the warp waits, has ended, or has done so many instructions. */
void warp_run(struct warp *warp, uint64_t most);

/* Removes paths that have arrived, or have no lanes. False when the warp has ended. */
bool warp_settle(struct warp *warp);

/* The budget, to be asked from time to time: true, and a fault, when the launch has spent it. */
bool warp_spent(struct warp *warp, const struct instruction *instruction);

/* The warp begins its block. */
void warp_begin(struct warp *warp);

/* Parts the lanes of the top path: `taken` goes to `target`, the rest to the next instruction. */
int warp_diverge(struct warp *warp, const struct instruction *instruction, uint32_t taken, uint32_t target);

/* Lanes of two masks part now. Only where races are looked for. */
void warp_parted(struct warp *warp, uint32_t some, uint32_t others);

/* Tells who asked that lanes part at an instruction. */
void warp_note_parting(const struct warp *warp, const struct instruction *instruction);

/* After another path became the top one: its function's registers. */
void warp_use_frame(struct warp *warp);

/* These lanes have ended. */
void warp_lanes_end(struct warp *warp, uint32_t mask);

static inline const struct instruction *warp_instruction(const struct warp *warp, uint32_t pc)
{
    return &warp->run->program->instructions[pc];
}

static inline void *warp_slot(const struct warp *warp, uint32_t slot)
{
    return warp->frame + (size_t)slot * SLOT_BYTES;
}

static inline uint32_t warp_predicate(const struct warp *warp, const struct instruction *i, unsigned operand)
{
    uint32_t bits = warp->predicates[i->from[operand]];
    return i->from_not >> operand & 1 ? ~bits : bits;
}

/* A lane's value, whatever the register's width. */
static inline uint64_t warp_value(const struct warp *warp, uint32_t slot, unsigned units, int lane)
{
    const void *at = warp_slot(warp, slot);
    return units == 2 ? ((const uint64_t *)at)[lane] : ((const uint32_t *)at)[lane];
}

/* Writes the lanes of the mask; slot NO_SLOT: nowhere. */
void warp_write(struct warp *warp, uint32_t slot, unsigned units, uint32_t mask, const void *values);
void warp_write_predicate(struct warp *warp, uint32_t slot, uint32_t mask, uint32_t values);
