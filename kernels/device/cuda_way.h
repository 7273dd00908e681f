/* Compiles a kernel's file for GPUs: its body becomes a __global__ function over the context of
   cuda_context.h. Indices are 32-bit where every index that a thread can compute fits, else 64-bit. */
#include <cuda_runtime.h>

#include "kernels/device/cuda_context.h"
#include "kernels/device/cuda_launch.h"
#include "kernels/device/way.h"

#ifndef WAY_CONTEXT
#define WAY_CONTEXT(...) __VA_ARGS__ /* tests replace it by one that spoils the body */
#define WAY_ENTRY(name) cuda_entry_##name
#endif

/* Threads that an SM holds, by compiled architecture (the CUDA programming guide's table of compute
   capabilities): ptxas refuses launch bounds beyond that. */
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

/* The same for a kernel with __restrict__ pointers: the compiler may use the read-only path by itself. */
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

/* The same with a limit of registers, which cannot be combined with launch bounds. Before CUDA 12.4 launch
   bounds that leave a thread so many stand for it. */
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

/* The same with a texture over the first buffer. */
template <class K, class C>
__global__ void __launch_bounds__(K::max_threads, min_blocks<K, C>())
    cuda_body_textured(const cuda_args<typename C::T, typename C::I> args, cudaTextureObject_t texture)
{
    C c(args);
    c.texture = texture;
    K::body(c);
}

/* The context of a chunk of the grid: its blocks have their numbers in the whole grid. */
template <class Base> struct cuda_chunk : Base {
    using I = typename Base::I;
    I first;
    __device__ cuda_chunk(const cuda_args<typename Base::T, I> &args, I block) : Base(args), first(block) {}
    BODY I block_x() const { return first + Base::block_x(); }
    BODY I global_x() const { return block_x() * Base::block_dim_x() + Base::thread_x(); }
};

template <class K, class C>
__global__ void __launch_bounds__(K::max_threads, min_blocks<K, C>())
    cuda_body_chunk(const cuda_args<typename C::T, typename C::I> args, uint64_t first)
{
    cuda_chunk<C> c(args, (typename C::I)first);
    K::body(c);
}

template <class K, class C> static const void *cuda_body_of()
{
    if constexpr (K::textured)
        return (const void *)cuda_body_textured<K, C>;
    else if constexpr (K::streamed)
        return (const void *)cuda_body_chunk<K, C>;
    else if constexpr (K::restricted)
        return (const void *)cuda_body_restricted<K, C>;
    else if constexpr (K::max_registers(C::variant) > 0)
        return (const void *)cuda_body_capped<K, C>;
    else
        return (const void *)cuda_body<K, C>;
}

/* Calls f(symbol, args) for the instance of this run; args begin with the four pointers. */
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
                    for (int b = 0; b < SUITE_BUFFERS; b++)
                        args.buffers[b] = (T *)r->buffer[b];
                    for (int k = 0; k < SUITE_PARAMS; k++)
                        args.params[k] = (I)r->domain.param[k];
                    return f(cuda_body_of<K, C>(), (void *)&args);
                };
                return kernel_index_is_small(r->kernel, &r->domain) ? call(int32_t{}) : call(int64_t{});
            });
        });
    });
}

/* Copies the whole first buffer to the second, wherever they lie, by a copy engine. */
static inline int cuda_copy_buffers(const run *r, void *where)
{
    return (int)cudaMemcpyAsync(r->buffer[1], r->buffer[0], run_buffer_bytes(r, 0), cudaMemcpyDefault,
                                (cudaStream_t)where);
}

/* Launches the whole grid, with its attributes and the arguments behind `args`. */
template <class K>
static int cuda_launch_whole(const run *r, const void *symbol, void *args, cudaStream_t stream)
{
    void **pointers = (void **)args;
    void *arguments[] = {args, pointers, pointers + 1, pointers + 2, pointers + 3};
    cuda_launching launching(r, r->grid, stream);
    cudaTextureObject_t texture = 0;
    if constexpr (K::textured) {
        if (int code = cuda_launch_texture(r, &texture))
            return code;
        arguments[1] = &texture;
    }
    if constexpr (K::clustered)
        launching.in_clusters(K::cluster(r->domain));
    if (K::l2_persisting(r->domain) >= 0)
        launching.keep(r, K::l2_persisting(r->domain));
    return launching.go(symbol, arguments);
}

/* Launches chunk by chunk, each in the next stream: copies in, launches, copies out. */
template <class K>
static int cuda_launch_chunks(const run *r, const void *symbol, void *args, cudaStream_t stream)
{
    cuda_fork fork;
    int failed = fork.begin(stream, K::streams(r->domain));
    uint64_t chunks = (uint64_t)K::chunks(r->domain), done = 0;
    for (uint64_t k = 0; k < chunks && !failed; k++) {
        uint64_t blocks = r->grid.x * (k + 1) / chunks - done, begin = done * r->domain.block.x;
        uint64_t end = (done + blocks) * r->domain.block.x;
        end = end < r->domain.n ? end : r->domain.n;
        cudaStream_t turn = fork.stream((int)k);
        void *arguments[] = {args, &done};
        if (begin < end)
            failed = cuda_launch_copy_part(r, 0, 1, begin, end, turn);
        if (blocks && !failed)
            failed = cuda_launching(r, {blocks, 1, 1}, turn).go(symbol, arguments);
        if (begin < end && !failed)
            failed = cuda_launch_copy_part(r, 2, 3, begin, end, turn);
        done += blocks;
    }
    int unjoined = fork.end(stream);
    return failed ? failed : unjoined;
}

template <class K> static int cuda_launch(const run *r, void *where)
{
    if constexpr (K::copied)
        return cuda_copy_buffers(r, where);
    return cuda_with_instance<K>(r, [&](const void *symbol, void *args) {
        if constexpr (K::streamed)
            return cuda_launch_chunks<K>(r, symbol, args, (cudaStream_t)where);
        else
            return cuda_launch_whole<K>(r, symbol, args, (cudaStream_t)where);
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
                                mismatches *found)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (uint64_t)gridDim.x * blockDim.x) {
        double error;
        if (!element_wrong<K>(x, role, buffer, i, from[i], &error))
            continue;
        atomicAdd(&found->mismatches, 1ull);
        atomicMin(&found->first, (unsigned long long)i);
        /* The order of non-negative doubles is the order of their bits. */
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

template <class K> static int cuda_check(const run *r, int buffer, mismatches *found, void *where)
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
