/* Faults of a launch: each kind and pair of places once. */
#pragma once

#include "ptx/state.h"

/* A thread of the current block at an instruction. */
struct ptx_thread fault_thread(const struct machine *run, unsigned thread,
                               const struct instruction *instruction);

/* Adds the fault, or counts it with its like. */
void fault_add(struct machine *run, const struct ptx_fault *fault);

/* The same, and the launch is over. -1. */
int fault_end(struct machine *run, const struct ptx_fault *fault);

/* A fault of a lane that accesses nothing. */
struct ptx_fault fault_of(const struct warp *warp, const struct instruction *instruction, int lane,
                          enum ptx_fault_kind kind);

/* Sets the members of the fault that tell which elements of the segment an access of `bytes` at `offset`, in bytes,
   reaches. */
void fault_place(struct ptx_fault *fault, const struct segment *segment, int64_t offset, unsigned bytes);
