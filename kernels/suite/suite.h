/* What a kernel's file is written with. The file says everything about the kernel once; the header that its
   stub includes first (table_way.h in this folder, <kind>_way.h in the folder of the devices) decides what
   SUITE_KERNEL makes of it.

   A file holds one struct, named as the file and derived from suite_kernel, with

     enum { STRIDE, LOAD };   its parameters, if it has any
     enum { A, C };           its buffers
     describe(k)              text, parameters, buffers and defaults: param_integer(k, STRIDE, "stride", ...),
                              input(k, A, "A", ...). Both in the order of their enum, which is checked
     dtypes                   the element types it is compiled for, a mask
     elements(d, buffer)      elements of a buffer             (default: n)
     cover(d)                 threads that cover the domain    (default: n in x); in loops over the grid, the widest of them
     ledger(d)                elements loaded and stored, for those really touched (default: n and n)
     body(c)                  what one thread does, over a context c (below)
     written(x, buffer, i)    whether output element i is (default: true); if not, it must not be touched
     expected(x, buffer, i)   what it must be then, from the generator x.input(buffer, index) alone and without
                              looking at the body

   and, where the defaults in suite_kernel do not fit, the other members that are listed there.

   A context offers this and nothing else. b is a buffer by its enumerator, i, j and k are indices, v is a
   value. The test tests/model/vocabulary.cu uses each of it in every context.

     Context::T, Context::I   the type of a value and of an index
     Context::variant         which variant is compiled (with `variants`)
     Context::element_bytes   bytes of an element
     c.n, c.rows, c.columns, c.param(STRIDE)                     of the experiment
     c.thread_x(), c.block_x(), c.block_dim_x(), c.global_x()    coordinates; global is block * block_dim + thread;
     c.thread_y(), c.block_y(), c.block_dim_y(), c.global_y()    there is no z
     c.load(b, i)             one machine access, by the load path that the request chose
     c.load_ldg(b, i)         the same by the read-only path, whatever the request says
     c.load_wide<W>(b, j)     W elements from W * j on as a wide<T, W>, in one access of at most 16 bytes
     c.store(b, i, v), c.store_wide(b, j, w)
     c.atomic_add(b, i, v)    of 4 or 8 bytes
     c.constant(k)            word k of constant memory, as a value; k below CONSTANTS
     c.index_of(v), c.value_of(i)     an index that was read from memory (divide the index, not the value: the model
                              divides values as doubles), and a value that is an index
     c.computed(i, f)         the index f(i), where f is any function from uint64_t to uint64_t
     c.each_step(count, f)    f() so many times, one after the other
     c.compute(count, f)      the same where f accesses no memory

   only where the body is a block's (block_level):

     c.threads(f)             f() in each thread of the block
     c.barrier()              what threads of the block stored before it, others may load after it
     c.load_shared(i), c.store_shared(i, v)    the block's shared memory, in elements
     c.atomic_add_shared(i, v)
     c.warp_sum(f, g)         outside of c.threads: the sum of f() over the threads of each warp is given to g(sum) in its
                              first one; lanes pass values on by shuffles, not by memory
     c.strided(count, f)      within c.threads: f(i) for the thread's indices below count in a loop over the grid
     c.each_of_grid(count, f) outside of c.threads: the same for all threads (both with grid_stride_loop)
     c.staged<WAY, W>(b, count, stages, f)
                              outside of c.threads: f(j, w) for the thread's j below count in a loop over the grid, w the
                              W elements from W * j of b on, 16 bytes, that came by way of shared memory. WAY is a
                              staged_way; so many of a block's tiles, 1 to STAGED_MOST, are under way at a time. Takes
                              stages * (16 bytes a thread) of shared memory, from its beginning, and for STAGED_BULK
                              stages * STAGED_BARRIER_BYTES behind it

   only where the body is a cluster's (clustered), and in no vocabulary.cu; cluster_shared.cu has them:

     c.load_cluster(ahead, i) load_shared(i) of the block so many further in the cluster, fewer than it has; after the last
                              comes the first
     c.cluster_barrier()      c.barrier() of all blocks of the cluster

   for what threads of other blocks access in the same launch, in no vocabulary.cu; memory_fence.cu has them:

     c.touch(b, i)            loads it by the request's path, for nothing: it then lies in the caches
     c.fence()                __threadfence(): what the thread did before it, others see before what it does after it
     c.store_volatile(b, i, v)
     c.await(b, i, v, looks)  looks at it until it is v, volatile, at most so many times; false: it never was

   only with `textured`:

     c.load_texture(b, i)     the same as c.load(b, i), by a texture fetch; b is the first buffer

   Operators, in every context:

     values    + - * /, unary -, += -= *= /=; a number may stand on either side. Values are not compared: what is
               accessed must not depend on data, except by index_of()
     indices   + - * / %, unary -, << >> & | ^, their assignments (+= -= *= /= %=), ++ --, and all comparisons; a number
               may stand on either side. Indices are not negative where they are divided or shifted

   Coordinates, sizes and parameters are numbers or indices, by context. `auto` is right for what is computed
   once; a variable that is assigned again is declared as Context::I. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "kernels/input_value.h"
#include "kernels/kernel.h"

#ifdef __CUDACC__
#define HOST_DEVICE __host__ __device__ __forceinline__
#define BODY __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define UNROLL_ALL _Pragma("unroll")
#else
#define HOST_DEVICE inline
#define BODY inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")
#define UNROLL_ALL /* a CPU spills the values anyway */
#endif

enum : unsigned {
    F32 = 1u << DTYPE_F32,
    F64 = 1u << DTYPE_F64,
    I32 = 1u << DTYPE_I32,
    U8 = 1u << DTYPE_U8,
    U16 = 1u << DTYPE_U16
};

/* The ways of c.staged(): through registers, by cp.async, or a whole tile by the tensor memory accelerator,
   which needs a barrier for each tile under way. */
enum staged_way { STAGED_REGISTERS, STAGED_ASYNC, STAGED_BULK, STAGED_WAYS };
enum { STAGED_BARRIER_BYTES = 8, STAGED_MOST = 8, STREAMS_MOST = 8 };

/* Neighbouring elements, moved in one access. */
template <class T, int V> struct wide {
    T v[V];
};

/* Word k of constant memory: c.constant(k), k below CONSTANTS. */
enum { CONSTANTS = 1024 };
HOST_DEVICE constexpr uint32_t constant_value(uint64_t k)
{
    return input_value(SUITE_BUFFERS, k);
}

/* The experiment as expected() sees it. */
template <class T_> struct expectation {
    using T = T_;
    uint64_t n, rows, columns, block_x, block_y, grid_x;
    int64_t params[SUITE_PARAMS];
    static expectation of(const domain &d)
    {
        return {d.n,
                d.rows,
                d.columns,
                d.block.x,
                d.block.y,
                d.grid.x,
                {d.param[0], d.param[1], d.param[2], d.param[3]}};
    }
    HOST_DEVICE T input(int buffer, uint64_t i) const { return (T)input_value(buffer, i); }
    HOST_DEVICE int64_t param(int k) const { return params[k]; }
};

/* Defaults of the members of a kernel, and the functions of describe(). Descriptions run once, on the
   host. */
struct suite_kernel {
    static constexpr unsigned dtypes = F32 | F64 | I32;
    static constexpr bool load_paths = false; /* has the parameter "load" */
    /* The body is of one block: c.threads(f) contains what its threads do, with c.barrier() between. */
    static constexpr bool block_level = false;
    static constexpr bool grid_stride_loop = false; /* has c.each_of_grid() or c.strided(), and block_level */
    static constexpr bool restricted = false;       /* its pointers are declared __restrict__ */
    static constexpr bool debug_build = false; /* on a GPU its file is compiled with -G (cmake/suite.cmake) */
    /* The load path that the body uses, for kernels without a parameter "load". */
    static constexpr int loads_by = LOAD_DEFAULT;
    /* Some addresses are not affine in a block's coordinates: a computed permutation, loaded indices, an
       index that wraps by % within a block. The model then samples, and the prediction says "exact":
       false. Otherwise the tests require exact predictions. A buffer that continues (elements()) avoids a
       wrap. */
    static constexpr bool sampled = false;
    /* The memory of a buffer. host_memory: some are in the host's memory, or move to it and back; peer:
       the kernel needs another device, whose memory has some. Without peer_access() only copies can reach
       a peer's memory. */
    static memory memory_of(const domain &, int) { return MEMORY_OWN; }
    static constexpr bool host_memory = false;
    static constexpr bool peer = false;
    static bool peer_access(const domain &) { return true; }
    static pages pages_before(const domain &) { return PAGES_RESIDENT; }
    /* The minimum compute capability of a GPU, times ten. */
    static int architecture(const domain &) { return 0; }
    /* The kernel is launched in clusters of so many blocks along x, which can access each other's shared
       memory (clustered: it has c.load_cluster() and c.cluster_barrier(), and block_level). */
    static constexpr bool clustered = false;
    static uint64_t cluster(const domain &) { return 1; }
    /* The buffer that a part of the L2 is set aside for (persisting accesses). */
    static int l2_persisting(const domain &) { return -1; }
    /* On a GPU the first buffer is bound to a texture: c.load_texture(). */
    static constexpr bool textured = false;
    /* On a GPU the blocks are launched in so many chunks, which go to so many streams one after the other.
       Before each chunk the copy engine copies the chunk's elements of the first buffer to the second, and
       after it those of the third to the fourth. One element a thread. Other devices do the same for all
       elements at once. */
    static constexpr bool streamed = false;
    static int streams(const domain &) { return 1; }
    static int chunks(const domain &) { return 1; }
    /* The part of the ledger that no load or store of a warp requests. */
    static traffic unmodelled_traffic(const domain &) { return {0, 0}; }
    /* Why the model of time does not apply; no text: it does. */
    static text_pair untimed(const domain &) { return {}; }
    /* On a GPU the copy engine copies the first buffer to the second instead of the body. */
    static constexpr bool copied = false;
    /* The number of compiled variants; variant() chooses C::variant. */
    static constexpr int variants = 1;
    static int variant(const domain &) { return 0; }
    /* Launch bounds: the maximum of threads in a block, and blocks of an SM that must fit (0: none). */
    static constexpr int max_threads = 1024;
    static HOST_DEVICE constexpr int min_blocks(int) { return 0; }
    /* Instead of launch bounds: the maximum of registers of a thread (0: none). */
    static HOST_DEVICE constexpr int max_registers(int) { return 0; }

    static HOST_DEVICE uint64_t elements(const domain &d, int) { return d.n; }
    static shape cover(const domain &d) { return {d.n, 1, 1}; }
    static traffic ledger(const domain &d) { return {d.n, d.n}; }
    static uint64_t shared_bytes(const domain &, uint64_t) { return 0; }
    static kernel_problem refuse(const domain &, dtype) { return {}; }
    /* The generated value of element i of an input, or of an accumulated output before the launch. */
    template <class X> static HOST_DEVICE typename X::T generate(const X &x, int buffer, uint64_t i)
    {
        return x.input(buffer, i);
    }
    template <class X> static HOST_DEVICE bool written(const X &, int, uint64_t) { return true; }

    /* Each parameter and each buffer is described with its enumerator, in the order of the enum. Texts are
       {English, Chinese}; without Chinese the English text serves both. */
    static void param_integer(kernel &k, int param, const char *name, const char *unit, text_pair text,
                              int64_t min, int64_t max, int64_t fallback)
    {
        param_add(k, param, {name, unit, text, PARAM_INTEGER, min, max, fallback, false, nullptr});
    }
    static void param_power_of_two(kernel &k, int param, const char *name, const char *unit, text_pair text,
                                   int64_t min, int64_t max, int64_t fallback)
    {
        param_add(k, param, {name, unit, text, PARAM_INTEGER, min, max, fallback, true, nullptr});
    }
    static void param_choice(kernel &k, int param, const char *name, text_pair text,
                             const char *const *choices)
    {
        int64_t last = -1;
        while (choices[last + 1])
            last++;
        param_add(k, param, {name, "", text, PARAM_CHOICE, 0, last, 0, false, choices});
    }
    static void param_offset(kernel &k, int param, text_pair text)
    {
        param_integer(k, param, "offset", "elements", text, 0, PARAM_MAX_IS_SIZE, 0);
    }
    static void param_load(kernel &k, int param)
    {
        static const char *const paths[] = {"default", "ca", "cg", "ldg", "cs", "volatile", nullptr};
        k.load_param = k.param_count;
        param_choice(
            k, param, "load",
            {"path of the global loads: the compiler's default, cached in L1 and L2 (\"ca\", which nvcc's "
             "-Xptxas -dlcm=ca makes the default), in L2 only (\"cg\", -Xptxas -dlcm=cg), by the read-only "
             "path "
             "(ldg), as data that is used once (cs), or never kept in a register (volatile)",
             "全局读取的路径：编译器默认，经 L1 和 L2 缓存（\"ca\"，nvcc 的 -Xptxas -dlcm=ca "
             "以它为默认），只经 "
             "L2（\"cg\"，-Xptxas "
             "-dlcm=cg），经只读路径（ldg），当作只用一次的数据（cs），或从不留在寄存器里（volatile）"},
            paths);
    }
    /* The part of a shared description that a family of kernels adds. */
    static void describe_more(kernel &) {}
    static int log_2(int64_t power)
    {
        int log = 0;
        while (power >>= 1)
            log++;
        return log;
    }
    static void input(kernel &k, int buffer, const char *name, const char *text)
    {
        buffer_add(k, buffer, {name, text, BUFFER_INPUT});
    }
    static void output(kernel &k, int buffer, const char *name, const char *text)
    {
        buffer_add(k, buffer, {name, text, BUFFER_OUTPUT});
    }
    static void accumulated(kernel &k, int buffer, const char *name, const char *text)
    {
        buffer_add(k, buffer, {name, text, BUFFER_ACCUMULATED});
    }

  private:
    /* False: the next one in order is another, or there are too many. The first such mistake is stored, and
       suite_at() and its like end the program with it. */
    static bool in_order(kernel &k, const char *what, const char *name, int index, int next, int room)
    {
        if (index == next && next < room)
            return true;
        if (!k.mistake[0])
            snprintf(k.mistake, sizeof k.mistake,
                     next < room ? "%s %s is described as number %d, its enumerator is %d"
                                 : "%s %s is number %d, and its enumerator %d: too many",
                     what, name, next, index);
        return false;
    }
    static void param_add(kernel &k, int param, const kernel_param &described)
    {
        if (in_order(k, "parameter", described.name, param, k.param_count, SUITE_PARAMS))
            k.params[k.param_count++] = described;
    }
    static void buffer_add(kernel &k, int buffer, const kernel_buffer &described)
    {
        if (in_order(k, "buffer", described.name, buffer, k.buffer_count, SUITE_BUFFERS))
            k.buffers[k.buffer_count++] = described;
    }
};
