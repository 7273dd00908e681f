/* aosoa: an array of structures of arrays: tiles of `tile` x's followed by as many y's.

   Between aos (a tile of 1) and soa (one tile for all). From 8 elements of 4 bytes on, a field's part of a tile
   fills whole sectors, and all that is moved is used. */
#include "kernels/suite/suite.h"

struct aosoa : suite_kernel {
    enum { TILE };
    enum { IN, OUT };
    static constexpr bool sampled = true; /* a tile may not divide the block */

    static void describe(kernel &k)
    {
        k.title = {"Array of structures of arrays", "数组结构的数组"};
        k.text = {"out.x[i] = in.x[i] + 10, out.y[i] = in.y[i] + 20, `tile` elements of x, then of y",
                  "out.x[i] = in.x[i] + 10, out.y[i] = in.y[i] + 20，字段每 `tile` 个元素轮换"};
        k.lesson = {"The elements of a field need to be contiguous only within a sector: tiles of 32 bytes "
                    "are as good as one array.",
                    "一个字段只需在一个扇区的范围内相邻：32 字节的小段与一整个数组一样好。"};
        k.block = {128, 1, 1};
        param_power_of_two(k, TILE, "tile", "elements",
                           {"neighbouring elements of one field", "同一字段相邻元素的个数"}, 1, 1024, 8);
        input(k, IN, "in", "n pairs in whole tiles");
        output(k, OUT, "out", "n pairs in whole tiles, those of the first n written");
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int)
    {
        uint64_t tile = (uint64_t)d.param[TILE];
        return (d.n + tile - 1) / tile * 2 * tile;
    }
    static traffic ledger(const domain &d) { return {2 * d.n, 2 * d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        auto tile = c.param(TILE);
        if (i < c.n) {
            auto x = i / tile * (2 * tile) + i % tile, y = x + tile;
            auto in_x = c.load(IN, x), in_y = c.load(IN, y);
            c.store(OUT, x, in_x + 10);
            c.store(OUT, y, in_y + 20);
        }
    }
    template <class X> static HOST_DEVICE bool written(const X &x, int, uint64_t i)
    {
        uint64_t tile = (uint64_t)x.param(TILE);
        return i / (2 * tile) * tile + i % tile < x.n;
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(IN, i) + (i / (uint64_t)x.param(TILE) % 2 ? 20 : 10);
    }
};
SUITE_KERNEL(aosoa)
