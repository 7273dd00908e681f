/* read_const: C[i] = A[i] + K[w], K in constant memory.

   Constant memory answers a warp with one word at a time. When all lanes ask for the same word that is all they
   need; when each asks for its own, 32 answers come one after the other. Its loads have a path of their own:
   they are not among the global loads that are counted and predicted. */
#include "kernels/suite/suite.h"

struct read_const : suite_kernel {
    enum { WORD };
    enum { A, C };
    enum { ONE, LANES };

    static void describe(kernel &k)
    {
        static const char *const words[] = {"one", "lanes", nullptr};
        k.title = {"Constant memory", "常量内存"};
        k.text = {"C[i] = A[i] + K[w]; one: w is the warp's number in its block, lanes: the thread's",
                  "C[i] = A[i] + K[w]；one：w 是线程束在块内的编号，lanes：线程的编号"};
        k.lesson = {"Constant memory is for words that all lanes of a warp read at once: 32 different words "
                    "cost 32 times as much as one.",
                    "常量内存适合整个线程束同时读的内容：读 32 个不同的字，代价是读一个字的 32 倍。"};
        param_choice(k, WORD, "word",
                     {"whether the lanes of a warp ask for one word of K, or each for its own",
                      "线程束的各通道读 K 的同一个字，还是各读一个字"},
                     words);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        auto w = c.thread_x();
        if (c.param(WORD) == ONE)
            w = w / 32;
        if (i < c.n)
            c.store(C, i, c.load(A, i) + c.constant(w));
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t thread = i % x.block_x;
        return x.input(A, i) + (typename X::T)constant_value(x.param(WORD) == ONE ? thread / 32 : thread);
    }
};
SUITE_KERNEL(read_const)
