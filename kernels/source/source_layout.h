/* Where each argument of a launch lies among its parameters' bytes, as the CUDA ABI has it: in order, each at a multiple of its
   alignment; a struct by value at a multiple of that of its widest field, which its end is too. */
#pragma once

#include "kernels/problems.h"
#include "kernels/source/source_draft.h"

__BEGIN_DECLS

/* One pointer or value among a launch's parameters. */
struct source_slot {
    const struct source_argument *argument;
    unsigned offset; /* within the parameters, bytes */
    int buffer;      /* index into kernel.buffers; -1: no pointer */
    int param; /* index into kernel.params of its first component; -1: a pointer, or the experiment's size */
};

struct source_layout {
    struct source_slot slot[SOURCE_ARGUMENTS]; /* one an argument of the draft, in the same order */
    int slot_count, buffer_count, param_count;
    unsigned parameter_bytes;
};

/* The layout borrows the draft's arguments. -1: there are more pointers or scalars than a kernel has, which *problems says. */
int source_layout_make(struct source_layout *layout, const struct source_draft *draft,
                       struct problems *problems);

__END_DECLS
