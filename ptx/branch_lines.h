/* Accesses that a compiler may have made of several: two branches of a source load or store, and it joins both into one
   access behind them, which then has the line of what comes next. */
#pragma once

#include "ptx/flow_graph.h"
#include "ptx/parser.h"

/* Sets `branch_lines` of the position of each access in the function whose address was worked out in two earlier blocks, on
   two lines of the source. graph: of the function's instructions, without loops. 0; -1: no memory. */
int branch_lines_find(struct parser *parser, const struct function *function, const struct flow_graph *graph);
