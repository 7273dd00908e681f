/* pointer_chase: where each chain is after `steps` loads that wait for one another (chase.h).

   Time over steps is the latency of a load from wherever A fits: its size is the footprint. */
#include "kernels/suite/chase.h"

struct pointer_chase : chase {
    static void describe(kernel &k)
    {
        k.title = {"Latency by footprint", "延迟与数据大小"};
        k.lesson = {"Time over steps is the latency of the cache that the footprint fits into.",
                    "每一步的时间就是放得下这些数据的那一级缓存的延迟。"};
        describe_chase(k, "n elements: the element that comes next");
    }
};
SUITE_KERNEL(pointer_chase)
