/* The closed forms of what a launch reaches, against sets of what is touched one by one: with more shapes
   than the suite's kernels have. */
#include <setjmp.h>
#include <initializer_list>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

#include <set>

#include "kernels/model/chunks.h"
#include "kernels/model/reach.h"
#include "tests/model/draws.h"

static int64_t draw_of(std::initializer_list<int64_t> likely)
{
    return likely.begin()[draw(likely.size())];
}

static int64_t listed(const std::vector<repeated_interval> &all)
{
    std::set<int64_t> chunks;
    for (const repeated_interval &r : all) {
        std::set<int64_t> at = {0};
        for (const repetition &by : r.by) {
            std::set<int64_t> before = at;
            for (int64_t i = 1; i < by.count; i++)
                for (int64_t a : before)
                    at.insert(a + i * by.step);
        }
        for (int64_t a : at)
            for (int64_t byte = r.first.begin + a; byte < r.first.end + a; byte++)
                chunks.insert(byte / CHUNK_BYTES);
    }
    return (int64_t)chunks.size();
}

static void chunks_of_repeated_intervals_are_those_of_a_list(void **)
{
    for (int i = 0; i < 4000; i++) {
        std::vector<repeated_interval> all(1 + draw(4));
        for (repeated_interval &r : all) {
            int64_t begin = 100000 + (int64_t)draw(3000);
            r.first = {begin, begin + draw_of({1, 4, 8, 32, 63, 64, 65, 128, 500})};
            for (uint64_t d = draw(4); d > 0; d--)
                r.by.push_back({draw_of({-68, 0, 4, 32, 64, 100, 128, 160, 256, 640, 1000, 4096, 5120}),
                                1 + (int64_t)draw(9)});
            if (draw(2) && !all[0].by.empty()) { /* often what continues the first, or nearly does */
                r = all[0];
                repetition &row = r.by[draw(r.by.size())];
                int64_t further = row.step * (int64_t)draw(12);
                r.first = {r.first.begin + further, r.first.end + further};
                row.count = 1 + (int64_t)draw(9);
            }
        }
        int64_t expected = listed(all), counted = chunks_count(all);
        if (counted != expected)
            fail_msg("draw %d: %lld chunks, listed are %lld", i, (long long)counted, (long long)expected);
    }
}

/* What no list could hold. */
static void chunks_of_very_many_intervals_are_counted(void **)
{
    const int64_t many = 1 << 24;
    static const struct {
        std::vector<repeated_interval> all;
        int64_t chunks;
    } cases[] = {
        {{{{0, 128}, {{128, many}}}}, 2 * many},                            /* a stream */
        {{{{12, 16}, {{128, 256}, {128 * 256, many}}}}, 256 * many},        /* one word of each line */
        {{{{0, 4}, {{256, many}}}, {{200, 204}, {{256, many}}}}, 2 * many}, /* two fields of a structure */
        {{{{0, 4}, {{96, many}}}}, many}, /* no step is a chunk's multiple */
        {{{{0, 8}, {{96, many}}}, {{60, 68}, {{96, many}}}}, many * 3 / 2}, /* all chunks, twice */
        {{{{0, 32}, {{4096 * 4, 4096}, {32, 512}}}}, 4096 * 4096 / 16},     /* columns of a matrix */
        {{{{0, 64}, {{64, 100}, {8000, 5000}}}}, 5000 * 100},               /* parts of its rows */
    };
    for (const auto &c : cases) {
        std::vector<repeated_interval> all = c.all;
        assert_int_equal(chunks_count(all), c.chunks);
    }
}

/* Some instructions, each in a box of its own and with steps of its own. */
static void what_a_block_reaches_is_what_a_list_has(void **)
{
    for (int i = 0; i < 2000; i++) {
        const box grid = {{0, 0, 0}, {1 + (int64_t)draw(6), 1 + (int64_t)draw(5), 1 + (int64_t)draw(3)}};
        std::set<std::array<int64_t, 3>> units;
        std::set<int64_t> chunks;
        reach counted({1 << 20});
        for (uint64_t instructions = 1 + draw(4); instructions > 0; instructions--) {
            box where = grid;
            int64_t first[WARP_LANES], b[3], lane = draw_of({0, 4, 8, 32, 100, -4});
            int lanes = 1 + (int)draw(WARP_LANES);
            unsigned bytes = 1u << draw(5);
            for (int axis = 0; axis < 3; axis++) {
                where.low[axis] = (int64_t)draw((uint64_t)grid.high[axis]);
                where.high[axis] =
                    where.low[axis] + 1 + (int64_t)draw((uint64_t)(grid.high[axis] - where.low[axis]));
                b[axis] = draw_of({0, 0, 4, 128, 100, 1024, 4000, -32});
            }
            for (int l = 0; l < lanes; l++)
                first[l] = 10000 + lane * l;
            counted.add(0, where, b, first, lanes, bytes, 1);
            for (int64_t z = where.low[2]; z < where.high[2]; z++)
                for (int64_t y = where.low[1]; y < where.high[1]; y++)
                    for (int64_t x = where.low[0]; x < where.high[0]; x++)
                        for (int64_t at = 0; at < lanes * (int64_t)bytes; at++) {
                            int64_t byte = first[at / bytes] + at % bytes + b[0] * x + b[1] * y + b[2] * z;
                            for (int64_t unit : {SECTOR_BYTES, LINE_BYTES, PAGE_BYTES})
                                units.insert({x + 10 * y + 100 * z, unit, byte / unit});
                            chunks.insert(byte / CHUNK_BYTES);
                        }
        }
        counted.end_blocks(grid, 1);
        access_reach sum = counted.total(), expected = {0, 0, 0, chunks.size(), true};
        for (const auto &unit : units)
            (unit[1] == SECTOR_BYTES ? expected.block_sectors
             : unit[1] == LINE_BYTES ? expected.block_lines
                                     : expected.block_pages)++;
        assert_true(sum.exact);
        assert_int_equal(sum.block_sectors, expected.block_sectors);
        assert_int_equal(sum.block_lines, expected.block_lines);
        assert_int_equal(sum.block_pages, expected.block_pages);
        assert_int_equal(sum.grid_chunks, expected.grid_chunks);
    }
}

/* Blocks that are counted one after the other, as where addresses depend on data: however many there are, a place that
   several of them touch is one. */
static void what_many_blocks_share_is_counted_once(void **)
{
    for (int64_t patterns : {1, 4}) {
        reach counted({1 << 27});
        const int64_t b[3] = {}, blocks = 3000;
        for (int64_t at = 0; at < blocks; at++) {
            const box block = {{at, 0, 0}, {at + 1, 1, 1}};
            for (int64_t warp = 0; warp < 8; warp++) {
                int64_t first[WARP_LANES];
                for (int l = 0; l < WARP_LANES; l++)
                    first[l] = ((at % patterns * 8 + warp) * WARP_LANES + l) * 4096;
                counted.add(0, block, b, first, WARP_LANES, 4, 1);
            }
            counted.end_blocks(block, 1);
        }
        access_reach sum = counted.total();
        assert_true(sum.exact);
        assert_int_equal(sum.grid_chunks, 256 * patterns);
        assert_int_equal(sum.block_sectors, 256 * blocks);
    }
}

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(chunks_of_repeated_intervals_are_those_of_a_list),
        cmocka_unit_test(chunks_of_very_many_intervals_are_counted),
        cmocka_unit_test(what_a_block_reaches_is_what_a_list_has),
        cmocka_unit_test(what_many_blocks_share_is_counted_once),
    };
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
