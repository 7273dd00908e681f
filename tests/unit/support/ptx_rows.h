/* Rows of lanes.h, each as PTX that is parsed and executed. */
#pragma once

#include "ptx/lanes.h"

struct ptx_row_case {
    const struct lanes_row *row;
    uint64_t operands[4]; /* bits, as wide as their registers */
};

/* Executes each row with many operands and compares the bits of its result, as wide as its register. A difference fails
   the test. Returns how many rows there are. */
unsigned ptx_rows_check(const struct lanes_row *rows, uint64_t (*expected)(const struct ptx_row_case *));

/* The same where results may differ: `equal` decides. */
unsigned ptx_rows_compare(const struct lanes_row *rows, uint64_t (*expected)(const struct ptx_row_case *),
                          bool (*equal)(const struct ptx_row_case *, uint64_t expected, uint64_t actual));
