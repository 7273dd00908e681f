/* Every kernel: verified at shapes that fit nothing, and found out when its body is spoiled. On the CPU
   device, or on the one that the first argument names ("cuda:0"); further arguments: these kernels alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <vector>

#include "kernels/device/cpu_pool.h"
#include "kernels/measure/runner.h"
#include "tests/spoiled/spoiled.h"

extern "C" {
extern const kernel_entry *const spoiled_cpu_entries[];
#ifdef TEST_CUDA
extern const kernel_entry *const spoiled_cuda_entries[];
#endif
spoil_how spoil_wanted;
spoil spoil_now;
}

static const char *spec = "cpu";
static const device_kind *kind;
static int device_index;
static runner *plain, *spoiling;
static device_kind spoiling_kind;
static const kernel_entry *const *spoiled_entries;
static cpu_pool *pool;

static int launch_spoiled(device *, const run *r, error *e)
{
    int code = spoiled_entries[suite_index(r->kernel)]->launch(r, pool);
    return code ? error_set(e, ERROR_CUDA, "code %d", code) : 0;
}

static std::vector<const kernel *> chosen;

static int set_up(void **)
{
    error e = {};
    int count;
    if (device_find(spec, &kind, &device_index, &count, &e) < 0) {
        print_error("%s\n", e.text);
        return -1;
    }
    spoiling_kind = *kind;
    spoiling_kind.launch = launch_spoiled;
    spoiled_entries = spoiled_cpu_entries;
#ifdef TEST_CUDA
    if (strcmp(kind->name, "cuda") == 0)
        spoiled_entries = spoiled_cuda_entries;
#endif
    if (spoiled_entries == spoiled_cpu_entries)
        pool = cpu_pool_new(1); /* what lies beyond the end is written by several threads */
    return runner_new(&plain, kind, device_index, &e) < 0 ||
           runner_new(&spoiling, &spoiling_kind, device_index, &e) < 0;
}

static int tear_down(void **)
{
    runner_free(plain);
    runner_free(spoiling);
    cpu_pool_free(pool);
    return 0;
}

static int param_named(const kernel *k, const char *name)
{
    for (int i = 0; i < k->param_count; i++)
        if (strcmp(k->params[i].name, name) == 0)
            return i;
    return -1;
}

static int checks;

/* Runs what is asked for; a shape that the check refuses is a mistake of the test. */
static int run_one(runner *r, experiment e, result *out, error *failure)
{
    problems wrong = {};
    device_facts facts;
    *failure = {};
    memset(e.grid, 0, sizeof e.grid);
    assert_int_equal(kind->describe(device_index, &facts, failure), 0);
    /* A CPU refuses those of two GPUs; their bodies are checked here all the same. */
    if (experiment_check(&e, e.kernel->peer ? nullptr : &facts, &wrong) < 0)
        fail_msg("%s: %s: %s", e.kernel->name, wrong.at[0].pointer, wrong.at[0].detail);
    checks++;
    return runner_verify(r, &e, out, failure);
}

static void expect_verified(const experiment &e)
{
    result out;
    error failure;
    if (run_one(plain, e, &out, &failure) < 0)
        fail_msg("%s %s size %lld,%lld block %lld,%lld params %lld,%lld: %s", e.kernel->name,
                 dtype_name(e.dtype), (long long)e.size[0], (long long)e.size[1], (long long)e.block[0],
                 (long long)e.block[1], (long long)e.param[0], (long long)e.param[1], failure.text);
    assert_true(out.correctness.verified);
    assert_true(out.correctness.elements_checked > 0);
}

/* Every value of a choice; of a number a few, and fewer of those behind the first: each is tried with
   each. */
template <class F> static void each_param(experiment e, int from, F f)
{
    if (from >= SUITE_PARAMS || from == e.kernel->param_count) {
        domain d = experiment_domain(&e);
        int fence = param_named(e.kernel, "fence");
        bool race = fence >= 0 && e.param[fence] != 0 && strcmp(kind->name, "cpu") != 0; /* may be wrong */
        if (!race && !e.kernel->refuse(&d, e.dtype).pointer)
            f(e);
        return;
    }
    const kernel_param &p = e.kernel->params[from];
    int64_t n = e.size[0] * (e.kernel->dims == 2 ? e.size[1] : 1);
    static const std::vector<int64_t> many = {0, 1, 2, 7, 11, 31, 32, 128}, few = {0, 1, 7, 32};
    if (p.type == PARAM_CHOICE) {
        for (int64_t v = p.min; v <= p.max; v++) {
            e.param[from] = v;
            each_param(e, from + 1, f);
        }
        return;
    }
    for (int64_t v : from == 0 ? many : few)
        if (v >= p.min && v <= (p.max == PARAM_MAX_IS_SIZE ? n : p.max) &&
            (!p.power_of_two || !(v & (v - 1)))) {
            e.param[from] = v;
            each_param(e, from + 1, f);
        }
    if (p.max == PARAM_MAX_IS_SIZE) {
        e.param[from] = n;
        each_param(e, from + 1, f);
    }
}

/* Where the environment wants fewer draws of the model, the largest size is left out: half of what a
   sanitizer's build takes. */
template <class F> static void each_shape(const kernel *k, F f)
{
    static const int64_t sizes1[] = {1, 31, 1003, 20011}, sizes2[][2] = {{1, 1}, {37, 53}, {101, 203}};
    const int sizes = (k->dims == 2 ? 3 : 4) - (getenv("COALESCED_MODEL_DRAWS") != nullptr);
    static const int64_t blocks1[] = {1, 32, 100, 256, 1024},
                         blocks2[][2] = {{1, 1}, {32, 32}, {16, 7}, {5, 33}, {256, 1}};
    experiment e;
    experiment_init(&e, k);
    for (int s = 0; s < sizes; s++)
        for (int b = 0; b < 5; b++)
            for (int d = 0; d < DTYPE_COUNT; d++) {
                if (!(k->dtypes >> d & 1u))
                    continue;
                e.dtype = (dtype)d;
                e.size[0] = k->dims == 2 ? sizes2[s][0] : sizes1[s];
                e.size[1] = k->dims == 2 ? sizes2[s][1] : 0;
                e.block[0] = k->block_dims == 2 ? blocks2[b][0] : blocks1[b];
                e.block[1] = k->block_dims == 2 ? blocks2[b][1] : 1;
                each_param(e, 0, f);
            }
}

static void every_kernel_is_verified_at_sizes_and_blocks_that_fit_nothing(void **)
{
    for (const kernel *k : chosen)
        each_shape(k, expect_verified);
    print_message("%d configurations of %zu kernels on %s\n", checks, chosen.size(), spec);
}

static void a_grid_larger_than_needed_changes_nothing(void **)
{
    for (const kernel *k : chosen) {
        experiment e;
        result out;
        error failure = {};
        problems wrong = {};
        experiment_init(&e, k);
        e.size[0] = 1003;
        e.size[1] = e.kernel->dims == 2 ? 77 : 0;
        if (experiment_check(&e, nullptr, &wrong) < 0)
            fail_msg("%s: %s", e.kernel->name, wrong.at[0].detail);
        domain d = experiment_domain(&e);
        e.grid[0] += 3 * (int64_t)k->cluster(&d);
        if (e.kernel->grid_dims == 2)
            e.grid[1] += 2;
        assert_int_equal(experiment_check(&e, nullptr, &wrong), 0);
        if (runner_verify(plain, &e, &out, &failure) < 0)
            fail_msg("%s: %s", e.kernel->name, failure.text);
    }
}

static void one_thread_does_it_all_in_a_loop_over_the_grid(void **)
{
    for (const kernel *k : chosen) {
        experiment e;
        result out;
        error failure = {};
        problems wrong = {};
        experiment_init(&e, k);
        if (!k->grid_stride)
            continue;
        e.size[0] = 1003;
        e.block[0] = e.grid[0] = e.grid[1] = e.grid[2] = 1;
        for (int v = 0; v < 3; v++) {
            if (k->params[0].type == PARAM_CHOICE && v <= k->params[0].max)
                e.param[0] = v;
            if (experiment_check(&e, nullptr, &wrong) < 0)
                fail_msg("%s: %s", k->name, wrong.at[0].detail);
            if (runner_verify(plain, &e, &out, &failure) < 0)
                fail_msg("%s: %s", k->name, failure.text);
        }
    }
}

static void expect_found_out(const kernel *k, dtype d, spoil_how how)
{
    experiment e;
    result out;
    error failure;
    experiment_init(&e, k);
    e.dtype = d;
    e.size[0] = k->dims == 2 ? 77 : 4099;
    e.size[1] = k->dims == 2 ? 91 : 0;
    if (param_named(k, "offset") >= 0)
        e.param[param_named(k, "offset")] = 11;
    domain d_of = experiment_domain(&e);
    for (int i = 0; i < k->param_count && k->refuse(&d_of, d).pointer;
         i++) /* the least of each, until it is taken */
        e.param[i] = k->params[i].min, d_of = experiment_domain(&e);
    spoil_wanted = how;
    int code = run_one(spoiling, e, &out, &failure);
    if (how == SPOIL_NONE) {
        if (code < 0)
            fail_msg("%s unspoiled: %s", k->name, failure.text);
        return;
    }
    if (code == 0 || failure.kind != ERROR_INCORRECT || out.correctness.verified ||
        !out.correctness.mismatches || !out.correctness.has_first)
        fail_msg("%s %s spoiled by %d was not found out (%d, %s)", k->name, dtype_name(d), (int)how, code,
                 failure.text);
    if (how != SPOIL_BEYOND && out.correctness.mismatches > out.correctness.elements_checked)
        fail_msg("%s %s spoiled by %d: %llu wrong of %llu", k->name, dtype_name(d), (int)how,
                 (unsigned long long)out.correctness.mismatches,
                 (unsigned long long)out.correctness.elements_checked);
    if (how == SPOIL_BEYOND)
        assert_true(out.correctness.first.guard);
}

static void every_way_to_spoil_every_kernel_is_found_out(void **)
{
    for (const kernel *k : chosen)
        for (int d = 0; d < DTYPE_COUNT; d++)
            for (int how = SPOIL_NONE; how < SPOILS; how++)
                if (k->dtypes >> d & 1u)
                    expect_found_out(k, (dtype)d, (spoil_how)how);
}

static void the_ledger_counts_what_is_touched(void **)
{
    for (const kernel *k : chosen) {
        int offset = param_named(k, "offset");
        experiment e;
        experiment_init(&e, k);
        if (offset < 0 || k->peer) /* those of a peer begin so far in, and end later */
            continue;
        e.param[offset] = e.size[0];
        domain d = experiment_domain(&e);
        assert_int_equal(k->ledger(&d).loads + k->ledger(&d).stores, 0);
        e.param[offset] = 11;
        d = experiment_domain(&e);
        assert_int_equal(k->ledger(&d).stores, d.n - 11);
        assert_int_equal(k->ledger(&d).loads, 2 * (d.n - 11));
    }
}

/* Stores are the elements of the outputs that expected() says are written: counted by looking at each. */
static void the_ledger_s_stores_are_the_elements_that_are_expected_to_be_written(void **)
{
    for (const kernel *k : chosen)
        each_shape(k, [](const experiment &e) {
            problems wrong = {};
            experiment derived = e;
            if (e.size[0] > 1003 || experiment_check(&derived, nullptr, &wrong) < 0)
                return;
            domain d = experiment_domain(&derived);
            uint64_t written = 0;
            double value = 0;
            for (int b = 0; b < e.kernel->buffer_count; b++)
                for (uint64_t at = 0;
                     e.kernel->buffers[b].role == BUFFER_OUTPUT && at < e.kernel->elements(&d, b); at++)
                    written += e.kernel->expected(&d, e.dtype, b, at, &value);
            assert_int_equal(e.kernel->ledger(&d).stores, written);
        });
}

static experiment looping(const kernel *k, int64_t size, int64_t block, int64_t grid)
{
    experiment e;
    problems wrong = {};
    experiment_init(&e, k);
    e.size[0] = size;
    e.block[0] = block;
    e.grid[0] = grid;
    e.grid[1] = e.grid[2] = 1;
    if (experiment_check(&e, nullptr, &wrong) < 0)
        fail_msg("%s: %s", k->name, wrong.at[0].detail);
    return e;
}

static int64_t thread_ns(void)
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One thread that does all the work is one output element with all the inputs behind it. To know it must
   not take longer than to look at each of them; processor time, because the machine may be busy. */
static void what_one_thread_leaves_is_known_as_soon_as_its_inputs_are_looked_at(void **)
{
    for (const kernel *k : chosen) {
        if (!k->grid_stride)
            continue;
        experiment e = looping(k, 1 << 20, 1, 1);
        domain d = experiment_domain(&e);
        double value = 0;
        int64_t begin = thread_ns();
        for (uint64_t i = 0; i < d.n; i++)
            k->expected(&d, e.dtype, 0, i, &value);
        int64_t looked = thread_ns();
        k->expected(&d, e.dtype, k->buffer_count - 1, 0, &value);
        int64_t known = thread_ns();
        if (known - looked > looked - begin)
            fail_msg("%s: %lld us, to look at each input takes %lld", k->name,
                     (long long)(known - looked) / 1000, (long long)(looked - begin) / 1000);
    }
}

static void the_partial_sums_of_stream_dot_are_those_of_its_inputs(void **)
{
    static const int64_t sizes[] = {1, 253, 254, 255, 5000, 100003}, blocks[] = {1, 2, 100, 127, 254, 1000},
                         grids[] = {1, 3, 127, 300};
    const kernel *k = suite_find("stream_dot");
    for (int64_t size : sizes)
        for (int64_t block : blocks)
            for (int64_t grid : grids) {
                experiment e = looping(k, size, block, grid);
                domain d = experiment_domain(&e);
                std::vector<double> sums((size_t)grid);
                for (uint64_t i = 0; i < d.n; i++) {
                    double a = 0, b = 0;
                    k->expected(&d, e.dtype, 0, i, &a);
                    k->expected(&d, e.dtype, 1, i, &b);
                    sums[i / (uint64_t)block % (uint64_t)grid] += a * b;
                }
                for (size_t i = 0; i < sums.size(); i++) {
                    double value = -1;
                    k->expected(&d, e.dtype, 2, i, &value);
                    if (value != sums[i])
                        fail_msg("size %lld block %lld grid %lld: C[%zu] is %.0f, not %.0f", (long long)size,
                                 (long long)block, (long long)grid, i, sums[i], value);
                }
            }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        spec = argv[1];
    for (int i = 2; i < argc; i++)
        if (const kernel *k = suite_find(argv[i]))
            chosen.push_back(k);
    /* Those of two devices take two: bench/machine.py runs them. */
    for (int i = 0; i < suite_count() && argc <= 2; i++)
        if (!suite_at(i)->peer || strcmp(spec, "cpu") == 0)
            chosen.push_back(suite_at(i));
    const CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_is_verified_at_sizes_and_blocks_that_fit_nothing),
        cmocka_unit_test(a_grid_larger_than_needed_changes_nothing),
        cmocka_unit_test(one_thread_does_it_all_in_a_loop_over_the_grid),
        cmocka_unit_test(every_way_to_spoil_every_kernel_is_found_out),
        cmocka_unit_test(the_ledger_counts_what_is_touched),
        cmocka_unit_test(the_ledger_s_stores_are_the_elements_that_are_expected_to_be_written),
        cmocka_unit_test(what_one_thread_leaves_is_known_as_soon_as_its_inputs_are_looked_at),
        cmocka_unit_test(the_partial_sums_of_stream_dot_are_those_of_its_inputs),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
