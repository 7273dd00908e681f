/* Graphs of programs: where lanes meet and what is a loop, in small programs that are known, and in thousands drawn
   at random against the definition: a block meets another where no way to the end leads around it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/flow_graph.h"

enum { POINTS = 12 };

static void lanes_meet_behind_an_if_and_its_else(void **state)
{
    /* 0 if, 1 then, 2 jumps over, 3 else, 4 behind */
    bool falls[] = {true, true, false, true, false};
    struct flow_jump jumps[] = {{0, 3}, {2, 4}};
    struct flow_graph graph;
    (void)state;
    assert_int_equal(flow_graph_build(&graph, 5, falls, jumps, 2, NULL), 0);
    assert_int_equal(flow_graph_find_loops(&graph, NULL), 0);
    assert_int_equal(graph.count, 4);
    assert_int_equal(graph.meets[0], 3);
    assert_int_equal(graph.meets[1], 3);
    assert_int_equal(graph.meets[3], FLOW_NONE);
    assert_int_equal(graph.loop[1], FLOW_NONE);
    bool inside[4] = {false};
    uint32_t blocks[4];
    assert_int_equal(flow_graph_region(&graph, 0, inside, blocks), 2);
    assert_true(inside[1] && inside[2] && !inside[0] && !inside[3]);
    flow_graph_free(&graph);
}

static void a_loop_in_a_loop_is_known_with_the_one_around_it(void **state)
{
    /* 0, then 1 { 2 { 3 } 4 }, 5 */
    bool falls[] = {true, true, true, true, true, false};
    struct flow_jump jumps[] = {{3, 2}, {4, 1}};
    struct flow_graph graph;
    (void)state;
    assert_int_equal(flow_graph_build(&graph, 6, falls, jumps, 2, NULL), 0);
    assert_int_equal(flow_graph_find_loops(&graph, NULL), 0);
    uint32_t inner = graph.block_of[2], outer = graph.block_of[1];
    assert_int_equal(graph.loop[graph.block_of[3]], inner);
    assert_int_equal(graph.loop[graph.block_of[4]], outer);
    assert_int_equal(graph.outer[inner], outer);
    assert_int_equal(graph.outer[outer], FLOW_NONE);
    assert_true(flow_graph_in_loop(&graph, graph.block_of[3], outer));
    assert_false(flow_graph_in_loop(&graph, graph.block_of[4], inner));
    assert_false(flow_graph_in_loop(&graph, graph.block_of[5], outer));
    /* Who leaves the inner loop meets behind it. */
    assert_int_equal(graph.meets[graph.block_of[3]], graph.block_of[4]);
    flow_graph_free(&graph);
}

/* Can the end be reached from `from` without block `without`? */
static bool reaches_end(const struct flow_graph *graph, uint32_t from, uint32_t without, bool *seen)
{
    if (from == without || seen[from])
        return false;
    seen[from] = true;
    bool reached = graph->leaves[from];
    for (uint32_t e = graph->next_begin[from]; e < graph->next_begin[from + 1]; e++)
        reached |= reaches_end(graph, graph->next[e], without, seen);
    return reached;
}

static bool on_every_way(const struct flow_graph *graph, uint32_t from, uint32_t block)
{
    bool seen[POINTS] = {false};
    return !reaches_end(graph, from, block, seen);
}

static void check_meets(const struct flow_graph *graph)
{
    for (uint32_t b = 0; b < graph->count; b++) {
        bool seen[POINTS] = {false};
        if (!reaches_end(graph, b, FLOW_NONE, seen))
            continue; /* a loop without end: nothing is said of it */
        for (uint32_t other = 0; other < graph->count; other++) {
            uint32_t at = graph->meets[b];
            while (at != FLOW_NONE && at != other)
                at = graph->meets[at];
            assert_int_equal(at == other, other != b && on_every_way(graph, b, other));
        }
    }
}

/* A block leads to the end by a jump, behind the last point, or where nothing else comes after it. */
static void check_leaves(const struct flow_graph *graph, const bool *falls, const struct flow_jump *jumps,
                         size_t count)
{
    for (uint32_t b = 0; b < graph->count; b++) {
        uint32_t last = graph->first[b + 1] - 1;
        bool leaves = (falls[last] && last + 1 == POINTS) || graph->next_begin[b] == graph->next_begin[b + 1];
        for (size_t k = 0; k < count; k++)
            leaves |= jumps[k].from == last && jumps[k].to == POINTS;
        assert_int_equal(graph->leaves[b], leaves);
    }
}

static void meeting_points_of_any_graph_are_those_of_the_definition(void **state)
{
    unsigned random = 1;
    (void)state;
    for (int round = 0; round < 5000; round++) {
        bool falls[POINTS];
        struct flow_jump jumps[POINTS];
        size_t count = 0;
        struct flow_graph graph;
        for (uint32_t i = 0; i < POINTS; i++) {
            random = random * 1103515245 + 12345;
            falls[i] = (random >> 16) % 4 != 0;
            if ((random >> 20) % 3 == 0)
                jumps[count++] = (struct flow_jump){i, (random >> 8) % (POINTS + 1)};
        }
        assert_int_equal(flow_graph_build(&graph, POINTS, falls, jumps, count, NULL), 0);
        assert_int_equal(flow_graph_find_loops(&graph, NULL), 0);
        check_leaves(&graph, falls, jumps, count);
        check_meets(&graph);
        for (uint32_t b = 0; b < graph.count; b++)
            for (uint32_t e = graph.before_begin[b]; e < graph.before_begin[b + 1]; e++)
                assert_in_range(graph.before[e], 0, graph.count - 1);
        assert_int_equal(graph.before_begin[graph.count], graph.next_begin[graph.count]);
        flow_graph_free(&graph);
    }
}

static void lanes_meet_in_a_loop_that_nothing_leaves(void **state)
{
    /* 0 leads behind the loop or into it. In its text `then` may stand in the middle, or behind what comes after it. */
    static const struct {
        bool falls[5];
        struct flow_jump jumps[4];
        uint32_t part, then, meet;
    } cases[] = {
        {{true, true, true, false, false}, {{0, 4}, {1, 3}, {3, 1}}, 1, 2, 3},
        {{true, true, true, false, false}, {{0, 4}, {1, 2}, {2, 1}, {3, 1}}, 2, 3, 1},
    };
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct flow_graph graph;
        size_t jumps = cases[i].jumps[3].from ? 4 : 3;
        assert_int_equal(flow_graph_build(&graph, 5, cases[i].falls, cases[i].jumps, jumps, NULL), 0);
        uint32_t meet = graph.block_of[cases[i].meet];
        assert_int_equal(graph.meets[graph.block_of[cases[i].part]], meet);
        assert_int_equal(graph.meets[graph.block_of[cases[i].then]], meet);
        assert_int_equal(graph.meets[graph.block_of[0]], graph.block_of[4]); /* only there is an end */
        flow_graph_free(&graph);
    }
}

static void a_program_of_one_point_is_one_block(void **state)
{
    bool falls[] = {false};
    struct flow_graph graph;
    (void)state;
    assert_int_equal(flow_graph_build(&graph, 1, falls, NULL, 0, NULL), 0);
    assert_int_equal(graph.count, 1);
    assert_int_equal(graph.meets[0], FLOW_NONE);
    flow_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_meet_behind_an_if_and_its_else),
        cmocka_unit_test(a_loop_in_a_loop_is_known_with_the_one_around_it),
        cmocka_unit_test(meeting_points_of_any_graph_are_those_of_the_definition),
        cmocka_unit_test(lanes_meet_in_a_loop_that_nothing_leaves),
        cmocka_unit_test(a_program_of_one_point_is_one_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
