/* peer_chase: pointer_chase through another GPU's memory.

   Time over steps is the latency of a load that crosses the link both ways. Needs access to the peer. */
#include "kernels/suite/chase.h"

struct peer_chase : chase {
    static constexpr bool peer = true;

    static void describe(kernel &k)
    {
        k.title = {"Latency of another GPU's memory", "访问另一个 GPU 内存的延迟"};
        k.lesson = {"Time over steps is the latency of a load over the link and back.",
                    "每一步的时间就是一次读取经链路往返的时间。"};
        describe_chase(k, "n elements in the peer's memory: the element that comes next");
    }
    static memory memory_of(const domain &, int buffer) { return buffer == A ? MEMORY_PEER : MEMORY_OWN; }
};
SUITE_KERNEL(peer_chase)
