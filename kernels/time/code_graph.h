/* The machine code of a kernel as basic blocks, and the way that a full warp takes through them: what
   code_reader.h reads a kernel's time from. docs/model.md, "What the machine code tells", says how. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernels/time/code_blocks.h"
#include "ptx/cubin.h"

enum { CODE_NO_BLOCK = -1 };

struct code_block {
    uint32_t begin, end; /* instructions */
    int next[2], next_count;
    uint32_t called; /* instructions of the functions that it calls, on their longest way */
    int way_back; /* of a function's block: the next one on its longest way to a return, or CODE_NO_BLOCK */
};

struct code_loop {
    int first; /* its first block */
    struct code_blocks blocks;
};

struct code_graph {
    const struct cubin_instruction *code;
    uint32_t code_count;
    struct code_block *blocks;
    int block_count;
    int *block_of; /* of each instruction */
    int *order;    /* blocks that are reached, each before those that come after it */
    int order_count;
    struct code_loop *loops; /* edges that lead back are taken out of `next` */
    int loop_count;
    struct code_blocks **jumped; /* sets of blocks that a branch forward jumps over, the smallest first */
    int jumped_count;
};

/* -1: ERROR_MEMORY, ERROR_INVALID (more than CODE_BLOCKS_MAX blocks). To be freed with code_graph_free(). */
int code_graph_build(struct code_graph *graph, const struct cubin_entry *entry, struct error *error);
void code_graph_free(struct code_graph *graph);

/* The way from `first` on within a set that moves the most bytes of global memory, and of such the one with the
   most instructions; writes its blocks to `way` (room for all) and returns how many. */
int code_graph_way(const struct code_graph *graph, int first, const struct code_blocks *within, int *way);

/* Does the instruction of that index call a function of the same code? */
bool code_graph_calls(const struct code_graph *graph, uint32_t instruction);

/* Is it a loop without a loop in it? */
bool code_graph_innermost(const struct code_graph *graph, const struct code_loop *loop);

/* Does it access global memory? Of a generic address nobody knows: it is not counted. */
bool code_word_is_global(const struct machine_word *word);
