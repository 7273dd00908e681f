/* transpose: C[x][y] = A[y][x].

     naive_row     loads run along rows, stores along columns: each lane stores into a sector of its own
     naive_column  the other way round
     shared        a tile the size of the block goes through shared memory: loads and stores both run along rows, and the
                   lanes of a warp meet in a column of the tile: in one bank when the block is 32 wide
     padded        with a column that nobody uses, so that a column's elements lie in different banks
     swizzled      the same by turning each row of the tile one further, with no memory for it

   A tile is as wide and high as the block, so that rows of C are written in pieces of the block's height. */
#include "kernels/suite/suite.h"

struct transpose : suite_kernel {
    enum { HOW };
    enum { A, C };
    enum { NAIVE_ROW, NAIVE_COLUMN, SHARED, PADDED, SWIZZLED };
    static constexpr bool block_level = true;
    static constexpr int variants = 5;
    static int variant(const domain &d) { return (int)d.param[HOW]; }

    static void describe(kernel &k)
    {
        static const char *const ways[] = {"naive_row", "naive_column", "shared",
                                           "padded",    "swizzled",     nullptr};
        k.title = {"Matrix transpose", "矩阵转置"};
        k.text = {"C[x][y] = A[y][x], naive by row or column, or by tiles in shared memory",
                  "C[x][y] = A[y][x]，直接按行或按列，或经共享内存分块"};
        k.lesson = {"Shared memory turns a strided access into two coalesced ones; its banks then need the "
                    "same care.",
                    "共享内存把一次跨步访问变成两次合并访问；但随后还要留意存储体冲突。"};
        k.dims = k.grid_dims = k.block_dims = 2;
        k.size[0] = k.size[1] = 4096;
        k.block = {32, 32, 1};
        param_choice(k, HOW, "how", {"the way it is done", "做法"}, ways);
        input(k, A, "A", "rows x columns elements");
        output(k, C, "C", "columns x rows elements, all written");
    }
    static shape cover(const domain &d)
    {
        return d.param[HOW] == NAIVE_COLUMN ? shape{d.rows, d.columns, 1} : shape{d.columns, d.rows, 1};
    }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        int64_t how = d.param[HOW];
        return how < SHARED ? 0 : (d.block.x + (how == PADDED)) * d.block.y * element_bytes;
    }

    /* Where the tile keeps what column x of its row y is. */
    template <class Context, class I> static BODY auto place(Context &c, I x, I y)
    {
        if constexpr (Context::variant == PADDED)
            return y * (c.block_dim_x() + 1) + x;
        else if constexpr (Context::variant == SWIZZLED)
            return y * c.block_dim_x() + (x + y) % c.block_dim_x();
        else
            return y * c.block_dim_x() + x;
    }
    template <class Context> static BODY void tiled(Context &c)
    {
        c.threads([&] {
            auto x = c.global_x(), y = c.global_y();
            if (x < c.columns && y < c.rows)
                c.store_shared(place(c, c.thread_x(), c.thread_y()), c.load(A, y * c.columns + x));
        });
        c.barrier();
        c.threads([&] {
            auto thread = c.thread_y() * c.block_dim_x() + c.thread_x();
            auto tile_x = thread / c.block_dim_y(), tile_y = thread % c.block_dim_y();
            auto x = c.block_x() * c.block_dim_x() + tile_x, y = c.block_y() * c.block_dim_y() + tile_y;
            if (x < c.columns && y < c.rows)
                c.store(C, x * c.rows + y, c.load_shared(place(c, tile_x, tile_y)));
        });
    }
    template <class Context> static BODY void body(Context &c)
    {
        if constexpr (Context::variant == NAIVE_ROW)
            c.threads([&] {
                auto x = c.global_x(), y = c.global_y();
                if (x < c.columns && y < c.rows)
                    c.store(C, x * c.rows + y, c.load(A, y * c.columns + x));
            });
        else if constexpr (Context::variant == NAIVE_COLUMN)
            c.threads([&] {
                auto y = c.global_x(), x = c.global_y();
                if (x < c.columns && y < c.rows)
                    c.store(C, x * c.rows + y, c.load(A, y * c.columns + x));
            });
        else
            tiled(c);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        return x.input(A, i % x.rows * x.columns + i / x.rows);
    }
};
SUITE_KERNEL(transpose)
