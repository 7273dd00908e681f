/* What CUPTI can count on a chip, without a device: on any machine with CUPTI. */
#pragma once

#include <sys/cdefs.h>

#include "base/error.h"
#include "kernels/counters.h"

__BEGIN_DECLS

/* The chips that CUPTI knows (its own strings), and the plan of one of them ("GH100") for a request: metrics,
   passes, and a reason for each metric that the chip lacks. Return 0, or -1 with *error: no CUPTI, no such
   chip. */
int counters_chips(const char *const **names, int *count, struct error *error);
int counters_chips_plan(const char *chip, const struct counters_wanted *wanted, struct counters *counters,
                        struct error *error);

__END_DECLS
