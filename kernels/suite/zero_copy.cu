/* zero_copy: C[i] = A[i], both in the host's memory, mapped for the device.

   Nothing is copied first: every load and store crosses the bus to the host by itself. What coalescing is worth
   there is worth more, since the bus is so much narrower than the device's own memory. */
#include "kernels/suite/suite.h"

struct zero_copy : suite_kernel {
    enum { LOAD };
    enum { A, C };
    static constexpr bool load_paths = true, host_memory = true;

    static void describe(kernel &k)
    {
        k.title = {"Mapped host memory", "映射的主机内存"};
        k.text = {"C[i] = A[i], A and C in the host's memory", "C[i] = A[i]，A 和 C 在主机内存里"};
        k.lesson = {"Data that is used once need not be copied first: either way is limited by the bus.",
                    "只用一次的数据不必先复制：两种方式都受限于总线，速度相同。"};
        param_load(k, LOAD);
        input(k, A, "A", "n elements, in the host's memory");
        output(k, C, "C", "n elements, in the host's memory, all written");
    }
    static memory memory_of(const domain &, int) { return MEMORY_HOST; }
    static text_pair untimed(const domain &)
    {
        return {"its arrays lie in the host's memory, and the bus is not modelled",
                "数组位于主机内存，模型不含总线"};
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, i));
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i) { return x.input(A, i); }
};
SUITE_KERNEL(zero_copy)
