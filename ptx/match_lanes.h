/* Whether each access of the machine code is done as often, and by the same lanes, as the PTX says. */
#pragma once

#include "ptx/match_parts.h"

/* Changes verdicts of sites that were found one to one. -1: ERROR_MEMORY, or ERROR_INVALID (too tangled). */
int match_lanes_check(struct match_run *run, struct error *error);
