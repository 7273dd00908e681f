/* cluster_shared: C[i] = A[i] + the element at the same place of the cluster's next block (after the last comes
   the first).

     cluster   it is read from that block's shared memory, across the network between multiprocessors
     global    it is loaded from A again, where the neighbour loaded it a moment ago: by way of the L2

   Both are launched as clusters of so many blocks, and both put their own elements into shared memory first;
   what differs is where the neighbour's come from. An element that would lie beyond the end counts as 0.
   Clusters start more slowly than blocks do: on an H200 2.8 ns apart if they are of one block, and of two some
   4 ns. */
#include "kernels/suite/suite.h"

struct cluster_shared : suite_kernel {
    enum { HOW, CLUSTER };
    enum { A, C };
    enum { OF_CLUSTER, GLOBAL };
    static constexpr bool block_level = true, clustered = true;
    static constexpr bool sampled = true; /* the next block is found by % */
    static constexpr int variants = 2;
    static int variant(const domain &d) { return (int)d.param[HOW]; }

    static void describe(kernel &k)
    {
        static const char *const ways[] = {"cluster", "global", nullptr};
        k.title = {"Shared memory of a cluster", "线程块簇的共享内存"};
        k.text = {"C[i] = A[i] + A[i'], i' at the same place of the cluster's next block",
                  "C[i] = A[i] + A[i']，i' 在簇中下一块的同一位置"};
        k.lesson = {"Data in a neighbouring block's shared memory need not be loaded twice.",
                    "相邻块已放在共享内存里的数据不必再读取一次。"};
        k.size[0] = 16777216;
        param_choice(k, HOW, "how",
                     {"where the neighbour's element comes from: its shared memory, or global memory",
                      "邻块的元素从哪里来：它的共享内存，或全局内存"},
                     ways);
        param_power_of_two(k, CLUSTER, "cluster", "blocks",
                           {"blocks a cluster; a grid is a multiple of it", "每簇的块数；网格是它的倍数"}, 1,
                           8, 2);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    static int architecture(const domain &) { return 90; }
    static uint64_t cluster(const domain &d) { return (uint64_t)d.param[CLUSTER]; }
    static text_pair untimed(const domain &)
    {
        return {"clusters of blocks are not modelled", "模型不含线程块簇"};
    }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        return d.block.x * element_bytes;
    }
    /* Whose elements are added to those of a block, in clusters of so many. */
    template <class I, class N> static HOST_DEVICE auto next_block(I block, N blocks)
    {
        return block - block % blocks + (block + 1) % blocks;
    }
    static traffic ledger(const domain &d)
    {
        traffic t = {d.n, d.n};
        uint64_t blocks = cluster(d), width = d.block.x, whole = d.n / (width * blocks) * (width * blocks);
        if (d.param[HOW] == OF_CLUSTER)
            return t;
        t.loads += whole;
        for (uint64_t i = whole; i < d.n; i++) /* of the last cluster, which may be incomplete */
            t.loads += next_block(i / width, blocks) * width + i % width < d.n;
        return t;
    }
    template <class Context> static BODY typename Context::T neighbours(Context &c)
    {
        typename Context::T other = 0;
        if constexpr (Context::variant == OF_CLUSTER) {
            other = c.load_cluster(1, c.thread_x());
        } else {
            auto i = next_block(c.block_x(), c.param(CLUSTER)) * c.block_dim_x() + c.thread_x();
            if (i < c.n)
                other = c.load(A, i);
        }
        return other;
    }
    template <class Context> static BODY void body(Context &c)
    {
        c.threads([&] {
            typename Context::T own = 0;
            if (c.global_x() < c.n)
                own = c.load(A, c.global_x());
            c.store_shared(c.thread_x(), own);
        });
        c.cluster_barrier();
        c.threads([&] {
            if (c.global_x() < c.n)
                c.store(C, c.global_x(), c.load_shared(c.thread_x()) + neighbours(c));
        });
        c.cluster_barrier(); /* no block exits while a neighbour reads its memory */
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t next = next_block(i / x.block_x, (uint64_t)x.param(CLUSTER)) * x.block_x + i % x.block_x;
        typename X::T value = x.input(A, i);
        if (next < x.n)
            value += x.input(A, next);
        return value;
    }
};
SUITE_KERNEL(cluster_shared)
