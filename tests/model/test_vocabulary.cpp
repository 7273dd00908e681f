/* What suite.h says of contexts and of a file's order, with a kernel that is not in the suite
   (vocabulary.cu). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
extern "C" {
#include <cmocka.h>
}
#include <vector>

#include "kernels/device/cpu_pool.h"
#include "kernels/device/kernel_entry.h"
#include "kernels/model/access.h"
#include "kernels/suite/table_way.h"
#include "tests/spoiled/spoiled.h"

extern "C" {
void suite_describe_vocabulary(kernel *kernel);
extern const kernel_entry cpu_entry_vocabulary, spoiled_cpu_entry_vocabulary;
extern const model_entry model_entry_vocabulary, plain_entry_vocabulary;
spoil_how spoil_wanted;
spoil spoil_now;
}

static const uint64_t size = 1000, width = 128;

static kernel described()
{
    kernel k = {};
    k.name = "vocabulary";
    suite_describe_vocabulary(&k);
    assert_string_equal(k.mistake, "");
    return k;
}

/* Of `size` elements in f64, with memory behind its buffers. */
struct experiment_of_vocabulary {
    kernel k = described();
    run r = {};
    std::vector<double> memory[SUITE_BUFFERS];

    explicit experiment_of_vocabulary(int64_t variant)
    {
        r.kernel = &k;
        r.dtype = DTYPE_F64;
        r.domain = {
            &k, size, 1, size, {variant, 3, LOAD_DEFAULT}, {width, 1, 1}, {(size + width - 1) / width, 1, 1}};
        r.grid = r.domain.grid;
        r.shared_bytes = k.shared_bytes(&r.domain, r.dtype);
        for (int b = 0; b < k.buffer_count; b++) {
            r.elements[b] = k.elements(&r.domain, b);
            memory[b].resize(r.elements[b]);
            r.buffer[b] = memory[b].data();
        }
    }
};

static void expect_verified_by(const kernel_entry &entry, const kernel_entry &checks)
{
    cpu_pool *pool = cpu_pool_new(2);
    for (int64_t variant = 1; variant <= 2; variant++) {
        experiment_of_vocabulary e(variant);
        for (int b = 0; b < e.k.buffer_count; b++)
            assert_int_equal(checks.prepare(&e.r, b, pool), 0);
        assert_int_equal(entry.launch(&e.r, pool), 0);
        for (int b = 0; b < e.k.buffer_count; b++) {
            mismatches found = {0, ~0ull, 0};
            assert_int_equal(checks.check(&e.r, b, &found, pool), 0);
            if (found.mismatches)
                fail_msg("%s: %llu wrong, the first at %llu", e.k.buffers[b].name, found.mismatches,
                         found.first);
        }
    }
    cpu_pool_free(pool);
}

static void the_cpu_s_context_offers_all_that_suite_h_lists(void **)
{
    expect_verified_by(cpu_entry_vocabulary, cpu_entry_vocabulary);
}

static void a_context_that_spoils_nothing_offers_it_too(void **)
{
    spoil_wanted = SPOIL_NONE;
    expect_verified_by(spoiled_cpu_entry_vocabulary, cpu_entry_vocabulary);
}

static void the_model_and_the_plain_trace_count_the_same_of_it(void **)
{
    for (int64_t variant = 1; variant <= 2; variant++) {
        experiment_of_vocabulary e(variant);
        access model = {}, plain = {};
        model_entry_vocabulary(&e.r, &model, nullptr);
        plain_entry_vocabulary(&e.r, &plain, nullptr);
        assert_memory_equal(&model.load, &plain.load, sizeof plain.load);
        assert_memory_equal(&model.store, &plain.store, sizeof plain.store);
        assert_memory_equal(&model.atomic, &plain.atomic, sizeof plain.atomic);
        assert_true(plain.load.requests && plain.store.requests && plain.atomic.requests);
    }
}

/* The same description, with the enums in another order than the calls. */
struct params_swapped : suite_kernel {
    enum { REPEATS, STRIDE };
    enum { A };
    static void describe(kernel &k)
    {
        param_integer(k, STRIDE, "stride", "elements", {""}, 1, 64, 1);
        param_integer(k, REPEATS, "repeats", "", {""}, 1, 16, 16);
        output(k, A, "A", "n elements");
    }
};
struct buffers_swapped : suite_kernel {
    enum { C, A };
    static void describe(kernel &k)
    {
        input(k, A, "A", "n elements");
        output(k, C, "C", "n elements");
    }
};
struct load_forgotten : suite_kernel {
    enum { STRIDE, LOAD };
    static void describe(kernel &k) { param_load(k, LOAD); }
};
struct too_many : suite_kernel {
    static void describe(kernel &k)
    {
        for (int i = 0; i <= SUITE_BUFFERS; i++)
            output(k, i, "A", "n elements");
    }
};

template <class K> static void expect_mistake(const char *text)
{
    kernel k = {};
    k.load_param = -1;
    K::describe(k);
    assert_string_equal(k.mistake, text);
}

static void an_enum_in_another_order_than_its_calls_is_a_mistake(void **)
{
    expect_mistake<params_swapped>("parameter stride is described as number 0, its enumerator is 1");
    expect_mistake<buffers_swapped>("buffer A is described as number 0, its enumerator is 1");
    expect_mistake<load_forgotten>("parameter load is described as number 0, its enumerator is 1");
    expect_mistake<too_many>("buffer A is number 4, and its enumerator 4: too many");
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_cpu_s_context_offers_all_that_suite_h_lists),
        cmocka_unit_test(a_context_that_spoils_nothing_offers_it_too),
        cmocka_unit_test(the_model_and_the_plain_trace_count_the_same_of_it),
        cmocka_unit_test(an_enum_in_another_order_than_its_calls_is_a_mistake),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
