/* peer_read: C[i] = A[i], A in another GPU's memory: access j of `width` elements reads A's access offset + j *
   stride.

   Each load crosses the link by itself, in whole sectors: what is not used of them is carried all the same,
   over something far narrower than the device's own memory. Needs access to the peer. */
#include "kernels/suite/wide.h"

struct peer_read : width_by_parameter<2> {
    enum { OFFSET, STRIDE, WIDTH };
    enum { A, C };
    static constexpr bool peer = true;

    static void describe(kernel &k)
    {
        k.title = {"Reading another GPU's memory", "读取另一个 GPU 的内存"};
        k.text = {
            "C = A in accesses of `width` elements; access j reads A's access offset + j x stride, over "
            "the link",
            "C = A，每次访问 `width` 个元素；第 j 次访问经链路读 A 的第 offset + j x stride 次访问的位置"};
        k.lesson = {
            "Over a link an unused byte of a sector costs as much as a used one, and the link is narrow.",
            "经过链路时，扇区里没有用到的字节与用到的字节代价相同，而链路的带宽有限。"};
        param_integer(k, OFFSET, "offset", "accesses",
                      {"how far into A the first access lies", "第一次访问在 A 中的位置"}, 0, 65536, 0);
        param_integer(k, STRIDE, "stride", "accesses",
                      {"distance between the loads of neighbouring threads", "相邻线程的读取之间的距离"}, 1,
                      1024, 1);
        describe_width(k, 1);
        input(k, A, "A", "in the peer's memory, up to the last that is read");
        output(k, C, "C", "n elements, all written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        uint64_t width = (uint64_t)d.param[WIDTH], accesses = (d.n + width - 1) / width;
        return buffer == C
                   ? d.n
                   : ((uint64_t)d.param[OFFSET] + (accesses - 1) * (uint64_t)d.param[STRIDE] + 1) * width;
    }
    static memory memory_of(const domain &, int buffer) { return buffer == A ? MEMORY_PEER : MEMORY_OWN; }
    template <class Context> static BODY void body(Context &c)
    {
        constexpr int width = 1 << Context::variant;
        if constexpr (width * Context::element_bytes <= access_most) {
            auto j = c.global_x();
            auto from = j * c.param(STRIDE) + c.param(OFFSET);
            if (j * width + (width - 1) < c.n) {
                c.store_wide(C, j, c.template load_wide<width>(A, from));
            } else {
                for (int u = 0; u < width - 1; u++)
                    if (j * width + u < c.n)
                        c.store(C, j * width + u, c.load(A, from * width + u));
            }
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t width = (uint64_t)x.param(WIDTH), j = i / width;
        return x.input(A, (j * (uint64_t)x.param(STRIDE) + (uint64_t)x.param(OFFSET)) * width + i % width);
    }
};
SUITE_KERNEL(peer_read)
