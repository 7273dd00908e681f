/* store_pattern: C[where the pattern sends i] = A[i].

   Loads are coalesced in all of them; what differs is where a warp's stores go.
     aligned    to i: whole segments
     across     11 elements further: a warp begins within a segment, and touches one more
     scattered  to a place that a permutation gives, among `within` elements: 32 of them are a warp's own, in another order
     strided    `stride` elements apart
     three_segments  11, 11 and 10 of 32 neighbours each at the beginning of 128 elements of their own: three segments
                of 32 bytes in three lines where an element has 1 or 2 bytes
   Stores leave in segments of 32 bytes on every architecture: a warp's 32 elements are one segment of u8, two
   of u16, four of 4 bytes, eight of 8. */
#include "kernels/suite/suite.h"

struct store_pattern : suite_kernel {
    enum { PATTERN, STRIDE, WITHIN };
    enum { A, C };
    enum { ALIGNED, ACROSS, SCATTERED, STRIDED, THREE_SEGMENTS };
    static constexpr bool sampled = true; /* what is permuted may not divide the block */
    static constexpr unsigned dtypes = F32 | F64 | I32 | U8 | U16;
    static constexpr int shift = 11, half_bits = 12;
    static constexpr uint64_t warp = 32, together = 11, apart = 128, spread = 3 * apart; /* three_segments */
    static constexpr int variants = 5;
    static int variant(const domain &d) { return (int)d.param[PATTERN]; }

    static void describe(kernel &k)
    {
        static const char *const patterns[] = {"aligned", "across",         "scattered",
                                               "strided", "three_segments", nullptr};
        k.title = {"Stores by pattern", "各种模式的写入"};
        k.text = {"C[p(i)] = A[i] with p by the pattern", "C[p(i)] = A[i]，p 由模式决定"};
        k.lesson = {"The cost of a store is the number of 32-byte segments that its warp touches, not their "
                    "order; partly written segments are moved whole.",
                    "写入的代价是线程束碰到的 32 字节段的个数，与次序无关；只写一部分也要整段搬运。"};
        param_choice(k, PATTERN, "pattern",
                     {"where the elements of a warp are stored", "一个线程束的元素写到哪里"}, patterns);
        param_integer(k, STRIDE, "stride", "elements",
                      {"distance between the stores of neighbouring threads (strided)",
                       "相邻线程的写入之间的距离（strided）"},
                      1, 1024, 2);
        param_power_of_two(k, WITHIN, "within", "elements",
                           {"neighbouring elements that change places among themselves (scattered)",
                            "彼此交换位置的相邻元素的个数（scattered）"},
                           32, 1 << 2 * half_bits, 1024);
        input(k, A, "A", "n elements");
        output(k, C, "C", "what the pattern needs: n elements are written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        uint64_t within = (uint64_t)d.param[WITHIN];
        if (buffer == A || d.param[PATTERN] == ALIGNED)
            return d.n;
        return d.param[PATTERN] == ACROSS           ? d.n + shift
               : d.param[PATTERN] == SCATTERED      ? (d.n + within - 1) / within * within
               : d.param[PATTERN] == THREE_SEGMENTS ? (d.n + warp - 1) / warp * spread
                                                    : (d.n - 1) * (uint64_t)d.param[STRIDE] + 1;
    }

    /* A permutation of 0 to count - 1, a power of two: to fold the upper half of the bits into the lower is
       undone by doing it again, an odd factor by the factor that makes 1 of it (modulo 2^32). */
    enum : uint32_t { FACTOR = 0x9E3779B1u, UNDOES_FACTOR = 0x0E8B2F51u };
    static_assert((uint32_t)FACTOR * UNDOES_FACTOR == 1, "the one undoes the other");
    static HOST_DEVICE uint64_t permuted(uint64_t at, uint64_t count, uint32_t factor)
    {
        uint32_t place = (uint32_t)at;
        place ^= place >> half_bits;
        place = place * factor & (uint32_t)(count - 1);
        return place ^ place >> half_bits;
    }
    template <class Context> static BODY auto place(Context &c, typename Context::I i)
    {
        if constexpr (Context::variant == ACROSS) {
            return i + shift;
        } else if constexpr (Context::variant == STRIDED) {
            return i * c.param(STRIDE);
        } else if constexpr (Context::variant == SCATTERED) {
            auto in = i % c.param(WITHIN);
            auto within = (uint64_t)c.param(WITHIN);
            return i - in + c.computed(in, [=](uint64_t at) { return permuted(at, within, FACTOR); });
        } else if constexpr (Context::variant == THREE_SEGMENTS) {
            auto in = i % (int64_t)warp;
            return (i - in) * (int64_t)(spread / warp) +
                   c.computed(in, [](uint64_t at) { return at / together * apart + at % together; });
        } else {
            return i;
        }
    }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, place(c, i), c.load(A, i));
    }
    /* Whose value element k of C is; n or more: nobody's. */
    template <class X> static HOST_DEVICE uint64_t source(const X &x, uint64_t k)
    {
        uint64_t stride = (uint64_t)x.param(STRIDE), within = (uint64_t)x.param(WITHIN);
        uint64_t lane = k % spread / apart * together + k % apart;
        switch (x.param(PATTERN)) {
        case ACROSS:
            return k < shift ? x.n : k - shift;
        case SCATTERED:
            return k - k % within + permuted(k % within, within, UNDOES_FACTOR);
        case STRIDED:
            return k % stride ? x.n : k / stride;
        case THREE_SEGMENTS:
            return k % apart >= together || lane >= warp ? x.n : lane + k / spread * warp;
        }
        return k;
    }
    template <class X> static HOST_DEVICE bool written(const X &x, int, uint64_t k)
    {
        return source(x, k) < x.n;
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t k)
    {
        return x.input(A, source(x, k));
    }
};
SUITE_KERNEL(store_pattern)
