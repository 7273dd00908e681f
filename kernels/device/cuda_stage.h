/* Copies of tiles to shared memory without registers, in PTX (the PTX ISA, "Data Movement and Conversion
   Instructions: Asynchronous copy" and "mbarrier"). An architecture without them traps, but
   experiment_check() refuses the experiment before. Addresses of shared memory are 32-bit; src and dst are
   aligned to 16 bytes. */
#pragma once

#include <stdint.h>

static __device__ __forceinline__ unsigned stage_address(const void *at)
{
    return (unsigned)__cvta_generic_to_shared(at);
}

/* cp.async: copies 16 bytes for this thread, past the L1. */
static __device__ __forceinline__ void stage_async(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(stage_address(to)), "l"(from) : "memory");
#else
    __trap();
#endif
}

/* Ends a group of this thread's copies. */
static __device__ __forceinline__ void stage_async_end(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int LEFT> static __device__ __forceinline__ void stage_async_wait(void)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}

/* Waits until at most `left` groups, 0 to 7, are under way: the instruction needs a constant. */
static __device__ __forceinline__ void stage_async_await(int left)
{
    switch (left) {
    case 0:
        return stage_async_wait<0>();
    case 1:
        return stage_async_wait<1>();
    case 2:
        return stage_async_wait<2>();
    case 3:
        return stage_async_wait<3>();
    case 4:
        return stage_async_wait<4>();
    case 5:
        return stage_async_wait<5>();
    case 6:
        return stage_async_wait<6>();
    default:
        return stage_async_wait<7>();
    }
}

/* Initialises a barrier for one arriving thread and the bytes that it expects. Called by one thread,
   before the block's barrier. */
static __device__ __forceinline__ void stage_bulk_begin(uint64_t *barrier)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(stage_address(barrier)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
    __trap();
#endif
}

/* cp.async.bulk by one thread for the block; `bytes` is a multiple of 16. */
static __device__ __forceinline__ void stage_bulk(uint64_t *barrier, void *to, const void *from,
                                                  unsigned bytes)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(stage_address(barrier)),
                 "r"(bytes)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
            stage_address(to)),
        "l"(from), "r"(bytes), "r"(stage_address(barrier))
        : "memory");
#endif
}

/* Waits, in each thread, until the barrier's phase of this parity is over: 0 for its first tile, 1 for its
   second, and alternating. */
static __device__ __forceinline__ void stage_bulk_await(uint64_t *barrier, unsigned parity)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n"
                 ".reg .pred over;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
                 "@!over bra again;\n"
                 "}" ::"r"(stage_address(barrier)),
                 "r"(parity)
                 : "memory");
#endif
}
