/* What a kernel's time depends on in its loops, as struct code has it. */
#pragma once

#include "kernels/time/code_pieces.h"
#include "kernels/time/machine_code.h"

/* Writes it. Returns the number of blocks that are straight code, in `way` (room for all), in their order. */
int code_loops_read(struct code *code, const struct code_graph *graph, const struct code_pieces *pieces,
                    int *way);
