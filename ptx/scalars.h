/* Operations of atomics and reductions, one lane at a time. */
#pragma once

#include "ptx/lanes.h"

/* add, min, max, and, or, xor, exch, cas, inc, dec; NULL where the type does not have it. */
scalar_fn *scalars_find(const char *operation, enum ptx_type type);
