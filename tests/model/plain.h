/* The plain trace: every thread of every block, one by one, each access written down with its address.
   Meant to be obviously right, not fast: it is what the model's count is held against. What does not
   depend on the kernel stands in plain.cpp, so that it is compiled once and not for each kernel, type and
   variant. */
#pragma once

#include <stdint.h>

#include "kernels/device/kernel_entry.h"
#include "kernels/model/access.h"

enum { SHARED = -1, CONSTANT = -2 };

struct plain_notes; /* what one thread has done, with its warp's */

/* One thread of a launch. */
struct plain_thread {
    const run &r;
    int64_t bx, by, tx, ty;
    plain_notes &notes;
    mutable int64_t virtual_block = -1; /* of a loop over the grid: which block this would be without it */

    /* What is done ('l'oad, 's'tore, 'a'tomic), where (SHARED, CONSTANT or a buffer), how many bytes, the
       first of them. */
    void note_bytes(char what, int space, unsigned bytes, int64_t first) const;
    void note_steps(int64_t steps) const;
};

/* Runs `body` as every thread of the launch, and adds what it noted. */
void plain_trace_threads(const run *r, struct access *sums, void (*body)(const plain_thread &thread));
