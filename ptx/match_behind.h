/* Part of machine_match. */
#pragma once

#include "ptx/match_parts.h"

/* Marks sites whose accesses sank behind a condition. -1: ERROR_MEMORY, or ERROR_INVALID where the program is too tangled. */
int match_behind_check(struct match_run *run, struct error *error);
