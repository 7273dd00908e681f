/* pointer_chase: where each chain is after `steps` loads that wait for one another (chase.h).

   Time over steps is the latency of a load from wherever A fits: its size is the footprint. */
#include "kernels/suite/chase.h"

struct pointer_chase : chase {
    static void describe(kernel &k)
    {
        k.title = "Latency by footprint";
        k.lesson = "Time a step is the latency of the cache that the footprint fits into.";
        describe_chase(k, "n elements: the element that comes next");
    }
};
SUITE_KERNEL(pointer_chase)
