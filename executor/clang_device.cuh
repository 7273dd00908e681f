# 1 "coalesced"
/* What CUDA's own headers declare, for clang without a toolkit: put before a user's source, as clang_math.cuh is.
   Macros and helpers end with an underscore, so that no user's name is taken. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define warpSize 32
#define assert(condition) ((void)0)
#define NULL __null
#define INFINITY __builtin_huge_valf()
#define NAN __builtin_nanf("")
#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-INT_MAX - 1)
#define UINT_MAX 4294967295u
#define FLT_MAX 3.402823466e+38f
#define FLT_MIN 1.175494351e-38f
#define FLT_EPSILON 1.192092896e-07f
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define M_PI 3.14159265358979323846
#define M_E 2.71828182845904523536

#define D_ __device__ static __forceinline__ __attribute__((nodebug)) /* their lines are the caller's */
typedef signed char int8_t;
typedef unsigned char uint8_t, uchar;
typedef short int16_t;
typedef unsigned short uint16_t, ushort;
typedef int int32_t;
typedef unsigned uint32_t, uint;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef long intptr_t, ptrdiff_t, ssize_t;
typedef unsigned long size_t, uintptr_t, ulong;

/* ---- where a thread is ---- */

#define R_(name, what)                                                                                       \
    struct what##_ {                                                                                         \
        __declspec(property(get = gx)) unsigned x;                                                           \
        __declspec(property(get = gy)) unsigned y;                                                           \
        __declspec(property(get = gz)) unsigned z;                                                           \
        D_ unsigned gx() { return __nvvm_read_ptx_sreg_##name##_x(); }                                       \
        D_ unsigned gy() { return __nvvm_read_ptx_sreg_##name##_y(); }                                       \
        D_ unsigned gz() { return __nvvm_read_ptx_sreg_##name##_z(); }                                       \
        __device__ operator dim3() const;                                                                    \
        __device__ operator uint3() const;                                                                   \
    };                                                                                                       \
    __device__ inline what##_::operator dim3() const { return dim3(gx(), gy(), gz()); }                      \
    __device__ inline what##_::operator uint3() const { return uint3{gx(), gy(), gz()}; }                    \
    extern const __device__ __attribute__((weak)) what##_ what;

/* ---- vectors ---- */

#define V_(type, name, two, four)                                                                            \
    struct name##1 { type x; };                                                                              \
    struct __align__(two) name##2 { type x, y; };                                                            \
    struct name##3 { type x, y, z; };                                                                        \
    struct __align__(four) name##4 { type x, y, z, w; };                                                     \
    D_ name##1 make_##name##1(type x) { return {x}; }                                                        \
    D_ name##2 make_##name##2(type x, type y) { return {x, y}; }                                             \
    D_ name##3 make_##name##3(type x, type y, type z) { return {x, y, z}; }                                  \
    D_ name##4 make_##name##4(type x, type y, type z, type w) { return {x, y, z, w}; }
V_(signed char, char, 2, 4)
V_(unsigned char, uchar, 2, 4)
V_(short, short, 4, 8)
V_(unsigned short, ushort, 4, 8)
V_(int, int, 8, 16)
V_(unsigned, uint, 8, 16)
V_(long, long, 16, 16)
V_(unsigned long, ulong, 16, 16)
V_(long long, longlong, 16, 16)
V_(unsigned long long, ulonglong, 16, 16)
V_(float, float, 8, 16)
V_(double, double, 16, 16)
struct dim3 {
    unsigned x, y, z;
    __device__ __host__ constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
R_(tid, threadIdx)
R_(ctaid, blockIdx)
R_(ntid, blockDim)
R_(nctaid, gridDim)

/* ---- barriers, fences, the warp ---- */

D_ void __syncwarp(unsigned mask = ~0u) { asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory"); }
D_ void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
D_ void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
D_ void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }
#define B_(name, how)                                                                                        \
    D_ int __syncthreads_##name(int predicate)                                                               \
    {                                                                                                        \
        int result;                                                                                          \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." how ".pred q, 0, p;"                \
                     " selp.s32 %0, 1, 0, q; }" : "=r"(result) : "r"(predicate) : "memory");                 \
        return result;                                                                                       \
    }
B_(and, "and")
B_(or, "or")
D_ int __syncthreads_count(int predicate)
{
    int result;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(result) : "r"(predicate) : "memory");
    return result;
}
D_ unsigned __activemask()
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
D_ int __all_sync(unsigned mask, int predicate) { return __nvvm_vote_all_sync(mask, predicate); }
D_ int __any_sync(unsigned mask, int predicate) { return __nvvm_vote_any_sync(mask, predicate); }
D_ unsigned __ballot_sync(unsigned mask, int predicate) { return __nvvm_vote_ballot_sync(mask, predicate); }

/* `clamp`: 0 for up, 31 for the others, beside the bits that select a part of the warp. */
#define S_(name, how, clamp, argument)                                                                       \
    D_ int name##_(unsigned mask, int value, argument other, int width)                                      \
    {                                                                                                        \
        return __nvvm_shfl_sync_##how##_i32(mask, value, (int)other, ((32 - width) << 8) | clamp);           \
    }                                                                                                        \
    template <class T> D_ T name(unsigned mask, T value, argument other, int width = 32)                     \
    {                                                                                                        \
        static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a shuffle moves 4 or 8 bytes");                     \
        int words[sizeof(T) / 4];                                                                            \
        __builtin_memcpy(words, &value, sizeof value);                                                       \
        for (int i = 0; i < (int)sizeof(T) / 4; i++)                                                         \
            words[i] = name##_(mask, words[i], other, width);                                                \
        __builtin_memcpy(&value, words, sizeof value);                                                       \
        return value;                                                                                        \
    }
S_(__shfl_sync, idx, 31, int)
S_(__shfl_up_sync, up, 0, unsigned)
S_(__shfl_down_sync, down, 31, unsigned)
S_(__shfl_xor_sync, bfly, 31, int)

#define X_(name, operation, type, suffix, letter)                                                            \
    D_ type name(type *address, type value)                                                                  \
    {                                                                                                        \
        type before;                                                                                         \
        asm volatile("atom." operation "." suffix " %0, [%1], %2;"                                           \
                     : "=" letter(before) : "l"(address), letter(value) : "memory");                         \
        return before;                                                                                       \
    }
#define XI_(name, operation)                                                                                 \
    X_(name, operation, int, "s32", "r")                                                                     \
    X_(name, operation, unsigned, "u32", "r")                                                                \
    X_(name, operation, long long, "s64", "l")                                                               \
    X_(name, operation, unsigned long long, "u64", "l")
#define XB_(name, operation)                                                                                 \
    X_(name, operation, int, "b32", "r")                                                                     \
    X_(name, operation, unsigned, "b32", "r")                                                                \
    X_(name, operation, unsigned long long, "b64", "l")
X_(atomicAdd, "add", int, "u32", "r")
X_(atomicAdd, "add", unsigned, "u32", "r")
X_(atomicAdd, "add", unsigned long long, "u64", "l")
X_(atomicAdd, "add", float, "f32", "f")
X_(atomicAdd, "add", double, "f64", "d")
XI_(atomicMin, "min")
XI_(atomicMax, "max")
XB_(atomicAnd, "and")
XB_(atomicOr, "or")
XB_(atomicXor, "xor")
XB_(atomicExch, "exch")
X_(atomicExch, "exch", float, "b32", "f")
X_(atomicInc, "inc", unsigned, "u32", "r")
X_(atomicDec, "dec", unsigned, "u32", "r")
D_ int atomicSub(int *address, int value) { return atomicAdd(address, -value); }
D_ unsigned atomicSub(unsigned *address, unsigned value) { return atomicAdd(address, -value); }
#define C_(type, suffix, letter)                                                                             \
    D_ type atomicCAS(type *address, type compare, type value)                                               \
    {                                                                                                        \
        type before;                                                                                         \
        asm volatile("atom.cas." suffix " %0, [%1], %2, %3;"                                                 \
                     : "=" letter(before) : "l"(address), letter(compare), letter(value) : "memory");        \
        return before;                                                                                       \
    }
C_(int, "b32", "r")
C_(unsigned, "b32", "r")
C_(unsigned long long, "b64", "l")

template <class T> D_ T __ldg(const T *address) { return *address; }
template <class T> D_ T __ldcs(const T *address) { return *address; }
template <class T> D_ T __ldca(const T *address) { return *address; }
template <class T> D_ T __ldcg(const T *address) { return *address; }
template <class T> D_ void __stcs(T *address, T value) { *address = value; }
template <class T> D_ void __stcg(T *address, T value) { *address = value; }

extern "C" __device__ int printf(const char *, ...);
extern "C" __device__ void *memcpy(void *to, const void *from, size_t bytes);
extern "C" __device__ void *memset(void *to, int value, size_t bytes);
D_ long long clock64()
{
    long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now));
    return now;
}
D_ int clock() { return (int)clock64(); }

/* ---- integers and bits ---- */

template <class T> D_ T min(T a, T b) { return b < a ? b : a; }
template <class T> D_ T max(T a, T b) { return a < b ? b : a; }
D_ unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
D_ unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
D_ unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
D_ unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
D_ int abs(int a) { return a < 0 ? -a : a; }
D_ long long llabs(long long a) { return a < 0 ? -a : a; }
D_ int __popc(unsigned a) { return __builtin_popcount(a); }
D_ int __popcll(unsigned long long a) { return __builtin_popcountll(a); }
D_ int __clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
D_ int __clzll(long long a) { return a ? __builtin_clzll((unsigned long long)a) : 64; }
D_ int __ffs(int a) { return a ? __builtin_ctz((unsigned)a) + 1 : 0; }
D_ int __ffsll(long long a) { return a ? __builtin_ctzll((unsigned long long)a) + 1 : 0; }
D_ unsigned __brev(unsigned a) { return __builtin_bitreverse32(a); }
D_ int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
D_ unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffffu) * (b & 0xffffffu); }
D_ int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
D_ unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }
D_ int __float_as_int(float a) { return __builtin_bit_cast(int, a); }
D_ unsigned __float_as_uint(float a) { return __builtin_bit_cast(unsigned, a); }
D_ float __int_as_float(int a) { return __builtin_bit_cast(float, a); }
D_ float __uint_as_float(unsigned a) { return __builtin_bit_cast(float, a); }
D_ long long __double_as_longlong(double a) { return __builtin_bit_cast(long long, a); }
D_ double __longlong_as_double(long long a) { return __builtin_bit_cast(double, a); }
D_ float __int2float_rn(int a) { return (float)a; }
D_ float __uint2float_rn(unsigned a) { return (float)a; }
D_ int __float2int_rz(float a) { return (int)a; }
