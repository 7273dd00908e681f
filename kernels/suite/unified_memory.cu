/* unified_memory: C[i] = A[i], both in unified (managed) memory, whose pages move to the processor that touches
   them.

     resident     the pages are on the device already
     faults       they are on the host: the first access to each page waits until it has moved
     prefetched   they are on the host, and a call in the same stream moves them before the launch

   The pages are put there before each cold sample. Of warm launches in a row the first has moved them: those
   measure the memory alone. On a CPU all pages are the host's. */
#include "kernels/suite/suite.h"

struct unified_memory : suite_kernel {
    enum { PAGES };
    enum { A, C };
    static constexpr bool host_memory = true;

    static void describe(kernel &k)
    {
        static const char *const ways[] = {"resident", "faults", "prefetched", nullptr};
        k.title = {"Unified memory", "统一内存"};
        k.text = {"C[i] = A[i], A and C in managed memory", "C[i] = A[i]，A 和 C 在统一（managed）内存里"};
        k.lesson = {"Pages that are prefetched come as fast as a copy; pages that are waited for come one "
                    "fault after the other.",
                    "提前取来的页与复制一样快；等到访问时才取的页，要一次接一次地缺页。"};
        param_choice(k, PAGES, "pages",
                     {"where the pages lie before a cold launch: on the device, with the host until they are "
                      "touched, or with the host and prefetched",
                      "冷启动前页在哪里：已在设备上；在主机上，直到被访问；在主机上并预取"},
                     ways);
        input(k, A, "A", "n elements, managed");
        output(k, C, "C", "n elements, managed, all written");
    }
    static memory memory_of(const domain &, int) { return MEMORY_MANAGED; }
    static pages pages_before(const domain &d) { return (pages)d.param[PAGES]; }
    static text_pair untimed(const domain &d)
    {
        if (d.param[PAGES] == PAGES_RESIDENT)
            return {};
        return {"pages that move over the bus are not modelled", "模型不含经总线移动的页"};
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, i));
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i) { return x.input(A, i); }
};
SUITE_KERNEL(unified_memory)
