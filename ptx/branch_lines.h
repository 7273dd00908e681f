/* Finds accesses that the compiler may have merged. Where both branches of an `if` load (or store), it may emit one load
   after them; PTX then gives that load the line of the statement after the `if`. */
#pragma once

#include "ptx/flow_graph.h"
#include "ptx/parser.h"

/* Sets `branch_lines` of the position of each access in the function whose address was worked out in two earlier blocks, on
   two lines of the source. graph: of the function's instructions, without loops. 0; -1: no memory. */
int branch_lines_find(struct parser *parser, const struct function *function, const struct flow_graph *graph);
