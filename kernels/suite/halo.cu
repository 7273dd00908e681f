/* halo: C[y][x] = the four neighbours of a place in A, less four times what is there: the difference operator
   in a plane.

     direct  each thread loads its five elements
     shared  a block loads its tile with a rim of one element once, and takes the five from shared memory

   A has a border of one element, so that every place has its neighbours, and whole blocks, so that no tile ends
   early. Rows of the rim are coalesced; its columns are an element of a line each. Narrow blocks have much rim
   for little tile. */
#include "kernels/suite/suite.h"

struct halo : suite_kernel {
    enum { HOW };
    enum { A, C };
    enum { DIRECT, SHARED };
    static constexpr bool block_level = true;
    static constexpr int variants = 2;
    static int variant(const domain &d) { return (int)d.param[HOW]; }

    static void describe(kernel &k)
    {
        static const char *const ways[] = {"direct", "shared", nullptr};
        k.title = {"Tiles with a halo", "带边缘的分块"};
        k.text = {"C[y][x] = A[y][x+1] + A[y+1][x] + A[y+1][x+2] + A[y+2][x+1] - 4 A[y+1][x+1]"};
        k.lesson = {"Shared memory saves loads, not bytes of memory: the neighbouring elements are in the L1 "
                    "already.",
                    "共享内存省下的是读取次数，而不是来自显存的字节：相邻的元素已经在 L1 里。"};
        k.dims = k.grid_dims = k.block_dims = 2;
        k.size[0] = k.size[1] = 4096;
        k.block = {32, 8, 1};
        param_choice(k, HOW, "how",
                     {"whether neighbours come by loads, or by a tile in shared memory",
                      "相邻元素来自读取，还是来自共享内存里的分块"},
                     ways);
        input(k, A, "A", "rows and columns of whole blocks, and two more of each");
        output(k, C, "C", "rows x columns elements, all written");
    }
    static shape cover(const domain &d) { return {d.columns, d.rows, 1}; }
    static HOST_DEVICE uint64_t tiles(uint64_t length, uint64_t block)
    {
        return (length + block - 1) / block;
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        if (buffer == C)
            return d.n;
        return (tiles(d.rows, d.block.y) * d.block.y + 2) * (tiles(d.columns, d.block.x) * d.block.x + 2);
    }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        return d.param[HOW] == SHARED ? (d.block.x + 2) * (d.block.y + 2) * element_bytes : 0;
    }
    static traffic ledger(const domain &d)
    {
        if (d.param[HOW] == DIRECT)
            return {5 * d.n, d.n};
        uint64_t blocks = tiles(d.rows, d.block.y) * tiles(d.columns, d.block.x);
        return {blocks * (d.block.x + 2) * (d.block.y + 2), d.n};
    }
    /* From a row of A to the next. */
    template <class Context> static BODY auto pitch_of(Context &c)
    {
        return (c.columns + c.block_dim_x() - 1) / c.block_dim_x() * c.block_dim_x() + 2;
    }
    template <class T> static BODY T difference(T up, T left, T right, T down, T here)
    {
        return up + left + right + down - 4 * here;
    }
    template <class Context> static BODY void direct(Context &c)
    {
        c.threads([&] {
            auto x = c.global_x(), y = c.global_y();
            auto pitch = pitch_of(c);
            if (x < c.columns && y < c.rows) {
                auto i = y * pitch + x;
                auto up = c.load(A, i + 1), left = c.load(A, i + pitch), here = c.load(A, i + pitch + 1),
                     right = c.load(A, i + pitch + 2), down = c.load(A, i + pitch * 2 + 1);
                c.store(C, y * c.columns + x, difference(up, left, right, down, here));
            }
        });
    }
    /* Thread by thread along the rows of the tile with its rim: whole rounds, then what is left. */
    template <class Context> static BODY void fill(Context &c)
    {
        auto width = c.block_dim_x() + 2, all = width * (c.block_dim_y() + 2);
        auto threads = c.block_dim_x() * c.block_dim_y();
        auto thread = c.thread_y() * c.block_dim_x() + c.thread_x();
        auto pitch = pitch_of(c);
        auto first_x = c.block_x() * c.block_dim_x(), first_y = c.block_y() * c.block_dim_y();
        typename Context::I place = thread;
        auto move = [&] {
            auto i = (first_y + place / width) * pitch + first_x + place % width;
            c.store_shared(place, c.load(A, i));
            place += threads;
        };
        if (first_x < c.columns && first_y < c.rows) {
            c.each_step(all / threads, move);
            if (thread < all % threads)
                move();
        }
    }
    template <class Context> static BODY void tiled(Context &c)
    {
        c.threads([&] { fill(c); });
        c.barrier();
        c.threads([&] {
            auto x = c.global_x(), y = c.global_y();
            auto width = c.block_dim_x() + 2, i = c.thread_y() * width + c.thread_x();
            if (x < c.columns && y < c.rows) {
                auto up = c.load_shared(i + 1), left = c.load_shared(i + width),
                     here = c.load_shared(i + width + 1), right = c.load_shared(i + width + 2),
                     down = c.load_shared(i + width * 2 + 1);
                c.store(C, y * c.columns + x, difference(up, left, right, down, here));
            }
        });
    }
    template <class Context> static BODY void body(Context &c)
    {
        if constexpr (Context::variant == SHARED)
            tiled(c);
        else
            direct(c);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t pitch = tiles(x.columns, x.block_x) * x.block_x + 2;
        uint64_t here = (i / x.columns + 1) * pitch + i % x.columns + 1;
        return x.input(A, here - pitch) + x.input(A, here + pitch) + x.input(A, here - 1) +
               x.input(A, here + 1) - 4 * x.input(A, here);
    }
};
SUITE_KERNEL(halo)
