/* The generated list of kernels (suite_list.c), one row a file in this folder. */
#ifndef COALESCED_KERNELS_SUITE_SUITE_ROWS_H
#define COALESCED_KERNELS_SUITE_SUITE_ROWS_H

struct kernel; /* kernels/kernel.h */

struct suite_row {
    const char *name, *source, *sha256;
    void (*describe)(struct kernel *kernel);
};

/* In the order of the names; ended by a row without a name. */
extern const struct suite_row suite_rows[];

#endif
