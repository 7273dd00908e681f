/* What the model lists of one warp against a plain trace of its lanes, and its sums by instruction. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
extern "C" {
#include <cmocka.h>
}

#include "kernels/model/explain.h"
#include "tests/model/draws.h"
#include "tests/model/plain_listing.h"

/* An explanation of everything that a warp does, which is freed at the end. */
struct explained : explain {
    struct access sums = {};

    explained(const experiment &e, const int64_t at[3], int64_t of, int64_t times, int most) : explain()
    {
        std::copy(at, at + 3, block);
        warp = of;
        times_max = times;
        accesses_max = most;
        assert_int_equal(explain_make(&e, &sums, this), 0);
    }
    explained(const explained &) = delete;
    ~explained() { explain_free(this); }
    const access_instruction &of(const explain_access &a) const { return instructions[a.instruction]; }
};

static char letter(const access_instruction &i)
{
    return i.kind == ACCESS_STORE ? 's' : i.kind == ACCESS_ATOMIC ? 'a' : 'l';
}

static int place(const access_instruction &i)
{
    return i.space == SPACE_SHARED ? (int)SHARED : i.space == SPACE_CONSTANT ? (int)CONSTANT : i.space;
}

static int64_t warps_of(const experiment &e)
{
    return (e.block[0] * e.block[1] * e.block[2] + 31) / 32;
}

/* Mostly any, often the last one. */
static int64_t draw_place(int64_t count)
{
    return draw(4) ? (int64_t)draw((uint64_t)count) : count - 1;
}

static char shown[256];

/* The configuration, for who reads that a test failed. */
static const char *show(const experiment &e, const explain &x)
{
    snprintf(shown, sizeof shown,
             "%s %s size %lld,%lld block %lld,%lld grid %lld,%lld params %lld,%lld block %lld,%lld warp %lld",
             e.kernel->name, dtype_name(e.dtype), (long long)e.size[0], (long long)e.size[1],
             (long long)e.block[0], (long long)e.block[1], (long long)e.grid[0], (long long)e.grid[1],
             (long long)e.param[0], (long long)e.param[1], (long long)x.block[0], (long long)x.block[1],
             (long long)x.warp);
    return shown;
}

/* Every lane: the same accesses in the same order; and as many accesses of the warp as there are
   instructions in it. */
static void expect_lanes(const experiment &e, const explained &x, const plain_listing &plain)
{
    std::vector<plain_access> lanes[32];
    for (int a = 0; a < x.access_count; a++)
        for (int lane = 0; lane < 32; lane++) {
            const explain_access &access = x.accesses[a];
            const access_instruction &i = x.of(access);
            if (access.first[lane] >= 0)
                lanes[lane].push_back({letter(i), place(i), i.bytes, access.first[lane]});
        }
    for (int lane = 0; lane < 32; lane++) {
        if (lanes[lane] != plain.lanes[lane])
            fail_msg("%s: lane %d", show(e, x), lane);
        assert_int_equal(x.active >> lane & 1, !lanes[lane].empty());
    }
    if ((size_t)x.access_count != plain.together.size() || x.access_count != x.accesses_all)
        fail_msg("%s: %d accesses are listed, there are %zu, and told %lld", show(e, x), x.access_count,
                 plain.together.size(), (long long)x.accesses_all);
}

/* The sectors of an access and its bank conflicts. */
static void expect_units(const experiment &e, const explained &x, const explain_access &access)
{
    const access_instruction &i = x.of(access);
    plain_lanes lanes;
    uint64_t wavefronts = 0;
    std::map<int64_t, uint32_t> used;
    explain_sector sectors[EXPLAIN_SECTORS];
    for (int lane = 0; lane < 32; lane++)
        if (access.first[lane] >= 0)
            lanes.set(lane, access.first[lane]);
    for (int64_t first : access.first)
        for (int64_t byte = first; first >= 0 && byte < first + i.bytes; byte++)
            used[byte / 32 * 32] |= (uint32_t)1 << (byte - byte / 32 * 32);
    int count = explain_sectors(&i, &access, sectors);
    assert_int_equal(count, used.size());
    for (int s = 0; s < count; s++)
        if (!used.count(sectors[s].address) || used[sectors[s].address] != sectors[s].used ||
            (s && sectors[s].address <= sectors[s - 1].address))
            fail_msg("%s: sector %lld", show(e, x), (long long)sectors[s].address);
    if (i.space == SPACE_SHARED &&
        (access.shared.conflicts != plain_conflicts(lanes, i.bytes, i.kind == ACCESS_LOAD, &wavefronts) ||
         access.shared.wavefronts != wavefronts))
        fail_msg("%s: conflicts %llu", show(e, x), (unsigned long long)access.shared.conflicts);
}

/* Added up over the instructions, the figures are those of the prediction; and of what is done to each
   array as wide those of the plain trace. */
static void expect_sums(const experiment &e, const explained &x, const plain_listing &plain)
{
    struct access sums = {};
    std::map<std::tuple<char, int, unsigned>, access_sums> by_array;
    for (int n = 0; n < x.instruction_count; n++) {
        const access_instruction &i = x.instructions[n];
        if (i.space == SPACE_SHARED && i.kind == ACCESS_ATOMIC)
            continue; /* in no sum */
        shared_sums &shared = i.kind == ACCESS_STORE ? sums.shared_store : sums.shared_load;
        shared.requests += i.shared.requests;
        shared.wavefronts += i.shared.wavefronts;
        shared.conflicts += i.shared.conflicts;
        shared.wavefronts_wide += i.shared.wavefronts_wide;
        shared.conflicts_wide += i.shared.conflicts_wide;
        shared.quarters += i.shared.quarters;
        shared.half_wavefronts += i.shared.half_wavefronts;
        shared.half_conflicts += i.shared.half_conflicts;
        if (i.space == SPACE_SHARED)
            continue;
        if (i.space != SPACE_CONSTANT)
            plain_add(i.kind == ACCESS_LOAD    ? sums.load
                      : i.kind == ACCESS_STORE ? sums.store
                                               : sums.atomic,
                      i.global);
        if (i.global.requests)
            plain_add(by_array[{letter(i), place(i), i.bytes}], i.global);
    }
    struct access counted;
    access_count(&e, &counted);
    const size_t size = offsetof(struct access, load_reach); /* what is not reached, but done */
    if (memcmp(&sums, &counted, size) != 0 || memcmp(&sums, &x.sums, size) != 0 ||
        counted.exact != x.sums.exact || counted.boxes != x.sums.boxes)
        fail_msg("%s: the instructions do not add up to the prediction", show(e, x));
    assert_int_equal(by_array.size(), plain.sums.size());
    for (const auto &[which, wanted] : plain.sums)
        if (memcmp(&by_array[which], &wanted, sizeof wanted) != 0)
            fail_msg("%s: %c %d %u", show(e, x), std::get<0>(which), std::get<1>(which), std::get<2>(which));
}

/* What is listed at most is the beginning of all, instruction by instruction, and what is told of the rest
   is true. */
static void expect_limits(const experiment &e, const explained &x)
{
    const int times = 1 + (int)draw(4), most = 1 + (int)draw(12);
    explained part(e, x.block, x.warp, times, most);
    std::map<int, int> seen;
    int next = 0;
    assert_int_equal(part.accesses_all, x.accesses_all);
    for (int i = 0; i < x.instruction_count; i++)
        assert_int_equal(part.instructions[i].times, x.instructions[i].times);
    for (int a = 0; a < x.access_count && next < most; a++) {
        if (seen[x.accesses[a].instruction]++ >= times)
            continue;
        if (next == part.access_count || memcmp(&part.accesses[next++], &x.accesses[a], sizeof *x.accesses))
            fail_msg("%s: access %d of at most %d, %d of an instruction", show(e, x), next, most, times);
    }
    assert_int_equal(next, part.access_count);
}

static void a_warp_is_listed_as_a_plain_trace_of_its_lanes_has_it(void **)
{
    int draws = draws_wanted(150);
    for (int i = 0; i < suite_count(); i++)
        for (int j = 0; j < draws; j++) {
            experiment e = draw_allowed(suite_at(i));
            shorten(&e);
            int64_t block[3] = {draw_place(e.grid[0]), draw_place(e.grid[1]), 0};
            plain_listing listing;
            listing.block[0] = block[0];
            listing.block[1] = block[1];
            listing.warp = (uint64_t)draw_place(warps_of(e));
            plain_listed = &listing;
            plain(e);
            plain_listed = nullptr;
            explained x(e, block, (int64_t)listing.warp, INT64_MAX, INT32_MAX);
            expect_lanes(e, x, listing);
            for (int a = 0; a < x.access_count; a++)
                expect_units(e, x, x.accesses[a]);
            expect_sums(e, x, listing);
            expect_limits(e, x);
        }
}

static void all_warps_together_are_the_launch(void **)
{
    const int draws = draws_wanted(150) / 20 + 1; /* all warps of each */
    for (int i = 0; i < suite_count(); i++)
        for (int j = 0; j < draws;) {
            experiment e = draw_allowed(suite_at(i));
            shorten(&e);
            if (e.grid[0] * e.grid[1] * warps_of(e) > 100)
                continue;
            j++;
            std::vector<uint64_t> requests, sectors;
            std::vector<access_instruction> wanted;
            for (int64_t n = 0; n < e.grid[0] * e.grid[1] * warps_of(e); n++) {
                int64_t b = n / warps_of(e), block[3] = {b % e.grid[0], b / e.grid[0], 0};
                explained x(e, block, n % warps_of(e), INT64_MAX, INT32_MAX);
                wanted.assign(x.instructions, x.instructions + x.instruction_count);
                requests.resize(wanted.size());
                sectors.resize(wanted.size());
                for (int a = 0; a < x.access_count; a++) {
                    explain_sector touched[EXPLAIN_SECTORS];
                    requests[(size_t)x.accesses[a].instruction]++;
                    sectors[(size_t)x.accesses[a].instruction] +=
                        (uint64_t)explain_sectors(&x.of(x.accesses[a]), &x.accesses[a], touched);
                }
            }
            for (size_t n = 0; n < wanted.size(); n++) {
                bool shared = wanted[n].space == SPACE_SHARED;
                assert_int_equal(requests[n], shared ? wanted[n].shared.requests : wanted[n].global.requests);
                if (!shared)
                    assert_int_equal(sectors[n], wanted[n].global.sectors);
            }
        }
}

/* By hand: kernel, params, block and warp, which access, and its text. */
static const struct {
    const char *kernel;
    int64_t size[2], params[2], block[2];
    int access;
    const char *index;
} texts[] = {
    {"read_offset", {1 << 20, 0}, {11, 0}, {0, 0}, 0, "i + 11"},
    {"read_offset", {1 << 20, 0}, {11, 0}, {1000, 0}, 1, "i + 11"},
    {"read_offset", {1 << 20, 0}, {11, 0}, {1000, 0}, 2, "i"},
    {"strided", {1 << 20, 0}, {3, 0}, {5, 0}, 0, "3 * i"},
    {"copy_vec4", {1 << 20, 0}, {0, 0}, {5, 0}, 0, "4 * i"},
    {"sum_matrix_2d", {1000, 900}, {0, 0}, {2, 3}, 0, "900 * y + x"},
    {"sum_matrix_2d", {1000, 900}, {1, 0}, {2, 3}, 2, "y + 900 * x"},
    {"sum_matrix_mix", {1000, 900}, {0, 0}, {2, 3}, 2, "900 * y + x"},
    {"read_offset_unroll4",
     {1 << 20, 0},
     {0, 0},
     {7, 0},
     0,
     ""}, /* by the block, and by the thread otherwise */
    {"broadcast", {1 << 20, 0}, {0, 0}, {7, 0}, 0, ""},
    {"gather", {1 << 20, 0}, {0, 0}, {7, 0}, 0, ""},
    {"bank_conflict", {1 << 20, 0}, {2, 3}, {7, 0}, 1, "t"},
    {"bank_conflict", {1 << 20, 0}, {2, 3}, {7, 0}, 3, "2 * t + 1"},
    {"read_const", {1 << 20, 0}, {1, 0}, {7, 0}, 1, "t"},
    {"read_const", {1 << 20, 0}, {0, 0}, {7, 0}, 1, ""},
    {"grid_stride", {1 << 20, 0}, {0, 0}, {0, 0}, 0, "i"},
};

static void an_index_is_told_where_it_is_known(void **)
{
    for (const auto &t : texts) {
        experiment e;
        problems wrong = {};
        experiment_init(&e, suite_find(t.kernel));
        std::copy(t.size, t.size + 2, e.size);
        std::copy(t.params, t.params + 2, e.param);
        if (e.kernel->param_count < 2)
            e.param[1] = 0;
        assert_int_equal(experiment_check(&e, nullptr, &wrong), 0);
        int64_t block[3] = {t.block[0], t.block[1], 0};
        explained x(e, block, 0, 8, 64);
        assert_true(t.access < x.access_count);
        assert_string_equal(x.accesses[t.access].index, t.index);
    }
}

/* A loop of so many times is not gone through, and is counted all the same. */
static void what_is_not_listed_is_counted(void **)
{
    experiment e;
    problems wrong = {};
    const int64_t first[3] = {0, 0, 0}, last[3] = {3, 0, 0};
    experiment_init(&e, suite_find("grid_stride"));
    e.size[0] =
        ((int64_t)1 << 30) + 40; /* 1024 threads do 2^20 elements each, the first 40 of them one more */
    e.grid[0] = 4, e.grid[1] = e.grid[2] = 1;
    assert_int_equal(experiment_check(&e, nullptr, &wrong), 0);
    explained x(e, first, 1, 8, 64), y(e, last, 7, 8, 64);
    assert_int_equal(x.accesses_all, 3 * ((1 << 20) + 1));
    assert_int_equal(x.access_count, 24);
    assert_int_equal(x.instructions[0].times, (1 << 20) + 1);
    assert_int_equal(y.accesses_all, 3 * (1 << 20));
    experiment_init(&e, suite_find("pointer_chase"));
    e.param[0] = 65536;
    assert_int_equal(experiment_check(&e, nullptr, &wrong), 0);
    explained z(e, first, 0, 8, 64);
    assert_int_equal(z.accesses_all, 65537);
    assert_int_equal(z.access_count, 9);
    assert_int_equal(z.instruction_count, 2);
    assert_int_equal(z.instructions[0].times, 65536);
}

/* What is done behind a loop is where the loop has come to, however few of its times are listed: the rim's
   rest of a tile of 58 x 3 is 174 % 56 elements, behind three rounds. */
static void what_comes_behind_a_loop_is_where_it_is(void **)
{
    experiment e;
    problems wrong = {};
    const int64_t block[3] = {0, 6, 0};
    experiment_init(&e, suite_find("halo"));
    e.size[0] = 9, e.size[1] = 10;
    e.block[0] = 56, e.block[1] = 1;
    e.param[0] = 1;
    assert_int_equal(experiment_check(&e, nullptr, &wrong), 0);
    explained all(e, block, 0, 8, 64), one(e, block, 0, 1, 64);
    assert_int_equal(all.instructions[0].times, 3);
    assert_int_equal(one.instructions[0].times, 3);
    assert_int_equal(all.accesses[6].first[0], all.accesses[0].first[0] + ((2 * 58 + 52) - 0) * 4);
    assert_int_equal(one.accesses[2].first[0], all.accesses[6].first[0]);
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_is_listed_as_a_plain_trace_of_its_lanes_has_it),
        cmocka_unit_test(all_warps_together_are_the_launch),
        cmocka_unit_test(an_index_is_told_where_it_is_known),
        cmocka_unit_test(what_is_not_listed_is_counted),
        cmocka_unit_test(what_comes_behind_a_loop_is_where_it_is),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
