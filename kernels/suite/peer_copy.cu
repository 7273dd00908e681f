/* peer_copy: C[i] = A[i], one of them in another GPU's memory, moved by a copy engine.

   What cudaMemcpyPeer does: with access enabled the bytes go straight from one memory to the other, without
   they are staged through the host's. On a GPU no thread takes part; the body says the same where there is no
   engine. The link carries each byte once, whereas the requested bytes count its load and its store. */
#include "kernels/suite/suite.h"

struct peer_copy : suite_kernel {
    enum { DIRECTION, ACCESS };
    enum { A, C };
    enum { READ, WRITE };
    enum { ENABLED, DISABLED };
    static constexpr bool peer = true;
    static constexpr bool copied = true;
    static constexpr unsigned dtypes = F32 | F64 | I32 | U8 | U16;

    static void describe(kernel &k)
    {
        static const char *const directions[] = {"read", "write", nullptr};
        static const char *const access[] = {"enabled", "disabled", nullptr};
        k.title = {"Copy between two GPUs", "两个 GPU 之间的复制"};
        k.text = {"C[i] = A[i] by a copy engine, A or C in the peer's memory",
                  "复制引擎做 C[i] = A[i]，A 或 C 在对方的内存里"};
        k.lesson = {"The bandwidth of a link between two GPUs, and what is left of it when copies go through "
                    "the host's memory.",
                    "两个 GPU 之间的链路能传多少；若复制必须绕经主机内存，又还剩多少。"};
        k.size[0] = 16777216;
        param_choice(k, DIRECTION, "direction",
                     {"read: A lies in the peer's memory; write: C does. It is this device that copies",
                      "read：A 在对方的内存里；write：C 在对方的内存里。复制的总是本设备"},
                     directions);
        param_choice(
            k, ACCESS, "access",
            {"whether this device may reach the peer's memory; without, the driver copies by way of the host",
             "本设备能否直接访问对方的内存；不能时驱动程序绕经主机复制"},
            access);
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements, all written");
    }
    static memory memory_of(const domain &d, int buffer)
    {
        return buffer == (d.param[DIRECTION] == READ ? A : C) ? MEMORY_PEER : MEMORY_OWN;
    }
    static bool peer_access(const domain &d) { return d.param[ACCESS] == ENABLED; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n)
            c.store(C, i, c.load(A, i));
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i) { return x.input(A, i); }
};
SUITE_KERNEL(peer_copy)
