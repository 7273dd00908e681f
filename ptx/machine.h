/* What a launch needs: segments, warps with their frames, values that do not change. */
#pragma once

#include "ptx/memory.h"

/* 0; -1 when memory, or its budget, is too small. machine_close() afterwards in both cases. */
int machine_open(struct machine *run, const struct ptx_launch *launch, struct ptx_outcome *outcome);
void machine_close(struct machine *run);

/* The registers of one warp that have the coordinates of run->block. */
void machine_begin_warp(struct warp *warp);

/* The registers that a block has, and empty shared memory. */
void machine_begin_block(struct machine *run);
