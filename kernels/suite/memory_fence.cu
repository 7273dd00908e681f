/* memory_fence: each thread passes a message on to the thread at the same place of the next block.

   B[i] = A[i] is the message, F[i] = 1 the flag behind it. The thread of the next block has looked at the message
   before, so that its line lies in the L1; it waits for the flag and then reads the message. Flags are volatile: each
   look goes to the L2, and is no value that a register still has. Without __threadfence() nothing orders message and
   flag, in the thread that writes them and in the one that reads them: the flag may overtake the message, or an old
   message come from the L1, and the output is wrong. Who waits in vain reads A itself. The flags stay set:
   launches after the first do not wait. The CPU's threads look once, its flags release and acquire, and no order is lost. */
#include "kernels/suite/suite.h"

struct memory_fence : suite_kernel {
    enum { FENCE, LOAD };
    enum { A, B, F, C };
    enum { THREADFENCE, NONE };
    static constexpr unsigned dtypes = I32;
    static constexpr bool load_paths = true;
    static constexpr bool sampled = true; /* a thread looks at its flag until another has set it */
    static constexpr int variants = 2, looks = 1 << 14;
    static int variant(const domain &d) { return (int)d.param[FENCE]; }

    static void describe(kernel &k)
    {
        static const char *const fences[] = {"threadfence", "none", nullptr};
        k.title = {"A message, a flag and a fence", "消息、标志与内存栅栏"};
        k.text = {"B[i] = A[i], then F[i] = 1; C[i] = B[i - block], once F[i - block] = 1 was seen",
                  "B[i] = A[i]，然后 F[i] = 1；看到 F[i - block] = 1 后 C[i] = B[i - block]"};
        k.lesson = {
            "A flag that was seen says nothing about data before it, unless __threadfence() stands between "
            "them on both sides. volatile makes each access happen, but orders nothing.",
            "看到标志，并不说明它之前的数据也看得到，除非双方都在两者之间调用 "
            "__threadfence()。volatile 保证每次访问都真正发生，但不保证次序。"};
        param_choice(
            k, FENCE, "fence",
            {"what stands between message and flag: __threadfence(), or nothing, and then wrong elements "
             "are the messages that were read too early",
             "消息与标志之间有什么：__threadfence()，或什么也没有；后者出错的元素就是读得过早的消息"},
            fences);
        param_load(k, LOAD);
        input(k, A, "A", "n elements");
        output(k, B, "B", "n messages");
        output(k, F, "F", "n flags");
        output(k, C, "C", "n elements, all written");
    }
    static kernel_problem refuse(const domain &d, dtype)
    {
        kernel_problem problem = {};
        if (d.param[LOAD] == LOAD_LDG) {
            problem.pointer = "#/load";
            snprintf(problem.detail, sizeof problem.detail,
                     "the read-only path (ldg) is not for data that is written in the same launch");
        }
        return problem;
    }
    static text_pair untimed(const domain &)
    {
        return {"how long a thread waits for another block is not modelled",
                "模型不含线程等待另一个块的时间"};
    }
    static traffic ledger(const domain &d)
    {
        return {d.n + (d.n > d.block.x ? 3 * (d.n - d.block.x) : 0), 3 * d.n};
    }
    template <class Context> static BODY void fence(Context &c)
    {
        if constexpr (Context::variant == THREADFENCE)
            c.fence();
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            auto j = i - c.block_dim_x();
            if (c.block_x() > 0)
                c.touch(B, j);
            auto message = c.load(A, i);
            c.store(B, i, message);
            fence(c);
            c.store_volatile(F, i, 1);
            if (c.block_x() > 0) {
                bool seen = c.await(F, j, 1, looks);
                fence(c);
                message = seen ? c.load(B, j) : c.load(A, j);
            }
            c.store(C, i, message);
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int buffer, uint64_t i)
    {
        uint64_t from = buffer == C && i >= x.block_x ? i - x.block_x : i;
        return buffer == F ? (typename X::T)1 : x.input(A, from);
    }
};
SUITE_KERNEL(memory_fence)
