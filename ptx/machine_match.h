/* Where the machine code accesses memory otherwise than the PTX that it was made of. Counts are made from PTX; they
   are the machine's only where each access of the PTX is one of the machine code: as wide, in the same loops, by
   the same lanes. The line table of the machine code, which leads to lines of PTX, tells what belongs to what.

   What may differ without changing a count: copies of an access where the compiler unrolled a loop. What may be
   counted all the same: accesses that were joined into a wider one, and atomics that one lane does for its warp;
   the result says how. Everything else is named, with the line. */
#pragma once

#include "ptx/match.h"

/* Compares. Machine code without lines of PTX, or too tangled, is a result: MATCH_UNKNOWN for all. -1: ERROR_MEMORY.
   To be freed with machine_match_free(). */
int machine_match_run(struct match_result *result, const struct match_program *program,
                      const struct cubin_entry *entry, struct error *error);
void machine_match_free(struct match_result *result);
