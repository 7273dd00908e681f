#include "kernels/time/code_blocks.h"

void code_blocks_add(struct code_blocks *blocks, int block)
{
    blocks->count += !blocks->has[block];
    blocks->has[block] = true;
}

void code_blocks_unite(struct code_blocks *blocks, const struct code_blocks *others)
{
    for (int i = 0; i < CODE_BLOCKS_MAX; i++)
        if (others->has[i])
            code_blocks_add(blocks, i);
}

void code_blocks_subtract(struct code_blocks *blocks, const struct code_blocks *others)
{
    for (int i = 0; i < CODE_BLOCKS_MAX; i++)
        if (blocks->has[i] && others->has[i]) {
            blocks->has[i] = false;
            blocks->count--;
        }
}

bool code_blocks_meet(const struct code_blocks *a, const struct code_blocks *b)
{
    for (int i = 0; i < CODE_BLOCKS_MAX; i++)
        if (a->has[i] && b->has[i])
            return true;
    return false;
}

bool code_blocks_within(const struct code_blocks *inner, const struct code_blocks *outer)
{
    for (int i = 0; i < CODE_BLOCKS_MAX; i++)
        if (inner->has[i] && !outer->has[i])
            return false;
    return true;
}
