/* lane_pattern: C[i] = A[where the pattern sends the lane].

   The textbook's diagrams, one warp at a time. Lanes are counted within the block.
     sequential  lane l asks for element l of its warp's 32
     permuted    the same 32 elements in reverse order: as good, the order within a warp does not matter
     shifted     11 elements further: 128 bytes that begin within a sector
     same_word   all lanes ask for one element
     scattered   lanes are 32 elements apart: each in a line of its own
     three_lines every second element, from the middle of a line on: of 4 bytes, a quarter of them lies in the line
                 before, half in the next, a quarter in the one after */
#include "kernels/suite/suite.h"

struct lane_pattern : suite_kernel {
    enum { PATTERN, LOAD };
    enum { A, C };
    enum { SEQUENTIAL, PERMUTED, SHIFTED, SAME_WORD, SCATTERED, THREE_LINES };
    static constexpr bool load_paths = true;
    static constexpr int shift = 11, scatter = 32, apart = 2, middle = 16;

    static void describe(kernel &k)
    {
        static const char *const patterns[] = {"sequential", "permuted",    "shifted", "same_word",
                                               "scattered",  "three_lines", nullptr};
        k.title = {"Which lanes ask for what", "各通道访问哪些数据"};
        k.text = {"C[i] = A[p(i)] with p by the pattern, warp by warp",
                  "C[i] = A[p(i)]，p 由模式决定，逐个线程束"};
        k.lesson = {
            "A warp's cost is the number of distinct sectors (lines) that its lanes touch, not their order.",
            "线程束一次访问的代价，是各通道碰到的不同扇区（缓存行）的个数，与次序无关。"};
        k.size[0] = 32;
        k.block = {32, 1, 1};
        param_choice(k, PATTERN, "pattern",
                     {"which element of A each lane of a warp asks for", "线程束的各通道访问 A 的哪个元素"},
                     patterns);
        param_load(k, LOAD);
        input(k, A, "A",
              "what the pattern needs: n + 32 elements, 32 n when scattered, 2 n + 16 over three lines");
        output(k, C, "C", "n elements, all written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        if (buffer == C)
            return d.n;
        return d.param[PATTERN] == SCATTERED     ? d.n * scatter
               : d.param[PATTERN] == THREE_LINES ? d.n * apart + middle
                                                 : d.n + 32;
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        auto lane = c.thread_x() % 32;
        if (i < c.n) {
            auto pattern = c.param(PATTERN);
            auto k = i;
            if (pattern == PERMUTED)
                k = i - lane + (lane * -1 + 31);
            else if (pattern == SHIFTED)
                k = i + shift;
            else if (pattern == SAME_WORD)
                k = i - lane;
            else if (pattern == SCATTERED)
                k = i * scatter;
            else if (pattern == THREE_LINES)
                k = i * apart + middle;
            c.store(C, i, c.load(A, k));
        }
    }
    /* Which element depends on the lane, and so on the block's width: it is part of the definition. */
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t lane = i % x.block_x % 32;
        switch (x.param(PATTERN)) {
        case PERMUTED:
            return x.input(A, i - lane + 31 - lane);
        case SHIFTED:
            return x.input(A, i + shift);
        case SAME_WORD:
            return x.input(A, i - lane);
        case SCATTERED:
            return x.input(A, i * scatter);
        case THREE_LINES:
            return x.input(A, i * apart + middle);
        }
        return x.input(A, i);
    }
};
SUITE_KERNEL(lane_pattern)
