/* l2_persistence: C[i] = A[i] + B[i % table], B kept in the L2 or not.

   Between two reads of an element of B, A and C stream a table's length each through the L2. Once the three do
   not fit, B is brought from DRAM again and again, unless the part of the L2 that is set aside keeps it (an
   access policy window over B, cudaLaunchAttributeAccessPolicyWindow). */
#include "kernels/suite/suite.h"

struct l2_persistence : suite_kernel {
    enum { TABLE, KEEP };
    enum { A, B, C };
    enum { NO, YES };
    static constexpr bool sampled = true; /* the table begins again within a block */

    static void describe(kernel &k)
    {
        static const char *const no_or_yes[] = {"no", "yes", nullptr};
        k.title = {"Data that stays in the L2", "留在 L2 里"};
        k.text = {"C[i] = A[i] + B[i % table]"};
        k.lesson = {"Reused data can be protected from streaming data, as far as the part of the L2 that can "
                    "be set aside goes.",
                    "还要再用的数据可以不被只用一次的数据逐出，只要 L2 中可预留的部分装得下。"};
        k.size[0] = 67108864;
        param_integer(k, TABLE, "table", "elements", {"length of B", "B 的长度"}, 1, INT64_C(1) << 28,
                      4194304);
        param_choice(k, KEEP, "keep",
                     {"whether a part of the L2 is set aside for B", "是否为 B 预留 L2 的一部分"}, no_or_yes);
        input(k, A, "A", "n elements");
        input(k, B, "B", "table elements");
        output(k, C, "C", "n elements, all written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return buffer == B ? (uint64_t)d.param[TABLE] : d.n;
    }
    static int architecture(const domain &d) { return d.param[KEEP] == YES ? 80 : 0; }
    static int l2_persisting(const domain &d) { return d.param[KEEP] == YES ? B : -1; }
    static text_pair untimed(const domain &d)
    {
        if (d.param[KEEP] != YES)
            return {};
        return {"a part of the L2 that is set aside is not modelled", "模型不含 L2 中预留的部分"};
    }
    static traffic ledger(const domain &d) { return {2 * d.n, d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, i) + c.load(B, i % c.param(TABLE)));
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(A, i) + x.input(B, i % (uint64_t)x.param(TABLE));
    }
};
SUITE_KERNEL(l2_persistence)
