/* fields: C[i] = the sum of the first `read` fields of structure i, of `fields` fields each.

   To touch one field of an array of structures moves what lies between: neighbouring lanes are a structure
   apart, and from 32 bytes on each lane has a sector of its own, of which one field is used. The other fields
   of that sector then come out of the L1, unless the load goes past it (`load`: "cg"). With `fields` 1 this is
   a copy: what a field costs that has an array of its own. */
#include "kernels/suite/suite.h"

struct fields : suite_kernel {
    enum { FIELDS, READ, LOAD };
    enum { A, C };
    static constexpr bool load_paths = true;

    static void describe(kernel &k)
    {
        k.title = {"Some fields of a structure", "结构的部分字段"};
        k.text = {"C[i] = A[i].field[0] + ... + A[i].field[read - 1]"};
        k.lesson = {"Reading one field of a structure moves what lies between: a field that is read alone "
                    "wants an array of its own.",
                    "只读一个字段，也要为中间的所有字节付出代价：单独使用的字段应放在自己的数组里。"};
        param_integer(k, FIELDS, "fields", "elements", {"of a structure", "一个结构的字段数"}, 1, 16, 4);
        param_integer(k, READ, "read", "fields",
                      {"how many of them are read, one by one", "逐个读取其中几个"}, 1, 16, 1);
        param_load(k, LOAD);
        input(k, A, "A", "n structures");
        output(k, C, "C", "n elements, all written");
    }
    static kernel_problem refuse(const domain &d, dtype)
    {
        kernel_problem problem = {};
        if (d.param[READ] > d.param[FIELDS]) {
            problem.pointer = "#/read";
            snprintf(problem.detail, sizeof problem.detail,
                     "must not exceed the fields of a structure, %lld; is %lld", (long long)d.param[FIELDS],
                     (long long)d.param[READ]);
        }
        return problem;
    }
    static HOST_DEVICE uint64_t elements(const domain &d, int buffer)
    {
        return buffer == A ? d.n * (uint64_t)d.param[FIELDS] : d.n;
    }
    static traffic ledger(const domain &d) { return {d.n * (uint64_t)d.param[READ], d.n}; }
    template <class Context> static BODY void body(Context &c)
    {
        auto i = c.global_x();
        if (i < c.n) {
            typename Context::T sum = 0;
            typename Context::I field = i * c.param(FIELDS);
            c.each_step(c.param(READ), [&] { sum = sum + c.load(A, field++); });
            c.store(C, i, sum);
        }
    }
    template <class X> static HOST_DEVICE auto expected(const X &x, int, uint64_t i)
    {
        typename X::T value = 0;
        for (uint64_t f = 0; f < (uint64_t)x.param(READ); f++)
            value += x.input(A, i * (uint64_t)x.param(FIELDS) + f);
        return value;
    }
};
SUITE_KERNEL(fields)
