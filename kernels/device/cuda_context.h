/* The context of a body on a GPU: the context is the thread. */
#pragma once

#include <cuda_runtime.h>
#include <string.h>

#include <type_traits>

#include "kernels/device/cuda_stage.h"
#include "kernels/suite/suite.h"

template <class T, class I> struct cuda_args {
    T *buffers[SUITE_BUFFERS]; /* first: cuda_launch() */
    I n, rows, columns;
    I params[SUITE_PARAMS];
};

/* The type that one access of so many bytes moves. */
template <unsigned bytes>
using word_of = std::conditional_t<
    bytes <= 2, std::conditional_t<bytes == 1, unsigned char, unsigned short>,
    std::conditional_t<bytes == 4, unsigned, std::conditional_t<bytes == 8, uint2, uint4>>>;

struct constant_table {
    int32_t value[CONSTANTS];
    constexpr constant_table() : value{}
    {
        for (int k = 0; k < CONSTANTS; k++)
            value[k] = (int32_t)constant_value((uint64_t)k);
    }
};
/* A template, so that only kernels that use it contain it: constant memory in a module costs each of its
   launches some 0.25 us. */
template <class> __constant__ constant_table cuda_constants;

extern __shared__ uint4 cuda_shared[];

template <class T_, class I_, load_path P, int V> struct cuda_context : cuda_args<T_, I_> {
    using T = T_;
    using I = I_;
    static constexpr int variant = V;
    static constexpr unsigned element_bytes = sizeof(T_);
    cudaTextureObject_t texture; /* of the first buffer, when the kernel is textured */
    __device__ explicit cuda_context(const cuda_args<T, I> &args) : cuda_args<T, I>(args) {}

    BODY I param(int k) const { return this->params[k]; }
    BODY I thread_x() const { return (I)threadIdx.x; }
    BODY I thread_y() const { return (I)threadIdx.y; }
    BODY I block_x() const { return (I)blockIdx.x; }
    BODY I block_y() const { return (I)blockIdx.y; }
    BODY I block_dim_x() const { return (I)blockDim.x; }
    BODY I block_dim_y() const { return (I)blockDim.y; }
    BODY I global_x() const { return block_x() * block_dim_x() + thread_x(); }
    BODY I global_y() const { return block_y() * block_dim_y() + thread_y(); }
    BODY T load(int b, I i) const
    {
        const T *p = this->buffers[b];
        if constexpr (P == LOAD_CA)
            return __ldca(p + i);
        else if constexpr (P == LOAD_CG)
            return __ldcg(p + i);
        else if constexpr (P == LOAD_LDG)
            return __ldg(p + i);
        else if constexpr (P == LOAD_CS)
            return __ldcs(p + i);
        else if constexpr (P == LOAD_VOLATILE)
            return *(const volatile T *)(p + i);
        else
            return p[i];
    }
    BODY void touch(int b, I i) const
    {
        /* The assembler leaves out a load whose value nothing uses. This fence depends on the value. */
        asm volatile(
            "{ .reg .pred p; setp.eq.u32 p, %0, 0xffffffff; @p membar.cta; }" ::"r"((unsigned)load(b, i)));
    }
    BODY void fence() const { __threadfence(); }
    BODY void store_volatile(int b, I i, T v) const { *(volatile T *)(this->buffers[b] + i) = v; }
    BODY bool await(int b, I i, T v, int looks) const
    {
        const volatile T *flag = this->buffers[b] + i;
        for (int k = 0; k < looks; k++)
            if (*flag == v)
                return true;
        return false;
    }
    BODY T load_ldg(int b, I i) const { return __ldg(this->buffers[b] + i); }
    template <int W> BODY wide<T, W> load_wide(int b, I j) const
    {
        auto word = reinterpret_cast<const word_of<sizeof(T) * W> *>(this->buffers[b])[j];
        wide<T, W> r;
        memcpy(&r, &word, sizeof r);
        return r;
    }
    BODY void store(int b, I i, T v) const { this->buffers[b][i] = v; }
    template <int W> BODY void store_wide(int b, I j, wide<T, W> v) const
    {
        word_of<sizeof(T) * W> word;
        memcpy(&word, &v, sizeof word);
        reinterpret_cast<decltype(word) *>(this->buffers[b])[j] = word;
    }
    BODY void atomic_add(int b, I i, T v) const { atomicAdd(this->buffers[b] + i, v); }
    BODY T constant(I k) const { return (T)cuda_constants<constant_table>.value[k]; }
    BODY T load_shared(I i) const { return reinterpret_cast<const T *>(cuda_shared)[i]; }
    BODY void store_shared(I i, T v) const { reinterpret_cast<T *>(cuda_shared)[i] = v; }
    BODY void atomic_add_shared(I i, T v) const { atomicAdd(reinterpret_cast<T *>(cuda_shared) + i, v); }

    BODY T load_texture(int, I i) const { return tex1Dfetch<T>(texture, (int)i); }
    template <class F> BODY void threads(F f) const { f(); }
    BODY void barrier() const { __syncthreads(); }
    template <class F, class G> BODY void warp_sum(F f, G g) const
    {
        unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        unsigned lane = thread % 32, rest = blockDim.x * blockDim.y * blockDim.z - (thread - lane);
        unsigned lanes = rest < 32 ? rest : 32; /* the last warp may have fewer */
        T sum = f();
        UNROLL
        for (unsigned down = 16; down > 0; down /= 2) {
            T other = __shfl_down_sync(~0u >> (32 - lanes), sum, down);
            if (lane + down < lanes)
                sum = sum + other;
        }
        if (lane == 0)
            g(sum);
    }
    template <class F> BODY void each_of_grid(I count, F f) const { strided(count, f); }
    template <class F> BODY void strided(I count, F f) const
    {
        /* All threads do so many rounds, and some of them one more. In a plain `while (i < count)` that the
           compiler unrolls the lanes of a warp would exit at different places and repeat the same load. */
        I step = (I)gridDim.x * block_dim_x(), i = global_x();
        for (I rounds = count / step; rounds > 0; rounds--, i += step)
            f(i);
        if (i < count)
            f(i);
    }
    template <int WAY, int W, class F> BODY void staged(int b, I count, I stages, F f) const
    {
        using word = word_of<sizeof(T) * W>;
        static_assert(sizeof(word) == sizeof(uint4), "tiles are of 16 bytes a thread");
        auto from = reinterpret_cast<const word *>(this->buffers[b]);
        auto slots = reinterpret_cast<word *>(cuda_shared);
        auto barriers = reinterpret_cast<uint64_t *>(slots + stages * block_dim_x());
        I width = block_dim_x(), step = (I)gridDim.x * width, first = block_x() * width;
        I tiles = first < count ? (count - first - 1) / step + 1 : 0;
        auto fetch = [&](I tile, I slot) {
            I begin = first + tile * step, j = begin + thread_x();
            word *to = slots + slot * width;
            if (WAY == STAGED_BULK && thread_x() == 0 && tile < tiles)
                stage_bulk(barriers + slot, to, from + begin,
                           (unsigned)((width < count - begin ? width : count - begin) * (I)sizeof(word)));
            if (WAY == STAGED_REGISTERS && tile < tiles && j < count)
                to[thread_x()] = from[j];
            if (WAY == STAGED_ASYNC && tile < tiles && j < count)
                stage_async(to + thread_x(), from + j);
            if (WAY == STAGED_ASYNC)
                stage_async_end(); /* also ends an empty group, so that the number of groups under way is constant */
        };
        if (WAY == STAGED_BULK) {
            for (I slot = 0; thread_x() == 0 && slot < stages; slot++)
                stage_bulk_begin(barriers + slot);
            __syncthreads();
        }
        for (I tile = 0; tile < stages; tile++)
            fetch(tile, tile);
        unsigned parity = 0;
        for (I tile = 0, slot = 0; tile < tiles; tile++) {
            if (WAY == STAGED_BULK)
                stage_bulk_await(barriers + slot, parity);
            if (WAY == STAGED_ASYNC)
                stage_async_await((int)stages - 1);
            __syncthreads();
            I j = first + tile * step + thread_x();
            if (j < count) {
                wide<T, W> w;
                memcpy(&w, slots + slot * width + thread_x(), sizeof w);
                f(j, w);
            }
            __syncthreads(); /* all threads have read the data that is overwritten next */
            fetch(tile + stages, slot);
            if (++slot == stages) {
                slot = 0;
                parity ^= 1;
            }
        }
        if (WAY == STAGED_ASYNC)
            stage_async_await(0);
    }
    template <class F> BODY void each_step(I steps, F f) const
    {
        for (I s = 0; s < steps; s++)
            f();
    }
    template <class F> BODY void compute(I steps, F f) const { each_step(steps, f); }
    template <class F> BODY I computed(I i, F f) const { return (I)f((uint64_t)i); }
    BODY I index_of(T v) const { return (I)v; }
    BODY T value_of(I i) const { return (T)i; }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    BODY T load_cluster(I ahead, I i) const
    {
        const T *own = reinterpret_cast<const T *>(cuda_shared);
        unsigned rank = __clusterRelativeBlockRank() + (unsigned)ahead, blocks = __clusterSizeInBlocks();
        rank = rank < blocks ? rank : rank - blocks;
        return static_cast<const T *>(__cluster_map_shared_rank(own, rank))[i];
    }
    BODY void cluster_barrier() const
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
#else /* never reached: experiment_check() refuses them */
    BODY T load_cluster(I, I) const
    {
        __trap();
        return T();
    }
    BODY void cluster_barrier() const
    {
        __trap();
    }
#endif
};
