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

#include <algorithm>

#include "kernels/model/pattern.h"
#include "kernels/model/prediction.h"
#include "tests/model/draws.h"
#include "tests/model/plain_listing.h"

static void expect_shared_equal(const experiment &e, const shared_sums &model, const shared_sums &trace,
                                const char *what)
{
    if (model.requests != trace.requests || model.wavefronts != trace.wavefronts ||
        model.conflicts != trace.conflicts || model.half_wavefronts != trace.half_wavefronts ||
        model.half_conflicts != trace.half_conflicts)
        fail_msg("%s %s shared %s size %lld,%lld block %lld,%lld params %lld,%lld: requests %llu %llu, "
                 "conflicts %llu %llu, of halves %llu %llu",
                 e.kernel->name, dtype_name(e.dtype), what, (long long)e.size[0], (long long)e.size[1],
                 (long long)e.block[0], (long long)e.block[1], (long long)e.param[0], (long long)e.param[1],
                 (unsigned long long)model.requests, (unsigned long long)trace.requests,
                 (unsigned long long)model.conflicts, (unsigned long long)trace.conflicts,
                 (unsigned long long)model.half_conflicts, (unsigned long long)trace.half_conflicts);
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

/* The model's count of an experiment is that of the plain trace. */
static void expect_counted(const experiment &e)
{
    access model, trace = plain(e);
    access_count(&e, &model);
    if (!model.exact && !e.kernel->sampled)
        fail_msg("%s is not exact (size %lld, block %lld, params %lld,%lld): an index is not affine in the "
                 "block's coordinates; write it so, or say `sampled` (kernels/suite/suite.h)",
                 e.kernel->name, (long long)e.size[0], (long long)e.block[0], (long long)e.param[0],
                 (long long)e.param[1]);
    expect_equal(e, model.load, trace.load, "loads");
    expect_equal(e, model.store, trace.store, "stores");
    expect_equal(e, model.atomic, trace.atomic, "updates");
    expect_shared_equal(e, model.shared_load, trace.shared_load, "loads");
    expect_shared_equal(e, model.shared_store, trace.shared_store, "stores");
}

static void the_count_equals_a_plain_trace_of_every_thread(void **)
{
    int draws = draws_wanted(600);
    for (int i = 0; i < suite_count(); i++)
        for (int j = 0; j < draws; j++) {
            experiment e = draw_allowed(suite_at(i));
            shorten(&e);
            expect_counted(e);
        }
}

/* Where a rest is more than what it is the rest of. */
static void the_smallest_launches_are_counted_too(void **)
{
    for (int i = 0; i < suite_count(); i++)
        for (int64_t size = 1; size <= 12; size++)
            for (int64_t block = 1; block <= 3; block++) {
                experiment e = draw_allowed(suite_at(i));
                problems wrong = {};
                shorten(&e);
                e.size[0] = size, e.block[0] = block;
                memset(e.grid, 0, sizeof e.grid);
                domain d = experiment_domain(&e);
                if (!e.kernel->refuse(&d, e.dtype).pointer && experiment_check(&e, nullptr, &wrong) == 0)
                    expect_counted(e);
            }
}

static void expect_reach(const experiment &e, const access_reach &model, const access_reach &trace,
                         const char *what)
{
    if (model.block_sectors == trace.block_sectors && model.block_lines == trace.block_lines &&
        model.block_pages == trace.block_pages && model.grid_chunks == trace.grid_chunks)
        return;
    fail_msg("%s %s %s size %lld,%lld block %lld,%lld grid %lld,%lld params %lld,%lld: sectors of blocks "
             "%llu %llu, "
             "lines %llu %llu, pages %llu %llu, chunks of the grid %llu %llu",
             e.kernel->name, dtype_name(e.dtype), what, (long long)e.size[0], (long long)e.size[1],
             (long long)e.block[0], (long long)e.block[1], (long long)e.grid[0], (long long)e.grid[1],
             (long long)e.param[0], (long long)e.param[1], (unsigned long long)model.block_sectors,
             (unsigned long long)trace.block_sectors, (unsigned long long)model.block_lines,
             (unsigned long long)trace.block_lines, (unsigned long long)model.block_pages,
             (unsigned long long)trace.block_pages, (unsigned long long)model.grid_chunks,
             (unsigned long long)trace.grid_chunks);
}

/* A subset of the draws: these sets take their time. */
static void what_is_reached_exactly_is_what_a_plain_trace_reaches(void **)
{
    int draws = draws_wanted(600) / 25 + 1;
    for (int i = 0; i < suite_count(); i++) {
        int exact = 0;
        for (int j = 0; j < draws; j++) {
            experiment e = draw_allowed(suite_at(i));
            shorten(&e);
            access model;
            plain_reach reached;
            plain_reached = &reached;
            plain(e);
            plain_reached = nullptr;
            access_count(&e, &model);
            if (model.load_reach.exact)
                expect_reach(e, model.load_reach, reached.sums(false), "loads");
            if (model.store_reach.exact)
                expect_reach(e, model.store_reach, reached.sums(true), "stores");
            if (!model.load_reach.exact || !model.store_reach.exact)
                continue;
            exact++;
            double threads =
                (double)(e.grid[0] * e.grid[1] * e.grid[2] * e.block[0] * e.block[1] * e.block[2]);
            assert_true(model.steps == (double)reached.steps / threads);
        }
        if (2 * exact < draws)
            fail_msg("%s: of so small launches %d of %d are told exactly", suite_at(i)->name, exact, draws);
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
            traffic all = e.kernel->ledger(&d), elsewhere = e.kernel->unmodelled_traffic(&d);
            uint64_t each = dtype_bytes(e.dtype);
            assert_int_equal(model.load.bytes, (all.loads - elsewhere.loads) * each);
            assert_int_equal(model.store.bytes, (all.stores - elsewhere.stores) * each);
            assert_int_equal(model.atomic.bytes, (all.atomics - elsewhere.atomics) * each);
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

/* Blocks behind the size cost nothing and count for nothing, also where blocks are sampled; and blocks of
   a few threads do not cost more than others. */
static void a_sampled_grid_far_too_large_is_counted_as_the_one_that_is_needed(void **)
{
    static const struct {
        const char *kernel;
        int64_t size, block, pattern;
    } cases[] = {{"gather", 1, 1024, 0}, {"gather", 5000, 96, 0}, {"store_pattern", 100000, 1, 2}};
    for (const auto &c : cases) {
        experiment needed, given;
        access one, other;
        problems wrong = {};
        if (!suite_find(c.kernel)) /* a build of a part of the suite */
            continue;
        experiment_init(&needed, suite_find(c.kernel));
        needed.size[0] = c.size;
        needed.block[0] = c.block;
        needed.param[0] = c.pattern;
        given = needed;
        given.grid[0] = INT32_MAX;
        given.grid[1] = given.grid[2] = 1;
        assert_int_equal(experiment_check(&needed, nullptr, &wrong), 0);
        assert_int_equal(experiment_check(&given, nullptr, &wrong), 0);
        access_count(&needed, &one);
        access_count(&given, &other);
        expect_equal(given, other.load, one.load, "loads");
        expect_equal(given, other.store, one.store, "stores");
        assert_true(one.boxes < 10000 && other.boxes < 10000);
    }
}

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

/* Counted on an H200 (bench/results/proof_h200.json and agree_new_kernels_h200.json). */
static const struct {
    const char *kernel;
    dtype type;
    int64_t size[2], block[2], param[2];
    uint64_t conflicts;
} banked[] = {
    {"bank_conflict", DTYPE_F32, {70608}, {512}, {16, 16}, 529920},
    {"bank_conflict", DTYPE_F32, {68168}, {64}, {16, 16}, 34112},
    {"bank_conflict", DTYPE_F32, {48256}, {64}, {32, 3}, 4524},
    {"bank_conflict", DTYPE_F64, {92800}, {128}, {31, 7}, 0},
    {"bank_conflict", DTYPE_F64, {73376}, {256}, {32, 3}, 96432},
    {"bank_conflict", DTYPE_F64, {42016}, {1024}, {8, 16}, 301056},
    {"bank_conflict", DTYPE_F64, {36958}, {33}, {2, 16}, 35840},
    {"bank_conflict", DTYPE_F64, {3724}, {255}, {2, 16}, 3795},
    /* two words, taken in turns: the whole warp at once */
    {"bank_conflict", DTYPE_F64, {17642}, {32}, {16, 16}, 8832},
    {"bank_conflict", DTYPE_F64, {131488}, {128}, {64, 16}, 65792},
    /* lanes 2, 4, 8, 16 apart, two loads and a store each time: the loads by the whole warp, the store by
       halves */
    {"reduction", DTYPE_F64, {134272}, {96}, {0}, 33576},
    {"reduction", DTYPE_F64, {210304}, {64}, {0}, 52576},
    {"transpose", DTYPE_F64, {505, 131}, {64, 16}, {2}, 61963},
    {"transpose", DTYPE_F64, {37, 199}, {16, 2}, {2}, 450},
};

static void bank_conflicts_are_those_that_hardware_counted(void **)
{
    for (const auto &m : banked) {
        experiment e;
        access model;
        problems wrong = {};
        experiment_init(&e, suite_find(m.kernel));
        e.dtype = m.type;
        for (int i = 0; i < 2; i++) {
            e.size[i] = m.size[i];
            e.block[i] = m.block[i] ? m.block[i] : 1;
            e.param[i] = m.param[i];
        }
        assert_int_equal(experiment_check(&e, nullptr, &wrong), 0);
        access_count(&e, &model);
        assert_int_equal(model.shared_load.conflicts + model.shared_store.conflicts, m.conflicts);
    }
}

/* What an H100 counted of one warp (Nsight Compute): conflicts and wavefronts of a load and a store of 16 bytes, of a load
   and a store of 8, where a lane accesses the word of that number; -1: it is idle. Nothing is at odds with these rules: a
   load takes twice as many lanes at once where each asks for what lane xor 1 does, or each for what lane xor 2 does, all over
   the warp, idle lanes not asked. */
static const struct {
    int (*word)(int lane);
    struct {
        uint64_t conflicts, wavefronts;
    } of[4];
} fetched[] = {
    {[](int l) { return l; }, {{0, 4}, {0, 4}, {0, 2}, {0, 2}}},
    {[](int) { return 0; }, {{0, 2}, {0, 4}, {0, 1}, {0, 2}}},
    {[](int l) { return l / 16; }, {{0, 2}, {0, 4}, {0, 1}, {0, 2}}},
    {[](int l) { return l / 2; }, {{0, 2}, {0, 4}, {0, 1}, {0, 2}}},
    {[](int l) { return (l & 1) | l / 4 * 2; }, {{0, 2}, {0, 4}, {0, 1}, {0, 2}}},
    {[](int l) { return (l & 3) | l / 8 * 4; }, {{0, 4}, {0, 4}, {0, 2}, {0, 2}}},
    {[](int l) { return (l & 7) | l / 16 * 8; }, {{0, 4}, {0, 4}, {0, 2}, {0, 2}}},
    {[](int l) { return l % 16; }, {{0, 4}, {0, 4}, {0, 2}, {0, 2}}},
    {[](int l) { return l < 16 ? l / 2 : l - 8; }, {{0, 4}, {0, 4}, {0, 2}, {0, 2}}},
    {[](int l) { return l < 16 ? l / 2 : 8 + ((l & 1) | (l - 16) / 4 * 2); },
     {{0, 4}, {0, 4}, {0, 2}, {0, 2}}},
    {[](int l) { return l == 17 ? 31 : l / 2; }, {{0, 4}, {0, 4}, {1, 3}, {1, 3}}},
    {[](int l) { return l / 2 * 8; }, {{14, 16}, {12, 16}, {7, 8}, {6, 8}}},
    {[](int l) { return l / 8 * 8; }, {{2, 4}, {0, 4}, {1, 2}, {0, 2}}},
    {[](int l) { return l / 4 * 8; }, {{6, 8}, {4, 8}, {3, 4}, {2, 4}}},
    {[](int l) { return l & 1 ? -1 : l / 2; }, {{0, 2}, {0, 4}, {0, 1}, {0, 2}}},
    {[](int l) { return l & 1 ? -1 : l / 2 * 8; }, {{14, 16}, {12, 16}, {7, 8}, {6, 8}}},
    {[](int l) { return l & 2 ? -1 : l; }, {{2, 4}, {0, 4}, {1, 2}, {0, 2}}},
    {[](int l) { return l < 16 ? l : -1; }, {{0, 2}, {0, 2}, {0, 1}, {0, 1}}},
    {[](int l) { return l < 16 ? l / 2 : -1; }, {{0, 1}, {0, 2}, {0, 1}, {0, 1}}},
    {[](int l) { return l ? -1 : 0; }, {{0, 1}, {0, 1}, {0, 1}, {0, 1}}},
    {[](int l) { return l % 16 ? -1 : l / 16 * 8; }, {{0, 2}, {0, 2}, {0, 1}, {0, 2}}},
    {[](int l) { return l % 8 ? -1 : l; }, {{2, 4}, {0, 4}, {1, 2}, {0, 2}}},
    {[](int l) { return l == 0 || l == 8 ? l / 8 * 8 : -1; }, {{1, 2}, {0, 2}, {0, 1}, {0, 1}}},
    {[](int l) { return l == 0 || l == 4 ? l * 2 : -1; }, {{1, 2}, {1, 2}, {0, 1}, {0, 1}}},
    {[](int l) { return l < 8 ? l / 2 * 8 : -1; }, {{3, 4}, {3, 4}, {1, 2}, {1, 2}}},
};

static void wide_accesses_of_shared_memory_are_fetched_as_hardware_did(void **)
{
    for (const auto &row : fetched)
        for (int k = 0; k < 4; k++) {
            pattern p = {};
            p.shared = true;
            p.load = k % 2 == 0;
            p.bytes = k < 2 ? 16 : 8;
            p.blocks = 1;
            for (int lane = 0; lane < WARP_LANES; lane++)
                if (row.word(lane) >= 0) {
                    p.at[p.lanes] = row.word(lane) * (int)p.bytes;
                    p.lane[p.lanes++] = lane;
                }
            shared_sums sums = pattern_shared(p);
            if (sums.conflicts != row.of[k].conflicts || sums.wavefronts != row.of[k].wavefronts)
                fail_msg("row %d, %d: %llu conflicts, %llu wavefronts", (int)(&row - fetched), k,
                         (unsigned long long)sums.conflicts, (unsigned long long)sums.wavefronts);
        }
}

/* All 32 lanes access 16 bytes each, `apart` accesses from one lane to the next. Adjacent ones (512 bytes) take two fetches of
   256 bytes on sm_35. On sm_20 they take four, one for each quarter warp, and one more each (CUDA C Programming Guide 4.2,
   F.4.3). */
static void older_banks_fetch_wide_accesses_by_their_own_parts(void **)
{
    static const struct {
        int apart;
        const char *arch;
        prediction_shared expected;
    } cases[] = {{1, "sm_35", {1, 2, 0}},  {2, "sm_35", {1, 4, 2}}, {1, "sm_20", {1, 8, 4}},
                 {2, "sm_20", {1, 12, 8}}, {1, "sm_50", {1, 4, 0}}, {2, "sm_50", {1, 8, 4}}};
    for (const auto &one : cases) {
        pattern p = {};
        p.shared = true;
        p.bytes = 16;
        p.blocks = 1;
        for (int lane = 0; lane < WARP_LANES; lane++) {
            p.at[p.lanes] = lane * one.apart * 16;
            p.lane[p.lanes++] = lane;
        }
        shared_sums sums = pattern_shared(p);
        prediction_shared made = prediction_of_shared(arch_find(one.arch), &sums);
        if (made.requests != one.expected.requests || made.wavefronts != one.expected.wavefronts ||
            made.bank_conflicts != one.expected.bank_conflicts)
            fail_msg("%s, %d apart: %llu fetches, %llu conflicts", one.arch, one.apart,
                     (unsigned long long)made.wavefronts, (unsigned long long)made.bank_conflicts);
    }
}

/* The loads of one block of bank_conflict, thread by thread: by how many words the lanes of each half warp meet at the 16
   banks of compute capability 1.x. A lane's element has `words` words. */
static void half_warps_have_sixteen_banks(void **)
{
    const int64_t threads = 512, repeats = 3;
    const arch *old = arch_find("sm_13");
    for (dtype type : {DTYPE_F32, DTYPE_F64})
        for (int64_t stride : {1, 2, 3, 4, 8, 15, 16, 17, 32, 33, 48, 64}) {
            const int64_t words = type == DTYPE_F64 ? 2 : 1;
            uint64_t fetches = 0, conflicts = 0;
            for (int64_t half = 0; half < threads / 16; half++)
                for (int64_t r = 0; r < repeats * words; r++) {
                    bool asked[16][64] = {}; /* bank, row of 16 words */
                    for (int64_t t = 16 * half; t < 16 * half + 16; t++) {
                        int64_t word = (t * stride + r / words) % threads * words + r % words;
                        asked[word % 16][word / 16] = true;
                    }
                    int64_t longest = 0;
                    for (const auto &bank : asked)
                        longest = std::max<int64_t>(longest, std::count(bank, bank + 64, true));
                    fetches += (uint64_t)longest;
                    conflicts += (uint64_t)longest - 1;
                }
            experiment e;
            access model;
            prediction found;
            error failed = {};
            problems wrong = {};
            experiment_init(&e, suite_find("bank_conflict"));
            e.dtype = type;
            e.size[0] = e.block[0] = threads;
            e.param[0] = stride, e.param[1] = repeats;
            assert_int_equal(experiment_check(&e, nullptr, &wrong), 0);
            access_count(&e, &model);
            assert_int_equal(prediction_make(&e, &model, old, L1_BY_ARCH, &found, &failed), 0);
            assert_int_equal(found.shared_load.wavefronts, fetches);
            assert_int_equal(found.shared_load.bank_conflicts, conflicts);
            if (stride == 16 && type == DTYPE_F32) {
                assert_int_equal(found.shared_load.wavefronts, 32 * found.shared_load.requests);
                assert_int_equal(found.shared_load.bank_conflicts, 30 * found.shared_load.requests);
            }
        }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(the_count_equals_a_plain_trace_of_every_thread),
        cmocka_unit_test(the_smallest_launches_are_counted_too),
        cmocka_unit_test(what_is_reached_exactly_is_what_a_plain_trace_reaches),
        cmocka_unit_test(the_bytes_are_those_of_the_ledger),
        cmocka_unit_test(a_sampled_grid_far_too_large_is_counted_as_the_one_that_is_needed),
        cmocka_unit_test(what_hardware_counted_is_what_the_model_says),
        cmocka_unit_test(bank_conflicts_are_those_that_hardware_counted),
        cmocka_unit_test(wide_accesses_of_shared_memory_are_fetched_as_hardware_did),
        cmocka_unit_test(older_banks_fetch_wide_accesses_by_their_own_parts),
        cmocka_unit_test(half_warps_have_sixteen_banks),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
