/* Shared by the kernels with an offset: C = A + B with the loads shifted, or the stores. */
#pragma once

#include "kernels/suite/suite.h"

template <class Base> struct offset_kernel : Base {
    enum { OFFSET, LOAD };
    enum { A, B, C };
    /* Compiling each path for each variant would be many instances. */
    static constexpr bool load_paths = Base::variants == 1;

    static void describe_offset(kernel &k, text_pair shifted, const char *written)
    {
        k.block = {512, 1, 1};
        Base::param_offset(k, OFFSET, shifted);
        if (load_paths)
            Base::param_load(k, LOAD);
        Base::describe_more(k);
        Base::input(k, A, "A", "n elements");
        Base::input(k, B, "B", "n elements");
        Base::output(k, C, "C", written);
    }
    static traffic ledger(const domain &d)
    {
        uint64_t touched = d.n - (uint64_t)d.param[OFFSET];
        return {2 * touched, touched};
    }
};

/* C[i] = A[i + offset] + B[i + offset] */
template <class Base> struct shifted_loads : offset_kernel<Base> {
    using kernel_of = offset_kernel<Base>;
    static void describe_offset(kernel &k)
    {
        kernel_of::describe_offset(k, {"by how many elements the loads are shifted", "读取偏移的元素个数"},
                                   "n elements, the first n - offset written");
    }
    template <class X> static HOST_DEVICE bool written(const X &x, int, uint64_t i)
    {
        return i + (uint64_t)x.param(kernel_of::OFFSET) < x.n;
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t k = i + (uint64_t)x.param(kernel_of::OFFSET);
        return x.input(kernel_of::A, k) + x.input(kernel_of::B, k);
    }
};

/* C[i + offset] = A[i] + B[i] */
template <class Base> struct shifted_stores : offset_kernel<Base> {
    using kernel_of = offset_kernel<Base>;
    static void describe_offset(kernel &k)
    {
        kernel_of::describe_offset(k, {"by how many elements the stores are shifted", "写入偏移的元素个数"},
                                   "n elements, those from offset on written");
    }
    template <class X> static HOST_DEVICE bool written(const X &x, int, uint64_t i)
    {
        return i >= (uint64_t)x.param(kernel_of::OFFSET);
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        uint64_t k = i - (uint64_t)x.param(kernel_of::OFFSET);
        return x.input(kernel_of::A, k) + x.input(kernel_of::B, k);
    }
};
