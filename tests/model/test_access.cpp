/* The model's count against a plain trace of every thread, and against what hardware counted. */
#include <setjmp.h>
#include <initializer_list>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "kernels/model/access.h"
#include "kernels/device/entry.h"

extern "C" const model_entry *const plain_entries[];

static uint64_t seed = 20261121;

/* splitmix64 */
static uint64_t draw(uint64_t below)
{
    uint64_t z = seed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % below;
}

static int64_t draw_param(const kernel_param &p, int64_t n)
{
    if (p.power_of_two) {
        int64_t value = p.min << draw(8);
        return value > p.max ? p.max : value;
    }
    int64_t max = p.max == PARAM_MAX_IS_SIZE ? n : p.max;
    static const int64_t likely[] = {0, 1, 7, 8, 11, 31, 32, 33, 128};
    int64_t value = draw(2) ? likely[draw(9)] : p.min + (int64_t)draw((uint64_t)(max - p.min + 1));
    return value < p.min ? p.min : value > max ? max : value;
}

/* False: the kernel does not do what was drawn. */
static bool draw_experiment(const kernel *k, experiment *drawn)
{
    static const int64_t blocks[] = {1, 2, 31, 32, 33, 64, 100, 128, 255, 256, 512, 1000, 1024};
    experiment &e = *drawn;
    problems wrong = {};
    do
        experiment_init(&e, k), e.dtype = (dtype)draw(DTYPE_COUNT);
    while (!(k->dtypes >> e.dtype & 1u));
    e.size[0] = 1 + (int64_t)draw(k->dims == 2 ? 40 : 1000);
    e.size[1] = k->dims == 2 ? 1 + (int64_t)draw(40) : 0;
    e.block[0] = draw(2) ? blocks[draw(13)] : 1 + (int64_t)draw(1024);
    if (k->block_dims == 2) {
        e.block[0] = 1 + (int64_t)draw(64);
        e.block[1] = 1 + (int64_t)draw(1024 / (uint64_t)e.block[0]);
    }
    for (int i = 0; i < k->param_count; i++)
        e.param[i] = draw_param(k->params[i], e.size[0] * (k->dims == 2 ? e.size[1] : 1));
    domain d = experiment_domain(&e);
    if (k->refuse(&d, e.dtype).pointer)
        return false;
    if (k->grid_stride && draw(2)) /* loops once or many times */
        e.grid[0] = 1 + (int64_t)draw(20), e.grid[1] = e.grid[2] = 1;
    if (experiment_check(&e, nullptr, &wrong) < 0)
        fail_msg("%s: %s: %s", k->name, wrong.at[0].pointer, wrong.at[0].detail);
    for (int i = 0; i < k->grid_dims; i++) /* sometimes larger than needed */
        e.grid[i] += draw(3) ? 0 : (int64_t)draw(4);
    return true;
}

static experiment draw_allowed(const kernel *k)
{
    experiment e;
    while (!draw_experiment(k, &e))
        ;
    return e;
}

static access plain(const experiment &e)
{
    run r{};
    access sums{};
    r.kernel = e.kernel;
    r.dtype = e.dtype;
    r.domain = experiment_domain(&e);
    r.grid = {(uint64_t)e.grid[0], (uint64_t)e.grid[1], (uint64_t)e.grid[2]};
    (*plain_entries[suite_index(e.kernel)])(&r, &sums);
    return sums;
}

static void expect_shared_equal(const experiment &e, const shared_sums &model, const shared_sums &trace,
                                const char *what)
{
    if (model.requests != trace.requests || model.conflicts != trace.conflicts)
        fail_msg("%s %s shared %s size %lld,%lld block %lld,%lld params %lld,%lld: requests %llu %llu, "
                 "conflicts %llu %llu",
                 e.kernel->name, dtype_name(e.dtype), what, (long long)e.size[0], (long long)e.size[1],
                 (long long)e.block[0], (long long)e.block[1], (long long)e.param[0], (long long)e.param[1],
                 (unsigned long long)model.requests, (unsigned long long)trace.requests,
                 (unsigned long long)model.conflicts, (unsigned long long)trace.conflicts);
}

static void expect_equal(const experiment &e, const access_sums &model, const access_sums &trace,
                         const char *what)
{
    if (memcmp(&model, &trace, sizeof model) != 0)
        fail_msg("%s %s %s size %lld,%lld block %lld,%lld grid %lld,%lld params %lld,%lld: requests %llu "
                 "%llu, sectors "
                 "%llu %llu, lines %llu %llu, bytes %llu %llu",
                 e.kernel->name, dtype_name(e.dtype), what, (long long)e.size[0], (long long)e.size[1],
                 (long long)e.block[0], (long long)e.block[1], (long long)e.grid[0], (long long)e.grid[1],
                 (long long)e.param[0], (long long)e.param[1], (unsigned long long)model.requests,
                 (unsigned long long)trace.requests, (unsigned long long)model.sectors,
                 (unsigned long long)trace.sectors, (unsigned long long)model.lines,
                 (unsigned long long)trace.lines, (unsigned long long)model.bytes,
                 (unsigned long long)trace.bytes);
}

/* Of very many dependent steps the model lets a part stand for all; and the plain trace takes its time. */
static void shorten(experiment *e)
{
    for (int i = 0; i < e->kernel->param_count; i++)
        if (strcmp(e->kernel->params[i].name, "steps") == 0 && e->param[i] > 30)
            e->param[i] = 30;
}

static void the_count_equals_a_plain_trace_of_every_thread(void **)
{
    const char *wanted = getenv("COALESCED_MODEL_DRAWS");
    int draws = wanted ? atoi(wanted) : 1000;
    for (int i = 0; i < suite_count(); i++)
        for (int j = 0; j < draws; j++) {
            experiment e = draw_allowed(suite_at(i));
            shorten(&e);
            access model, trace = plain(e);
            access_count(&e, &model);
            if (!model.exact && !e.kernel->sampled)
                fail_msg("%s is not exact (size %lld, block %lld, params %lld,%lld): an index is not affine "
                         "in the "
                         "block's coordinates; write it so, or say `sampled` (kernels/suite/suite.h)",
                         e.kernel->name, (long long)e.size[0], (long long)e.block[0], (long long)e.param[0],
                         (long long)e.param[1]);
            expect_equal(e, model.load, trace.load, "loads");
            expect_equal(e, model.store, trace.store, "stores");
            expect_equal(e, model.atomic, trace.atomic, "updates");
            expect_shared_equal(e, model.shared_load, trace.shared_load, "loads");
            expect_shared_equal(e, model.shared_store, trace.shared_store, "stores");
        }
}

static void the_bytes_are_those_of_the_ledger(void **)
{
    for (int i = 0; i < suite_count(); i++)
        for (int j = 0; j < 100; j++) {
            experiment e = draw_allowed(suite_at(i));
            shorten(&e);
            access model;
            domain d = experiment_domain(&e);
            access_count(&e, &model);
            assert_int_equal(model.load.bytes, suite_at(i)->ledger(&d).loads * dtype_bytes(e.dtype));
            assert_int_equal(model.store.bytes, suite_at(i)->ledger(&d).stores * dtype_bytes(e.dtype));
            assert_int_equal(model.atomic.bytes, suite_at(i)->ledger(&d).atomics * dtype_bytes(e.dtype));
        }
}

/* What an H200's counters said (docs/measuring.md). */
static const struct {
    const char *kernel;
    int64_t size, block, offset;
    uint64_t load_sectors, store_sectors, load_requests, store_requests;
} measured[] = {
    {"read_offset", 1048576, 512, 0, 262144, 131072, 65536, 32768},
    {"read_offset", 1048576, 512, 11, 327676, 131071, 65536, 32768},
    {"read_offset", 1048576, 512, 128, 262112, 131056, 65528, 32764},
    {"write_offset", 1048576, 512, 11, 262142, 163838, 65536, 32768},
    {"aos", 1048576, 128, -1, 524288, 524288, 65536, 65536},
    {"read_offset", 16777216, 512, 11, 5242876, 2097151, 1048576, 524288},
};

static void what_hardware_counted_is_what_the_model_says(void **)
{
    for (const auto &m : measured) {
        experiment e;
        access model;
        problems wrong = {};
        experiment_init(&e, suite_find(m.kernel));
        e.size[0] = m.size;
        e.block[0] = m.block;
        if (m.offset >= 0)
            e.param[0] = m.offset;
        assert_int_equal(experiment_check(&e, nullptr, &wrong), 0);
        access_count(&e, &model);
        assert_int_equal(model.load.sectors, m.load_sectors);
        assert_int_equal(model.store.sectors, m.store_sectors);
        assert_int_equal(model.load.requests, m.load_requests);
        assert_int_equal(model.store.requests, m.store_requests);
    }
}

/* Counted on an H200 with bank_conflict (bench/results/proof_h200.json). */
static const struct {
    dtype type;
    int64_t size, block, stride, repeats;
    uint64_t conflicts;
} banked[] = {
    {DTYPE_F32, 70608, 512, 16, 16, 529920}, {DTYPE_F32, 68168, 64, 16, 16, 34112},
    {DTYPE_F32, 48256, 64, 32, 3, 4524},     {DTYPE_F64, 92800, 128, 31, 7, 0},
    {DTYPE_F64, 73376, 256, 32, 3, 96432},   {DTYPE_F64, 42016, 1024, 8, 16, 301056},
    {DTYPE_F64, 36958, 33, 2, 16, 35840},    {DTYPE_F64, 3724, 255, 2, 16, 3795},
    {DTYPE_F64, 17642, 32, 16, 16, 8832}, /* two words, taken in turns: the whole warp at once */
    {DTYPE_F64, 131488, 128, 64, 16, 65792},
};

static void bank_conflicts_are_those_that_hardware_counted(void **)
{
    for (const auto &m : banked) {
        experiment e;
        access model;
        problems wrong = {};
        experiment_init(&e, suite_find("bank_conflict"));
        e.dtype = m.type;
        e.size[0] = m.size;
        e.block[0] = m.block;
        e.param[0] = m.stride;
        e.param[1] = m.repeats;
        assert_int_equal(experiment_check(&e, nullptr, &wrong), 0);
        access_count(&e, &model);
        assert_int_equal(model.shared_load.conflicts + model.shared_store.conflicts, m.conflicts);
    }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_count_equals_a_plain_trace_of_every_thread),
        cmocka_unit_test(the_bytes_are_those_of_the_ledger),
        cmocka_unit_test(what_hardware_counted_is_what_the_model_says),
        cmocka_unit_test(bank_conflicts_are_those_that_hardware_counted),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
