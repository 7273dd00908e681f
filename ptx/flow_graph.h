/* The graph of a program's basic blocks: where lanes that part meet again, and what is in which loop. It serves
   PTX and machine code alike: a program is a row of points (instructions, or those of them that matter) and of
   jumps between them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#define FLOW_NONE UINT32_MAX

struct flow_jump {
    uint32_t from, to; /* points; `to` may be the number of points: behind the last one, to the end */
};

struct flow_graph {
    uint32_t count;       /* blocks, in the order of their points */
    uint32_t *first;      /* of each block its first point; first[count] is the number of points */
    uint32_t *block_of;   /* of each point */
    uint32_t *next_begin; /* of each block where its successors begin in `next`; count + 1 of them */
    uint32_t *next;
    uint32_t *before_begin; /* likewise predecessors */
    uint32_t *before;
    bool *leaves;    /* of each block: its last point may lead to the end */
    uint32_t *meets; /* the immediate post-dominator of each block; FLOW_NONE: only the end is common */
    /* Of flow_graph_find_loops(): */
    uint32_t *loop;  /* the first block of the innermost loop that it is in; FLOW_NONE: in none */
    uint32_t *outer; /* of the first block of a loop: the first block of the loop around it */
};

/* Builds it, without loops. `falls[i]`: after point i comes point i + 1, after the last one the end; `jumps` are sorted
   by `from`. -1: ERROR_MEMORY, or
   ERROR_INVALID where the program is too tangled to be looked at in bounded time. To be freed with
   flow_graph_free(), also after a failure. */
int flow_graph_build(struct flow_graph *graph, uint32_t points, const bool *falls,
                     const struct flow_jump *jumps, size_t jump_count, struct error *error);
void flow_graph_free(struct flow_graph *graph);

/* Finds what is in which loop. -1: likewise. */
int flow_graph_find_loops(struct flow_graph *graph, struct error *error);

/* Is a block in the loop that begins with block `loop`? */
bool flow_graph_in_loop(const struct flow_graph *graph, uint32_t block, uint32_t loop);

/* Marks in `inside` (a flag for each block, all false) the blocks that lanes which part at the end of a block may
   execute before they meet. Returns how many there are; the list of them is in `blocks` (room for all). */
uint32_t flow_graph_region(const struct flow_graph *graph, uint32_t block, bool *inside, uint32_t *blocks);
