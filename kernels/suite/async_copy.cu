/* async_copy: C[i] = A[i], by way of shared memory.

     registers   loads into registers, which are stored into shared memory
     async       cp.async: 16 bytes a thread go there by themselves, past registers and the L1 (sm_80 and later)
     bulk        the tensor memory accelerator: one thread asks for a block's whole tile (cp.async.bulk, sm_90 and later)

   A block takes one tile after the other, 16 bytes a thread, in a loop over the grid; `stages` of its tiles are
   under way at a time. What is in flight without a thread waiting for it is what one stage lacks, and what
   registers cannot give. */
#include "kernels/suite/suite.h"

struct async_copy : suite_kernel {
    enum { HOW, STAGES };
    enum { A, C };
    static constexpr unsigned dtypes = F32 | I32;
    static constexpr int W = 4;
    static constexpr bool block_level = true, grid_stride_loop = true;
    static constexpr int variants = STAGED_WAYS;
    static int variant(const domain &d) { return (int)d.param[HOW]; }

    static void describe(kernel &k)
    {
        static const char *const ways[] = {"registers", "async", "bulk", nullptr};
        k.title = {"Asynchronous copy to shared memory", "异步复制到共享内存"};
        k.text = {"C[i] = A[i], through shared memory", "C[i] = A[i]，经过共享内存"};
        k.lesson = {"Data on its way to shared memory occupies no register, and no thread waits for it.",
                    "正在复制到共享内存的数据不占寄存器，也不需要线程等待。"};
        k.size[0] = 67108864;
        k.per_thread = W;
        param_choice(k, HOW, "how",
                     {"by registers, by cp.async, or in bulk by the tensor memory accelerator (TMA)",
                      "经寄存器、用 cp.async，或由张量内存加速器（TMA）成批搬运"},
                     ways);
        param_integer(k, STAGES, "stages", "tiles",
                      {"tiles of a block that are under way at a time", "一个块同时在途的分块数"}, 1, 8, 2);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    static int architecture(const domain &d)
    {
        return d.param[HOW] == STAGED_BULK ? 90 : d.param[HOW] == STAGED_ASYNC ? 80 : 0;
    }
    static text_pair untimed(const domain &)
    {
        return {"copies to shared memory that go on while a block works are not modelled",
                "模型不含块工作时仍在进行的向共享内存的复制"};
    }
    static shape cover(const domain &d) /* the rest counts too: of 7 elements it is the longer loop */
    {
        uint64_t wide = (d.n + W - 1) / W, rest = d.n % W;
        return {wide > rest ? wide : rest, 1, 1};
    }
    static uint64_t shared_bytes(const domain &d, uint64_t element_bytes)
    {
        uint64_t stages = (uint64_t)d.param[STAGES], tile = d.block.x * W * element_bytes;
        return stages * (tile + (d.param[HOW] == STAGED_BULK ? STAGED_BARRIER_BYTES : 0));
    }
    static traffic unmodelled_traffic(const domain &d)
    {
        return {d.param[HOW] == STAGED_BULK ? d.n / W * W : 0, 0};
    }
    template <class Context> static BODY void body(Context &c)
    {
        c.template staged<Context::variant, W>(A, c.n / W, c.param(STAGES),
                                               [&](auto j, auto four) { c.store_wide(C, j, four); });
        auto whole = c.n / W * W;
        c.threads([&] { /* the last less than four elements */
                        c.strided(c.n - whole, [&](auto r) { c.store(C, whole + r, c.load(A, whole + r)); });
        });
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i) { return x.input(A, i); }
};
SUITE_KERNEL(async_copy)
