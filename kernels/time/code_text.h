/* Instructions in the order in which a warp executes them. */
#pragma once

#include "kernels/time/code_graph.h"

struct code_text {
    const struct machine_word **at;
    uint32_t count, allocated;
    bool failed; /* no memory, or too many */
};

/* Appends a block's instructions, with those of the functions that it calls, on their longest way. */
void code_text_append(struct code_text *text, const struct code_graph *graph, int block);
void code_text_add(struct code_text *text, const struct machine_word *word); /* one */
void code_text_free(struct code_text *text);
