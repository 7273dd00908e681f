/* The warps of a block take turns, and meet at barriers. */
#pragma once

#include "ptx/state.h"

/* From where the path is its lanes only return: nothing that others could see. They count as returned. */
bool block_only_returns(const struct warp *warp, const struct path *path);

/* Executes run->block to its end, or until the launch is over. */
void block_run(struct machine *run);
