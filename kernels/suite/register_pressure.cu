/* register_pressure: C[i] = the sum over k < values of v[k] * (s + k), with v[k] = A[i + k] and s their sum.

   Every v[k] is used again once the sum of all is known, so a thread has to keep them: in registers, which then
   limit how many warps fit a multiprocessor; or, where the launch bounds ask for room for all its threads or a cap
   leaves fewer registers, in local memory. How many threads a multiprocessor holds differs by architecture:
   kernels/device/cuda_way.h asks __CUDA_ARCH__, which the compiler defines anew for each (750, 860, 900). On the CPU
   the bounds mean nothing. */
#include "kernels/suite/suite.h"

struct register_pressure : suite_kernel {
    enum { VALUES, BOUNDS };
    enum { A, C };
    enum { NONE, FULL, CAP_64, CAP_32 };
    static constexpr unsigned dtypes = I32 | F64; /* exact in these */
    static constexpr int max_threads = 256;
    /* 16, 32, 64, 128 values, each with none and full; behind these, each with the two caps. */
    static constexpr int variants = 16;
    static int variant(const domain &d)
    {
        int bounds = (int)d.param[BOUNDS];
        return bounds / 2 * 8 + 2 * log_2(d.param[VALUES] / 16) + bounds % 2;
    }
    static HOST_DEVICE constexpr int bounds_of(int variant) { return variant / 8 * 2 + variant % 2; }
    static HOST_DEVICE constexpr int min_blocks(int variant)
    {
        return bounds_of(variant) == FULL ? 2048 / max_threads : 0;
    }
    static HOST_DEVICE constexpr int max_registers(int variant)
    {
        return bounds_of(variant) == CAP_64 ? 64 : bounds_of(variant) == CAP_32 ? 32 : 0;
    }

    static void describe(kernel &k)
    {
        static const char *const bounds[] = {"none", "full", "cap_64", "cap_32", nullptr};
        k.title = {"Registers against occupancy", "寄存器与占用率"};
        k.text = {"C[i] = the sum over k < values of v[k] * (s + k); v[k] = A[i + k], s their sum",
                  "C[i] = 对 k < values 求和 v[k] * (s + k)；v[k] = A[i + k]，s 是它们的和"};
        k.lesson = {"Registers of a thread are warps that do not fit; fewer registers than needed cost "
                    "accesses to memory.",
                    "每个线程占用的寄存器越多，驻留的线程束越少；寄存器不够用，就要多访问内存。"};
        param_power_of_two(k, VALUES, "values", "elements",
                           {"values that a thread keeps at once", "一个线程同时保留的值的个数"}, 16, 128, 16);
        param_choice(
            k, BOUNDS, "bounds",
            {"for how many threads the compiler must leave registers: none asks nothing; full, by "
             "launch bounds, for all threads of a multiprocessor (2048, where __CUDA_ARCH__ is 750 "
             "1024, where it is 860, 870, 890 or 1200 and above 1536); with cap_64 and cap_32 no "
             "thread takes more than 64 and 32. Below it the compiler may raise their number. On the "
             "CPU of no effect",
             "要求编译器为多少线程留出寄存器：none 不作要求；full 由启动边界保证多处理器能放满线程"
             "（2048 个；__CUDA_ARCH__ 为 750 时 1024 个，为 860、870、890 或不小于 1200 时 1536 "
             "个）；cap_64、cap_32 规定每线程至多 64、32 个。未到上限时编译器也可能多用一些。"
             "在 CPU 上无效"},
            bounds);
        input(k, A, "A", "n + values elements");
        output(k, C, "C", "n elements, all written");
    }
    static kernel_problem refuse(const domain &d, dtype)
    {
        kernel_problem problem = {};
        if (d.block.x > max_threads) {
            problem.pointer = "#/block";
            snprintf(
                problem.detail, sizeof problem.detail,
                "at most %d threads, the launch bounds that the kernel is compiled with; is %llu. CUDA says "
                "\"invalid argument\" to more",
                max_threads, (unsigned long long)d.block.x);
        }
        return problem;
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return buffer == A ? d.n + (uint64_t)d.param[VALUES] : d.n;
    }
    static traffic ledger(const domain &d) { return {d.n * (uint64_t)d.param[VALUES], d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        constexpr int values = 16 << Context::variant % 8 / 2;
        auto i = c.global_x();
        if (i < c.n) {
            typename Context::T v[values], sum = 0, result = 0;
            UNROLL_ALL
            for (int k = 0; k < values; k++) {
                v[k] = c.load(A, i + k);
                sum = sum + v[k];
            }
            UNROLL_ALL
            for (int k = 0; k < values; k++)
                result = result + v[k] * (sum + k);
            c.store(C, i, result);
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        typename X::T sum = 0, weighted = 0;
        for (uint64_t k = 0; k < (uint64_t)x.param(VALUES); k++) {
            sum += x.input(A, i + k);
            weighted += x.input(A, i + k) * (typename X::T)k;
        }
        return sum * sum + weighted;
    }
};
SUITE_KERNEL(register_pressure)
