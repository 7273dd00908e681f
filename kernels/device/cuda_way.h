/* How a GPU executes a body: the context is the thread, and the body becomes a __global__ function. Indices
   are 32-bit where everything that a thread could compute fits, 64-bit elsewhere. */
#include <cuda_runtime.h>

#include "kernels/device/way.h"

/* Dynamic shared memory that a launch gets without asking for more. */
enum { CUDA_SHARED_UNASKED = 48 * 1024 };

#ifndef WAY_CONTEXT
#define WAY_CONTEXT(...) __VA_ARGS__ /* tests wrap the context in one that spoils the body */
#define WAY_ENTRY(name) cuda_entry_##name
#endif

template <class T, class I> struct cuda_args {
    T *buffers[KERNEL_BUFFERS]; /* first: cuda_launch() */
    I n, rows, columns;
    I params[KERNEL_PARAMS];
};

/* What one access of so many bytes moves. */
template <unsigned bytes> struct word_of;
template <> struct word_of<1> {
    using type = unsigned char;
};
template <> struct word_of<2> {
    using type = unsigned short;
};
template <> struct word_of<4> {
    using type = unsigned;
};
template <> struct word_of<8> {
    using type = uint2;
};
template <> struct word_of<16> {
    using type = uint4;
};

struct constant_table {
    int32_t value[CONSTANTS];
    constexpr constant_table() : value{}
    {
        for (int k = 0; k < CONSTANTS; k++)
            value[k] = (int32_t)constant_value((uint64_t)k);
    }
};
/* A template, so that only a kernel that asks for it brings it along: a module with constant memory of its own costs each
   of its launches some 0.25 us. */
template <class> __constant__ constant_table cuda_constants;

extern __shared__ uint4 cuda_shared[];

template <class T_, class I_, load_path P, int V> struct cuda_context : cuda_args<T_, I_> {
    using T = T_;
    using I = I_;
    static constexpr int variant = V;
    static constexpr unsigned element_bytes = sizeof(T_);
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
    BODY T load_ldg(int b, I i) const { return __ldg(this->buffers[b] + i); }
    template <int W> BODY wide<T, W> load_wide(int b, I j) const
    {
        auto word = reinterpret_cast<const typename word_of<sizeof(T) * W>::type *>(this->buffers[b])[j];
        wide<T, W> r;
        memcpy(&r, &word, sizeof r);
        return r;
    }
    BODY void store(int b, I i, T v) const { this->buffers[b][i] = v; }
    template <int W> BODY void store_wide(int b, I j, wide<T, W> v) const
    {
        typename word_of<sizeof(T) * W>::type word;
        memcpy(&word, &v, sizeof word);
        reinterpret_cast<decltype(word) *>(this->buffers[b])[j] = word;
    }
    BODY void atomic_add(int b, I i, T v) const { atomicAdd(this->buffers[b] + i, v); }
    BODY T constant(I k) const { return (T)cuda_constants<constant_table>.value[k]; }
    BODY T load_shared(I i) const { return reinterpret_cast<const T *>(cuda_shared)[i]; }
    BODY void store_shared(I i, T v) const { reinterpret_cast<T *>(cuda_shared)[i] = v; }
    BODY void atomic_add_shared(I i, T v) const { atomicAdd(reinterpret_cast<T *>(cuda_shared) + i, v); }

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
        /* All threads take so many rounds, and some of them one more. A plain `while (i < count)` that the compiler
           unrolls would have the lanes of a warp leave it at different places, and take the same load twice. */
        I step = (I)gridDim.x * block_dim_x(), i = global_x();
        for (I rounds = count / step; rounds > 0; rounds--, i += step)
            f(i);
        if (i < count)
            f(i);
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
};

/* Threads that a multiprocessor holds, by the architecture that is compiled for (the CUDA programming guide's table of
   compute capabilities): ptxas refuses launch bounds that ask for room for more. */
#if !defined(__CUDA_ARCH__)
enum { SM_THREADS = 2048 };
#elif __CUDA_ARCH__ == 750
enum { SM_THREADS = 1024 };
#elif __CUDA_ARCH__ == 860 || __CUDA_ARCH__ == 870 || __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
enum { SM_THREADS = 1536 };
#else
enum { SM_THREADS = 2048 };
#endif

template <class K, class C> HOST_DEVICE constexpr int min_blocks(void)
{
    constexpr int wanted = K::min_blocks(C::variant), room = SM_THREADS / K::max_threads;
    return wanted < room ? wanted : room;
}

template <class K, class C>
__global__ void __launch_bounds__(K::max_threads, min_blocks<K, C>())
    cuda_body(const cuda_args<typename C::T, typename C::I> args)
{
    C c(args);
    K::body(c);
}

/* The same for a kernel whose pointers do not overlap: the compiler may then take the read-only path by itself. */
template <class K, class C>
__global__ void __launch_bounds__(K::max_threads, min_blocks<K, C>())
    cuda_body_restricted(const cuda_args<typename C::T, typename C::I> args, typename C::T *__restrict__ a,
                         typename C::T *__restrict__ b, typename C::T *__restrict__ c,
                         typename C::T *__restrict__ d)
{
    C context(args);
    context.buffers[0] = a;
    context.buffers[1] = b;
    context.buffers[2] = c;
    context.buffers[3] = d;
    K::body(context);
}

/* The same with a cap on its registers, which cannot stand beside launch bounds. Before CUDA 12.4 had it: by bounds that
   leave a thread so many. */
#if CUDART_VERSION >= 12040
#define CUDA_CAPPED(K, C) __maxnreg__(K::max_registers(C::variant))
#else
template <class K, class C> HOST_DEVICE constexpr int capped_blocks(void)
{
    constexpr int wanted = 65536 / (K::max_registers(C::variant) * K::max_threads),
                  room = SM_THREADS / K::max_threads;
    return wanted < room ? wanted : room;
}
#define CUDA_CAPPED(K, C) __launch_bounds__(K::max_threads, capped_blocks<K, C>())
#endif

template <class K, class C>
__global__ void CUDA_CAPPED(K, C) cuda_body_capped(const cuda_args<typename C::T, typename C::I> args)
{
    C c(args);
    K::body(c);
}

template <class K, class C> static const void *cuda_body_of()
{
    if constexpr (K::restricted)
        return (const void *)cuda_body_restricted<K, C>;
    else if constexpr (K::max_registers(C::variant) > 0)
        return (const void *)cuda_body_capped<K, C>;
    else
        return (const void *)cuda_body<K, C>;
}

/* f(symbol, args) for the instance that this run calls for; args begin with the four pointers. */
template <class K, class F> static int cuda_with_instance(const run *r, F f)
{
    return with_dtype<K>(r->dtype, [&](auto zero) {
        using T = decltype(zero);
        return with_load<K>(*r->kernel, r->domain, [&](auto load) {
            return with_variant<K>(r->domain, [&](auto variant) {
                auto call = [&](auto index) {
                    using I = decltype(index);
                    using C =
                        WAY_CONTEXT(cuda_context<T, I, decltype(load)::value, decltype(variant)::value>);
                    cuda_args<T, I> args = {{}, (I)r->domain.n, (I)r->domain.rows, (I)r->domain.columns, {}};
                    for (int b = 0; b < KERNEL_BUFFERS; b++)
                        args.buffers[b] = (T *)r->buffer[b];
                    for (int k = 0; k < KERNEL_PARAMS; k++)
                        args.params[k] = (I)r->domain.param[k];
                    return f(cuda_body_of<K, C>(), (void *)&args);
                };
                return kernel_index_is_small(r->kernel, &r->domain) ? call(int32_t{}) : call(int64_t{});
            });
        });
    });
}

/* The whole of the first buffer to the second, wherever they lie: by one of the copy engines. */
static inline int cuda_copy_buffers(const run *r, void *where)
{
    return (int)cudaMemcpyAsync(r->buffer[1], r->buffer[0], r->elements[0] * dtype_bytes(r->dtype),
                                cudaMemcpyDefault, (cudaStream_t)where);
}

template <class K> static int cuda_launch(const run *r, void *where)
{
    if constexpr (K::copied)
        return cuda_copy_buffers(r, where);
    return cuda_with_instance<K>(r, [&](const void *symbol, void *args) {
        void **pointers = (void **)args;
        void *arguments[] = {args, pointers, pointers + 1, pointers + 2, pointers + 3};
        const shape &grid = r->grid, &block = r->domain.block;
        if (r->shared_bytes > CUDA_SHARED_UNASKED)
            if (cudaError_t code = cudaFuncSetAttribute(symbol, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                        (int)r->shared_bytes))
                return (int)code;
        return (int)cudaLaunchKernel(symbol, dim3((unsigned)grid.x, (unsigned)grid.y, (unsigned)grid.z),
                                     dim3((unsigned)block.x, (unsigned)block.y, (unsigned)block.z), arguments,
                                     r->shared_bytes, (cudaStream_t)where);
    });
}

template <class K> static const void *cuda_symbol(const run *r)
{
    const void *found = nullptr;
    cuda_with_instance<K>(r, [&](const void *symbol, void *) {
        found = symbol;
        return 0;
    });
    return found;
}

template <class K, class T>
__global__ void cuda_prepare_body(expectation<T> x, buffer_role role, int buffer, bits_of<T> *to,
                                  uint64_t count)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x)
        to[i] = prepared_bits<K>(x, role, buffer, i);
}

template <class K, class T>
__global__ void cuda_check_body(expectation<T> x, buffer_role role, int buffer, const T *from, uint64_t count,
                                check *found)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        double error;
        if (!element_wrong<K>(x, role, buffer, i, from[i], &error))
            continue;
        atomicAdd(&found->mismatches, 1ull);
        atomicMin(&found->first, (unsigned long long)i);
        /* Doubles that are not negative are ordered as their bits are. */
        atomicMax((unsigned long long *)&found->max_abs_error,
                  (unsigned long long)__double_as_longlong(error));
    }
}

static inline unsigned cuda_plain_grid(uint64_t count)
{
    uint64_t blocks = (count + 255) / 256;
    return blocks > 65536 ? 65536u : blocks ? (unsigned)blocks : 1u;
}

template <class K> static int cuda_prepare(const run *r, int buffer, void *where)
{
    return with_dtype<K>(r->dtype, [&](auto zero) {
        using T = decltype(zero);
        cuda_prepare_body<K, T><<<cuda_plain_grid(r->elements[buffer]), 256, 0, (cudaStream_t)where>>>(
            expectation<T>::of(r->domain), r->kernel->buffers[buffer].role, buffer,
            (bits_of<T> *)r->buffer[buffer], r->elements[buffer]);
        return (int)cudaGetLastError();
    });
}

template <class K> static int cuda_check(const run *r, int buffer, check *found, void *where)
{
    return with_dtype<K>(r->dtype, [&](auto zero) {
        using T = decltype(zero);
        cuda_check_body<K, T><<<cuda_plain_grid(r->elements[buffer]), 256, 0, (cudaStream_t)where>>>(
            expectation<T>::of(r->domain), r->kernel->buffers[buffer].role, buffer,
            (const T *)r->buffer[buffer], r->elements[buffer], found);
        return (int)cudaGetLastError();
    });
}

#define SUITE_KERNEL(name)                                                                                   \
    extern "C" const kernel_entry WAY_ENTRY(name);                                                           \
    extern "C" const kernel_entry WAY_ENTRY(name) = {cuda_launch<name>, cuda_prepare<name>,                  \
                                                     cuda_check<name>, cuda_symbol<name>};
