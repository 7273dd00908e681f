/* What is watched: each kind of fault is told with its place, and what is right is not called wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/ptx_text.h"

static struct ptx_outcome outcome;
static uint32_t a[256], b[256];

/* %w0 the thread, %w1 the block, %d0 the thread's element of p0, %d1 of p1. */
static const char start[] =
    "mov.u32 %w0, %tid.x; mov.u32 %w1, %ctaid.x; mov.u32 %w2, %ntid.x; mad.lo.u32 %w3, %w1, %w2, %w0;\n"
    "mul.wide.u32 %d2, %w3, 4; ld.param.u64 %d3, [p0]; ld.param.u64 %d4, [p1];\n"
    "add.u64 %d0, %d3, %d2; add.u64 %d1, %d4, %d2;\n"
    ".shared .align 4 .b8 tile[512]; mov.u32 %w5, tile; mad.lo.u32 %w4, %w0, 4, %w5;\n";

struct setting {
    unsigned blocks, threads;
    uint64_t bytes_a;
    bool undefined_b, read_only_a;
    uint64_t instructions;
};

static void run_with(const struct setting *s, const char *body)
{
    char text[4096];
    snprintf(text, sizeof text, "%s\n%s\nret;", start, body);
    struct ptx_module *module = ptx_text_parse(2, text);
    struct ptx_buffer buffers[2] = {
        {.name = "a",
         .data = a,
         .bytes = s->bytes_a ? s->bytes_a : sizeof a,
         .element_bytes = 4,
         .read_only = s->read_only_a},
        {.name = "b", .data = b, .bytes = sizeof b, .element_bytes = 4, .undefined = s->undefined_b},
    };
    struct ptx_launch launch =
        ptx_text_launch(module, buffers, 2, s->blocks ? s->blocks : 1, s->threads ? s->threads : 64);
    launch.budget.instructions = s->instructions;
    assert_int_equal(ptx_launch_run(&launch, &outcome), 0);
    ptx_module_free(module);
}

static void run(unsigned blocks, unsigned threads, const char *body)
{
    run_with(&(struct setting){.blocks = blocks, .threads = threads}, body);
}

static const struct ptx_fault *only(enum ptx_fault_kind kind)
{
    char text[400] = "";
    if (outcome.fault_count)
        ptx_fault_text(&outcome.faults[0], text, sizeof text);
    if (outcome.fault_count != 1 || outcome.faults[0].kind != kind)
        fail_msg("%u faults, the first of kind %d: %s", outcome.fault_count, (int)outcome.faults[0].kind,
                 text);
    return &outcome.faults[0];
}

static void none(void)
{
    char text[400];
    if (!outcome.fault_count)
        return;
    ptx_fault_text(&outcome.faults[0], text, sizeof text);
    fail_msg("%s", text);
}

static void assert_text(const struct ptx_fault *fault, const char *wanted)
{
    char text[400];
    ptx_fault_text(fault, text, sizeof text);
    if (!strstr(text, wanted))
        fail_msg("\"%s\" is not in \"%s\"", wanted, text);
}

static void an_access_behind_the_end_is_told_with_its_element(void **state)
{
    (void)state;
    run_with(&(struct setting){.blocks = 2, .bytes_a = 127 * 4},
             ".loc 1 7 9\nld.global.u32 %w6, [%d0]; st.global.u32 [%d1], %w6;");
    const struct ptx_fault *fault = only(PTX_FAULT_OUTSIDE);
    assert_int_equal(fault->index, 127);
    assert_int_equal(fault->elements, 127);
    assert_int_equal(fault->buffer, 0);
    assert_int_equal(fault->at.thread[0], 63);
    assert_int_equal(fault->at.block[0], 1);
    assert_int_equal(fault->at.position.line, 7);
    assert_int_equal(fault->at.position.column, 9);
    assert_true(outcome.failed && outcome.complete);
    assert_text(fault,
                "line 7: a[127] is loaded by thread (63, 0, 0) of block (1, 0, 0); a has 127 elements");
}

static void a_vector_access_outside_names_its_elements(void **state)
{
    (void)state;
    run_with(&(struct setting){.blocks = 1, .threads = 1, .bytes_a = 6 * 4},
             "ld.global.v4.u32 {%w6, %w7, %w8, %w9}, [%d0+16];");
    assert_text(only(PTX_FAULT_OUTSIDE),
                "a[4..7] is loaded by thread (0, 0, 0) of block (0, 0, 0); a has 6 elements");
}

static void a_division_by_0_is_told(void **state)
{
    (void)state;
    run(1, 32, "div.u32 %w6, 7, %w0; rem.s32 %w7, 7, 1;");
    assert_text(only(PTX_FAULT_TRAP), "an integer is divided by 0 in thread (0, 0, 0) of block (0, 0, 0)");
    run(1, 32, "setp.eq.u32 %p1, %w0, 0; @!%p1 div.u32 %w6, 7, %w0;");
    none();
}

static void an_access_before_the_begin_is_of_the_same_buffer(void **state)
{
    (void)state;
    run(1, 32, "st.global.u32 [%d0+-8], %w0;");
    assert_int_equal(only(PTX_FAULT_OUTSIDE)->index, -2);
    assert_int_equal(outcome.faults[0].times, 2);
    run(1, 32, "ld.global.u32 %w6, [64];");
    assert_int_equal(only(PTX_FAULT_OUTSIDE)->buffer, -1);
}

static void shared_memory_has_an_end(void **state)
{
    (void)state;
    run(1, 64, "st.shared.u32 [%w4+256], %w0;");
    none();
    run(1, 64, "st.shared.u32 [%w4+260], %w0;");
    assert_int_equal(only(PTX_FAULT_OUTSIDE)->index, 512);
    assert_int_equal(outcome.faults[0].space, PTX_SHARED);
}

static void a_misaligned_access_is_told(void **state)
{
    (void)state;
    run(1, 1, "ld.global.u32 %w6, [%d0+2];");
    assert_int_equal(only(PTX_FAULT_MISALIGNED)->bytes, 4);
    run(1, 1, "ld.global.v2.u32 {%w6, %w7}, [%d0+4];");
    assert_int_equal(only(PTX_FAULT_MISALIGNED)->bytes, 8);
    run(1, 1, "ld.global.v4.u32 {%w6, %w7, %w8, %w9}, [%d0+16];");
    none();
}

static void what_was_never_written_is_not_loaded(void **state)
{
    (void)state;
    run_with(&(struct setting){.undefined_b = true}, "ld.global.u32 %w6, [%d1]; st.global.u32 [%d1], %w6;");
    only(PTX_FAULT_UNDEFINED);
    run_with(&(struct setting){.undefined_b = true}, "st.global.u32 [%d1], %w0; ld.global.u32 %w6, [%d1];");
    none();
    run_with(&(struct setting){.undefined_b = true}, "st.global.u16 [%d1+2], 1; ld.global.u32 %w6, [%d1];");
    assert_int_equal(only(PTX_FAULT_UNDEFINED)->index, 0);
    run(2, 64, "ld.shared.u32 %w6, [%w4];");
    only(PTX_FAULT_UNDEFINED);
    /* what the block before has written is not there */
    run(2, 64, "setp.eq.u32 %p1, %w1, 0; @%p1 st.shared.u32 [%w4], 1; @!%p1 ld.shared.u32 %w6, [%w4];");
    assert_int_equal(only(PTX_FAULT_UNDEFINED)->at.block[0], 1);
}

static void a_buffer_may_be_for_loads_alone(void **state)
{
    (void)state;
    run_with(&(struct setting){.read_only_a = true}, "st.global.u32 [%d0], %w0;");
    only(PTX_FAULT_READ_ONLY);
}

static const char neighbours[] =
    "st.shared.u32 [%w4], %w0; xor.b32 %w6, %w0, 32; mad.lo.u32 %w6, %w6, 4, %w5;\n";

static void a_race_within_a_block_is_told_with_both_threads(void **state)
{
    char body[512];
    (void)state;
    snprintf(body, sizeof body, ".loc 1 3 1\n%s.loc 1 5 1\nld.shared.u32 %%w7, [%%w6];", neighbours);
    run(1, 64, body);
    const struct ptx_fault *fault = NULL;
    for (unsigned i = 0; i < outcome.fault_count; i++)
        if (outcome.faults[i].kind == PTX_FAULT_RACE)
            fault = &outcome.faults[i];
    assert_non_null(fault);
    assert_true(fault->has_other && !fault->note);
    assert_int_not_equal(fault->at.position.line, fault->other.position.line);
    assert_int_equal(fault->at.thread[0] ^ fault->other.thread[0], 32);
    snprintf(body, sizeof body, "%sbar.sync 0;\nld.shared.u32 %%w7, [%%w6];", neighbours);
    run(1, 64, body);
    none();
    assert_int_equal(outcome.barriers, 2);
}

static void a_load_that_comes_too_early_is_a_race_and_not_a_value_that_was_never_written(void **state)
{
    static const char body[] = "st.shared.u32 [%w4], %w0; mov.u32 %w6, 63; sub.u32 %w6, %w6, %w0;\n"
                               "mad.lo.u32 %w6, %w6, 4, %w5; ld.shared.u32 %w7, [%w6];";
    (void)state;
    run(2, 64, body);
    assert_true(outcome.fault_count > 0);
    for (unsigned i = 0; i < outcome.fault_count; i++)
        assert_int_equal(outcome.faults[i].kind, PTX_FAULT_RACE);
    /* A load of what no thread writes is still a fault of its own. */
    run(1, 64, "st.shared.u32 [%w4], %w0; bar.sync 0; ld.shared.u32 %w7, [%w4+256];");
    only(PTX_FAULT_UNDEFINED);
}

static void lanes_of_a_warp_race_where_they_are_apart(void **state)
{
    (void)state;
    /* each lane loads what its neighbour stored: the warp does one after the other */
    run(1, 32,
        "st.shared.u32 [%w4], %w0; xor.b32 %w6, %w0, 1; mad.lo.u32 %w6, %w6, 4, %w5; ld.shared.u32 %w7, "
        "[%w6];");
    none();
    /* the even ones load in another branch than the odd ones store in */
    run(1, 32,
        "st.shared.u32 [%w4], %w0; and.b32 %w6, %w0, 1; setp.eq.u32 %p1, %w6, 0; @%p1 bra L1;\n"
        "st.shared.u32 [%w4], 7; bra L2; L1: ld.shared.u32 %w7, [%w4+4]; L2: mov.u32 %w8, %w7;");
    only(PTX_FAULT_RACE);
    /* where they have met again they may */
    run(1, 32,
        "and.b32 %w6, %w0, 1; setp.eq.u32 %p1, %w6, 0; @%p1 bra L2;\n"
        "st.shared.u32 [%w4], 7; L2: @%p1 ld.shared.u32 %w7, [%w4+4];");
    none();
}

static void stores_of_one_value_are_a_note(void **state)
{
    (void)state;
    run(1, 64, "st.shared.u32 [%w5], 5;");
    assert_true(only(PTX_FAULT_RACE)->note);
    assert_false(outcome.failed);
    run(1, 64, "st.shared.u32 [%w5], %w0;");
    assert_true(outcome.failed);
    run(1, 64, "atom.shared.add.u32 %w6, [%w5], 1;");
    only(PTX_FAULT_UNDEFINED);
    run(2, 64, "red.global.add.u32 [%d3], 1;");
    none();
}

static void a_race_of_blocks_is_told(void **state)
{
    (void)state;
    run(2, 32, "st.global.u32 [%d3], %w1;");
    for (unsigned i = 0; i < outcome.fault_count; i++)
        if (outcome.faults[i].kind == PTX_FAULT_RACE_OF_BLOCKS) {
            assert_int_equal(outcome.faults[i].at.block[0], 1);
            assert_int_equal(outcome.faults[i].other.block[0], 0);
            assert_false(outcome.faults[i].note);
        }
    assert_true(outcome.failed);
    /* the last block sums up: a fence and an atomic stand between */
    b[0] = 0;
    run(2, 1,
        "st.global.u32 [%d0], %w1; membar.gl; atom.global.inc.u32 %w6, [%d4], 1; setp.ne.u32 %p1, %w6, 1; "
        "@%p1 ret;\n"
        "ld.global.u32 %w7, [%d3]; ld.global.u32 %w7, [%d3+4];");
    none();
    b[0] = 0;
    run(2, 1,
        "st.global.u32 [%d0], %w1; atom.global.inc.u32 %w6, [%d4], 1; setp.ne.u32 %p1, %w6, 1; @%p1 ret;\n"
        "ld.global.u32 %w7, [%d3];");
    only(PTX_FAULT_RACE_OF_BLOCKS);
}

static void bytes_side_by_side_are_no_race(void **state)
{
    (void)state;
    run(1, 256, "cvt.u64.u32 %d5, %w0; add.u64 %d5, %d3, %d5; st.global.u8 [%d5], %w0;");
    none();
}

static void a_barrier_that_not_all_reach_is_told(void **state)
{
    (void)state;
    /* a warp waits elsewhere */
    run(1, 64,
        "setp.lt.u32 %p1, %w0, 32; @%p1 bra L1; bar.sync 0; bra L2; L1: bar.sync 1; L2: mov.u32 %w6, 0;");
    assert_true(only(PTX_FAULT_BARRIER)->has_other);
    /* lanes of a warp that wait elsewhere */
    run(1, 32,
        ".loc 1 4 1\nsetp.lt.u32 %p1, %w0, 16; @%p1 bra L1; .loc 1 5 1\nbar.sync 0; L1: st.shared.u32 [%w4], "
        "1;");
    assert_int_equal(only(PTX_FAULT_BARRIER)->at.position.line, 5);
    assert_text(&outcome.faults[0], "thread (0, 0, 0) of block (0, 0, 0) goes on without it");
    /* threads that have returned count as arrived */
    run(1, 64, "setp.lt.u32 %p1, %w0, 40; @%p1 bra L1; bar.sync 0; L1: ret;");
    none();
    run(1, 64, "setp.lt.u32 %p1, %w0, 40; @%p1 ret; bar.sync 0; st.shared.u32 [%w4], 1;");
    none();
    run(1, 64, "setp.lt.u32 %p1, %w0, 40; @%p1 exit; bar.sync 0; st.shared.u32 [%w4], 1;");
    none();
}

static void barriers_count_and_reduce(void **state)
{
    (void)state;
    run(1, 96,
        "setp.lt.u32 %p1, %w0, 40; bar.red.popc.u32 %w6, 0, %p1; bar.red.and.pred %p2, 0, %p1; "
        "bar.red.or.pred %p3, 0, %p1;\n"
        "selp.u32 %w7, 100, 0, %p2; selp.u32 %w8, 1000, 0, %p3; add.u32 %w6, %w6, %w7; add.u32 %w6, %w6, "
        "%w8; st.global.u32 [%d0], %w6;");
    none();
    for (unsigned i = 0; i < 96; i++)
        assert_int_equal(a[i], 1040);
    /* a producer that goes on, and consumers that wait for it */
    run(1, 64,
        "setp.lt.u32 %p1, %w0, 32; @%p1 bra L1; bar.sync 1, 64; bra L2; L1: bar.arrive 1, 64; L2: mov.u32 "
        "%w6, 0;");
    none();
}

static void a_shuffle_without_all_of_its_mask_is_told(void **state)
{
    (void)state;
    run(1, 32,
        "setp.lt.u32 %p1, %w0, 16; @%p1 bra L1; shfl.sync.bfly.b32 %w6, %w0, 1, 31, -1; L1: st.shared.u32 "
        "[%w4], 0;");
    only(PTX_FAULT_SHUFFLE);
    run(1, 32,
        "setp.lt.u32 %p1, %w0, 16; @%p1 bra L1; shfl.sync.bfly.b32 %w6, %w0, 1, 31, 0xFFFF0000; L1: mov.u32 "
        "%w7, 0;");
    none();
    run(1, 16, "shfl.sync.bfly.b32 %w6, %w0, 1, 31, -1;");
    none();
    /* lanes that have returned do not miss */
    run(1, 32,
        "setp.lt.u32 %p1, %w0, 16; @%p1 bra L1; shfl.sync.bfly.b32 %w6, %w0, 1, 31, -1; st.shared.u32 [%w4], "
        "%w6; L1: ret;");
    none();
    /* but who takes the value of one of them, or of a lane that never was, takes what is not defined */
    run(1, 32,
        "setp.ge.u32 %p1, %w0, 13; @%p1 bra L1; shfl.sync.down.b32 %w6, %w0, 8, 31, -1; st.shared.u32 [%w4], "
        "%w6; L1: ret;");
    assert_text(only(PTX_FAULT_SHUFFLE), "takes the value of a lane that has returned");
    assert_int_equal(outcome.faults[0].at.thread[0], 5);
    run(1, 16, "shfl.sync.down.b32 %w6, %w0, 8, 31, -1;");
    assert_int_equal(only(PTX_FAULT_SHUFFLE)->at.thread[0], 8);
    /* unless the mask does not name it, or the segment ends before it */
    run(1, 16, "shfl.sync.down.b32 %w6, %w0, 8, 31, 0xFFFF;");
    none();
    run(1, 16, "shfl.sync.down.b32 %w6, %w0, 8, 0x100F, -1;");
    none();
}

static void a_loop_without_end_ends(void **state)
{
    (void)state;
    run_with(&(struct setting){.instructions = 100000}, "L1: bra L1;");
    only(PTX_FAULT_STEPS);
    assert_false(outcome.complete);
    assert_true(outcome.instructions <= 100000);
}

static void a_trap_is_told(void **state)
{
    (void)state;
    run(1, 64, "setp.eq.u32 %p1, %w0, 33; @%p1 trap; st.global.u32 [%d0], 77;");
    assert_int_equal(only(PTX_FAULT_TRAP)->at.thread[0], 33);
}

static void what_depends_on_data_is_known(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 256; i++)
        a[i] = 3;
    run(1, 32, "ld.global.u32 %w6, [%d0]; st.global.u32 [%d1], %w6;");
    assert_false(outcome.address_of_data || outcome.branch_of_data || outcome.address_of_atomic ||
                 outcome.branch_of_atomic);
    run(1, 32,
        "ld.global.u32 %w6, [%d0]; mul.wide.u32 %d5, %w6, 4; add.u64 %d5, %d4, %d5; ld.global.u32 %w7, "
        "[%d5];");
    assert_true(outcome.address_of_data && !outcome.branch_of_data && !outcome.address_of_atomic);
    run(1, 32,
        "ld.global.u32 %w6, [%d0]; setp.gt.u32 %p1, %w6, 2; @%p1 bra L1; mov.u32 %w6, 0; L1: mov.u32 %w7, "
        "0;");
    assert_true(!outcome.address_of_data && outcome.branch_of_data);
    run(1, 1,
        "atom.global.exch.b32 %w6, [%d0], 4; mul.wide.u32 %d5, %w6, 4; add.u64 %d5, %d4, %d5; ld.global.u32 "
        "%w7, [%d5];");
    assert_true(outcome.address_of_atomic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_access_behind_the_end_is_told_with_its_element),
        cmocka_unit_test(an_access_before_the_begin_is_of_the_same_buffer),
        cmocka_unit_test(shared_memory_has_an_end),
        cmocka_unit_test(a_misaligned_access_is_told),
        cmocka_unit_test(what_was_never_written_is_not_loaded),
        cmocka_unit_test(a_buffer_may_be_for_loads_alone),
        cmocka_unit_test(a_race_within_a_block_is_told_with_both_threads),
        cmocka_unit_test(a_load_that_comes_too_early_is_a_race_and_not_a_value_that_was_never_written),
        cmocka_unit_test(lanes_of_a_warp_race_where_they_are_apart),
        cmocka_unit_test(stores_of_one_value_are_a_note),
        cmocka_unit_test(a_race_of_blocks_is_told),
        cmocka_unit_test(bytes_side_by_side_are_no_race),
        cmocka_unit_test(a_barrier_that_not_all_reach_is_told),
        cmocka_unit_test(a_vector_access_outside_names_its_elements),
        cmocka_unit_test(a_division_by_0_is_told),
        cmocka_unit_test(barriers_count_and_reduce),
        cmocka_unit_test(a_shuffle_without_all_of_its_mask_is_told),
        cmocka_unit_test(a_loop_without_end_ends),
        cmocka_unit_test(a_trap_is_told),
        cmocka_unit_test(what_depends_on_data_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
