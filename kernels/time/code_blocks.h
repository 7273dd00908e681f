/* Sets of the basic blocks of a kernel's machine code. */
#pragma once

#include <stdbool.h>

enum { CODE_BLOCKS_MAX = 2048 };

/* A flag for each block. */
struct code_blocks {
    bool has[CODE_BLOCKS_MAX];
    int count;
};

void code_blocks_add(struct code_blocks *blocks, int block);
void code_blocks_unite(struct code_blocks *blocks, const struct code_blocks *others);
void code_blocks_subtract(struct code_blocks *blocks, const struct code_blocks *others);
bool code_blocks_meet(const struct code_blocks *a, const struct code_blocks *b);
bool code_blocks_within(const struct code_blocks *inner, const struct code_blocks *outer); /* or the same */
