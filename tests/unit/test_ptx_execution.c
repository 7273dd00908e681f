/* Instructions that are no rows of lanes.h: memory, atomics, calls, what lanes do together, registers in parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/support/ptx_text.h"

static struct ptx_outcome outcome;
static uint64_t results[256];
static uint8_t memory[256];

/* Each thread's %d10 goes to results; p0 is results, p1 memory, whose address is in %d1. %w0 is the thread. */
static void run_text(struct ptx_module *module, unsigned threads)
{
    struct ptx_buffer buffers[2] = {
        {.name = "results", .data = results, .bytes = sizeof results, .element_bytes = 8},
        {.name = "memory", .data = memory, .bytes = sizeof memory, .element_bytes = 1}};
    memset(results, 0, sizeof results);
    struct ptx_launch launch = ptx_text_launch(module, buffers, 2, 1, threads);
    launch.check_undefined = false;
    assert_int_equal(ptx_launch_run(&launch, &outcome), 0);
    if (outcome.failed) {
        char text[300];
        ptx_fault_text(&outcome.faults[0], text, sizeof text);
        fail_msg("%s", text);
    }
    assert_true(outcome.complete);
    ptx_module_free(module);
}

static void run(unsigned threads, const char *body)
{
    char text[8192];
    snprintf(text, sizeof text,
             "mov.u32 %%w0, %%tid.x; mul.wide.u32 %%d2, %%w0, 8; ld.param.u64 %%d0, [p0]; ld.param.u64 %%d1, "
             "[p1]; add.u64 %%d0, %%d0, %%d2;\n"
             "mov.u64 %%d10, 0;\n%s\nst.global.u64 [%%d0], %%d10; ret;",
             body);
    run_text(ptx_text_parse(2, text), threads);
}

/* One thread, whose result is %w10 or %d10. */
static uint64_t one(const char *body)
{
    char text[4000];
    bool narrow = strstr(body, "%w10") != NULL;
    snprintf(text, sizeof text, "%s\n%s", body, narrow ? "cvt.u64.u32 %d10, %w10;" : "");
    run(1, text);
    return results[0];
}

static void registers_are_packed_and_taken_apart(void **state)
{
    (void)state;
    assert_int_equal(one("mov.u32 %w1, 0x11223344; mov.u32 %w2, 0x55667788; mov.b64 %d10, {%w1, %w2};"),
                     0x5566778811223344);
    assert_int_equal(one("mov.u64 %d3, 0x5566778811223344; mov.b64 {%w1, %w10}, %d3;"), 0x55667788);
    assert_int_equal(one("mov.u32 %w1, 0x11223344; mov.b32 {%h1, %h2}, %w1; mov.b32 %w10, {%h2, %h1};"),
                     0x33441122);
    assert_int_equal(one("mov.u16 %h1, 1; mov.u16 %h2, 2; mov.u16 %h3, 3; mov.u16 %h4, 4; mov.b64 %d10, "
                         "{%h1, %h2, %h3, %h4};"),
                     0x0004000300020001);
    assert_int_equal(one("mov.u64 %d3, 0x5566778811223344; mov.b64 {_, %w10}, %d3;"), 0x55667788);
}

static void carries_go_from_word_to_word(void **state)
{
    (void)state;
    assert_int_equal(
        one("mov.u32 %w1, 0xFFFFFFFF; add.cc.u32 %w2, %w1, 1; addc.cc.u32 %w3, %w1, 0; addc.u32 %w10, 5, 5;"),
        11);
    assert_int_equal(one("sub.cc.u32 %w1, 0, 1; subc.u32 %w10, 10, 3;"), 6);
    assert_int_equal(one("sub.cc.u32 %w1, 1, 1; subc.u32 %w10, 10, 3;"), 7);
    assert_int_equal(
        one("mov.u32 %w1, 0xFFFFFFFF; mad.lo.cc.u32 %w2, %w1, %w1, %w1; madc.hi.u32 %w10, %w1, %w1, 0;"),
        0xFFFFFFFF);
    assert_int_equal(one("mov.u64 %d3, 0xFFFFFFFFFFFFFFFF; add.cc.u64 %d4, %d3, 2; addc.u64 %d10, %d3, 0;"),
                     0);
}

static void memory_has_all_widths_and_signs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof memory; i++)
        memory[i] = (uint8_t)(0x81 + i);
    assert_int_equal(one("ld.global.s8 %w10, [%d1];"), 0xFFFFFF81);
    assert_int_equal(one("ld.global.u8 %w10, [%d1];"), 0x81);
    assert_int_equal(one("ld.global.s16 %d10, [%d1+2];"), 0xFFFFFFFFFFFF8483);
    assert_int_equal(one("ld.s8 %h1, [%d1+1]; cvt.u32.u16 %w10, %h1;"), 0xFF82);
    assert_int_equal(one("ld.global.v2.u16 {%h1, %h2}, [%d1+4]; cvt.u32.u16 %w10, %h2;"), 0x8887);
    assert_int_equal(one("ld.global.v4.u32 {%w1, %w2, %w3, %w10}, [%d1];"), 0x908F8E8D);
    assert_int_equal(one("ld.global.v2.u64 {%d3, %d10}, [%d1+16];"), 0xA09F9E9D9C9B9A99);
    assert_int_equal(one("mov.u32 %w1, 0x12345678; st.global.u16 [%d1+8], %w1; ld.global.u32 %w10, [%d1+8];"),
                     0x8C8B5678);
    assert_int_equal(one("mov.u32 %w1, 7; st.global.v2.u8 [%d1+8], {%w1, %w1}; ld.global.u16 %w10, [%d1+8];"),
                     0x0707);
    assert_int_equal(
        one("ld.volatile.global.u8 %w10, [%d1]; prefetch.global.L2 [%d1]; membar.gl; fence.acq_rel.gpu;"),
        0x81);
}

static void generic_addresses_are_of_all_spaces(void **state)
{
    (void)state;
    assert_int_equal(one(".shared .align 8 .b8 s[16]; .local .align 8 .b8 l[16]; mov.u32 %w1, 9; mov.u64 "
                         "%d3, s; cvta.shared.u64 %d4, %d3;\n"
                         "st.u32 [%d4+4], %w1; ld.shared.u32 %w2, [s+4]; mov.u64 %d5, l; cvta.local.u64 %d6, "
                         "%d5; st.u32 [%d6+8], %w2;\n"
                         "ld.local.u32 %w10, [l+8];"),
                     9);
    assert_int_equal(one(".shared .b8 s[16]; mov.u64 %d3, s; cvta.shared.u64 %d4, %d3; isspacep.shared %p1, "
                         "%d4; isspacep.global %p2, %d1;\n"
                         "isspacep.local %p3, %d4; selp.u32 %w1, 1, 0, %p1; selp.u32 %w2, 2, 0, %p2; "
                         "selp.u32 %w3, 4, 0, %p3;\n"
                         "add.u32 %w10, %w1, %w2; add.u32 %w10, %w10, %w3;"),
                     3);
    assert_int_equal(one(".shared .b8 s[16]; cvta.shared.u64 %d3, 4; cvta.to.shared.u64 %d10, %d3;"), 4);
    /* lanes of one instruction in two spaces */
    run(2, ".shared .align 4 .b8 s[16]; mov.u64 %d3, s; cvta.shared.u64 %d4, %d3; setp.eq.u32 %p1, %w0, 0; "
           "selp.u64 %d5, %d4, %d1, %p1;\n"
           "st.u32 [%d5], %w0; ld.u32 %w1, [%d5]; cvt.u64.u32 %d10, %w1;");
    assert_int_equal(results[0], 0);
    assert_int_equal(results[1], 1);
    assert_int_equal(memory[0], 1);
}

static void atomics_return_what_was_there(void **state)
{
    static const struct {
        const char *opcode, *operands;
        uint64_t before, returned, after;
    } cases[] = {
        {"add.u32", "5", 7, 7, 12},          {"add.s32", "-1", 7, 7, 6},
        {"min.s32", "-1", 7, 7, 0xFFFFFFFF}, {"max.u32", "9", 7, 7, 9},
        {"and.b32", "3", 6, 6, 2},           {"or.b32", "3", 4, 4, 7},
        {"xor.b32", "3", 5, 5, 6},           {"exch.b32", "3", 5, 5, 3},
        {"cas.b32", "5, 8", 5, 5, 8},        {"cas.b32", "4, 8", 5, 5, 5},
        {"inc.u32", "5", 5, 5, 0},           {"inc.u32", "5", 4, 4, 5},
        {"dec.u32", "5", 0, 0, 5},           {"dec.u32", "5", 9, 9, 5},
        {"dec.u32", "5", 3, 3, 2},           {"add.f32", "0f3F800000", 0x3F800000, 0x3F800000, 0x40000000},
        {"min.u32", "9", 7, 7, 7},           {"max.s32", "-1", 7, 7, 7},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char body[400];
        memcpy(memory, &cases[i].before, 8);
        snprintf(body, sizeof body, "mov.u32 %%w10, 0; atom.global.%s %%w10, [%%d1], %s;", cases[i].opcode,
                 cases[i].operands);
        uint32_t after;
        uint64_t returned = one(body);
        memcpy(&after, memory, 4);
        if (returned != cases[i].returned || after != cases[i].after)
            fail_msg("%s: %llx, then %x", cases[i].opcode, (unsigned long long)returned, after);
    }
    memset(memory, 0, sizeof memory);
    /* lanes of one instruction at one place, one after the other */
    run(64, "atom.global.add.u32 %w1, [%d1], 1; cvt.u64.u32 %d10, %w1;");
    uint64_t sum = 0;
    for (unsigned i = 0; i < 64; i++)
        sum += results[i];
    assert_int_equal(sum, 63 * 64 / 2);
    assert_int_equal(memory[0], 64);
    assert_int_equal(one("mov.u64 %d3, 1; atom.add.u64 %d10, [%d1+8], %d3; red.global.add.f64 [%d1+16], "
                         "0d3FF0000000000000;"),
                     0);
    assert_int_equal(memory[8], 1);
    assert_int_equal(memory[23], 0x3F);
}

static void lanes_shuffle(void **state)
{
    (void)state;
    run(32, "shfl.sync.up.b32 %w1|%p1, %w0, 3, 0, -1; selp.u32 %w2, 100, 0, %p1; add.u32 %w1, %w1, %w2; "
            "cvt.u64.u32 %d10, %w1;");
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(results[i], i >= 3 ? i - 3 + 100 : i);
    run(32, "shfl.sync.down.b32 %w1, %w0, 3, 0x1F, -1; cvt.u64.u32 %d10, %w1;");
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(results[i], i < 29 ? i + 3 : i);
    run(32, "shfl.sync.bfly.b32 %w1, %w0, 5, 0x1F, -1; cvt.u64.u32 %d10, %w1;");
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(results[i], i ^ 5);
    run(32, "shfl.sync.idx.b32 %w1, %w0, 2, 0x181F, -1; cvt.u64.u32 %d10, %w1;"); /* segments of 8 */
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(results[i], i / 8 * 8 + 2);
}

static void lanes_vote_and_match(void **state)
{
    (void)state;
    run(32, "setp.lt.u32 %p1, %w0, 5; vote.sync.ballot.b32 %w1, %p1, -1; vote.sync.any.pred %p2, %p1, -1; "
            "vote.sync.all.pred %p3, %p1, -1;\n"
            "selp.u32 %w2, 256, 0, %p2; selp.u32 %w3, 512, 0, %p3; add.u32 %w1, %w1, %w2; add.u32 %w1, %w1, "
            "%w3; cvt.u64.u32 %d10, %w1;");
    assert_int_equal(results[7], 31 + 256);
    run(32, "shr.u32 %w1, %w0, 2; match.any.sync.b32 %w2, %w1, -1; cvt.u64.u32 %d10, %w2;");
    assert_int_equal(results[9], 0xF00);
    run(32, "match.all.sync.b32 %w2|%p1, 7, -1; selp.u64 %d10, 1, 0, %p1;");
    assert_int_equal(results[9], 1);
    run(32, "redux.sync.add.u32 %w1, %w0, -1; redux.sync.max.s32 %w2, %w0, -1; add.u32 %w1, %w1, %w2; "
            "cvt.u64.u32 %d10, %w1;");
    assert_int_equal(results[0], 496 + 31);
    run(20, "activemask.b32 %w1; elect.sync %w2|%p1, -1; selp.u32 %w3, 0x1000000, 0, %p1; add.u32 %w1, %w1, "
            "%w3; cvt.u64.u32 %d10, %w1;");
    assert_int_equal(results[0], 0xFFFFF + 0x1000000);
    assert_int_equal(results[1], 0xFFFFF);
}

static void special_registers_say_who_a_thread_is(void **state)
{
    (void)state;
    run(96, "mov.u32 %w1, %laneid; mov.u32 %w2, %warpid; mad.lo.u32 %w1, %w2, 100, %w1; mov.u32 %w3, "
            "%ntid.x; mad.lo.u32 %w1, %w3, 10000, %w1;\n"
            "cvt.u64.u32 %d10, %w1;");
    assert_int_equal(results[70], 96 * 10000 + 2 * 100 + 6);
    run(32, "mov.u32 %w1, %lanemask_lt; mov.u32 %w2, %lanemask_ge; mov.b64 %d10, {%w1, %w2};");
    assert_int_equal(results[4], 0xFFFFFFF00000000F);
    assert_true(one("mov.u32 %w1, %clock; mov.u32 %w2, %clock; sub.u32 %w10, %w2, %w1;") > 0);
    assert_int_equal(one("mov.u32 %w10, %smid;"), 0);
}

static void loops_and_branches_of_lanes_meet_again(void **state)
{
    (void)state;
    /* each lane as many rounds as its number; then all at once */
    run(32, "mov.u32 %w1, 0; mov.u32 %w2, 0; L1: setp.ge.u32 %p1, %w1, %w0; @%p1 bra L2; add.u32 %w2, %w2, "
            "%w1; add.u32 %w1, %w1, 1; bra L1;\n"
            "L2: activemask.b32 %w3; mov.b64 %d10, {%w2, %w3};");
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(results[i], 0xFFFFFFFF00000000 + i * (i - 1) / 2 * (i > 0));
    run(32, "rem.u32 %w1, %w0, 3; T: .branchtargets A, B, C; brx.idx %w1, T; A: mov.u64 %d10, 10; bra L; B: "
            "mov.u64 %d10, 11; bra L; C: mov.u64 %d10, 12;\n"
            "L: activemask.b32 %w3; cvt.u64.u32 %d3, %w3; mad.lo.u64 %d10, %d3, 100, %d10;");
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(results[i], 0xFFFFFFFF * UINT64_C(100) + 10 + i % 3);
    /* names of a scope are its own */
    assert_int_equal(one("mov.u32 %w10, 1; { .reg.u32 %w10; mov.u32 %w10, 2; bra L; L: } { bra L; L: }"), 1);
}

static const char calls[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, %a, %a; "
    "st.param.b32 [r], %a; ret;\n}\n"
    ".func (.param .b32 r) odd(.param .b32 x, .param .align 8 .b8 s[16])\n{\n.reg .b32 %a<4>; .reg .pred %p; "
    ".param .b32 t; .param .b32 u;\n"
    "ld.param.b32 %a0, [x]; ld.param.b32 %a2, [s+12]; and.b32 %a1, %a0, 1; setp.eq.u32 %p, %a1, 0;\n"
    "@%p bra E; st.param.b32 [t], %a0; call (u), twice, (t); ld.param.b32 %a0, [u]; add.u32 %a0, %a0, %a2; "
    "st.param.b32 [r], %a0; ret;\n"
    "E: st.param.b32 [r], 7; ret;\n}\n"
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .b32 %w<9>; .reg .b64 %d<9>;\n"
    "mov.u32 %w0, %tid.x; mul.wide.u32 %d2, %w0, 8; ld.param.u64 %d0, [p0]; add.u64 %d0, %d0, %d2;\n"
    "{ .param .b32 a; .param .align 8 .b8 s[16]; .param .b32 r; st.param.b32 [a+0], %w0; st.param.b32 "
    "[s+12], 100; call.uni (r), odd, (a, s);\n"
    "ld.param.b32 %w1, [r+0]; }\n{ .param .b64 a; .param .b64 b; .param .b32 r; st.param.b64 [a], 0; "
    "st.param.b64 [b], 0; call (r), vprintf, (a, b); }\n"
    "cvt.u64.u32 %d3, %w1; st.global.u64 [%d0], %d3;\n}\n";

static void functions_are_called_with_memory_as_parameters(void **state)
{
    struct ptx_problem problem;
    (void)state;
    struct ptx_module *module = ptx_text_read(calls, &problem);
    if (!module)
        fail_msg("line %d: %s", problem.position.ptx_line, problem.text);
    for (unsigned f = 0; f < module->function_count; f++)
        if (module->functions[f].problem)
            fail_msg("%s: %s", module->functions[f].name, module->functions[f].problem->text);
    run_text(module, 64);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(results[i], i % 2 ? 2 * i + 100 : 7);
    assert_true(outcome.fault_count == 1 && outcome.faults[0].note &&
                !outcome.failed); /* that printf is a stub */
}

static void constants_may_be_set_before_the_launch(void **state)
{
    static const uint32_t values[] = {50, 60};
    struct ptx_problem problem;
    (void)state;
    struct ptx_module *module =
        ptx_text_read(".version 8.0\n.target sm_90\n.address_size 64\n.const .u32 c[4] = {1, 2, 3, "
                      "4};\n.global .u64 where = c+8;\n.global .u32 counter = 40;\n"
                      ".entry k(.param .u64 p0)\n{\n.reg .b32 %w<9>; .reg .b64 %d<9>; ld.param.u64 %d0, "
                      "[p0]; ld.const.u32 %w1, [c+4]; ld.global.u64 %d1, [where];\n"
                      "ld.const.u32 %w2, [%d1]; atom.global.add.u32 %w3, [counter], 1; add.u32 %w1, %w1, "
                      "%w2; add.u32 %w1, %w1, %w3; st.global.u32 [%d0], %w1;\n}\n",
                      &problem);
    if (!module)
        fail_msg("line %d: %s", problem.position.ptx_line, problem.text);
    struct ptx_buffer buffer = {
        .name = "results", .data = results, .bytes = sizeof results, .element_bytes = 8};
    struct ptx_setting setting = {"c", values, sizeof values};
    struct ptx_launch launch = ptx_text_launch(module, &buffer, 1, 1, 1);
    launch.settings = &setting;
    launch.setting_count = 1;
    for (int round = 0; round < 2; round++) { /* variables begin anew in each launch */
        assert_int_equal(ptx_launch_run(&launch, &outcome), 0);
        assert_int_equal(outcome.fault_count, 0);
        assert_int_equal((uint32_t)results[0], 60 + 3 + 40);
    }
    ptx_module_free(module);
}

static void some_blocks_may_be_wanted(void **state)
{
    static const uint64_t blocks[] = {1, 5, 6};
    (void)state;
    struct ptx_module *module =
        ptx_text_parse(1, "mov.u32 %w1, %ctaid.x; mov.u32 %w2, %ctaid.y; mad.lo.u32 %w1, %w2, 4, %w1; "
                          "mul.wide.u32 %d1, %w1, 8;\n"
                          "ld.param.u64 %d0, [p0]; add.u64 %d0, %d0, %d1; st.global.u64 [%d0], 1; ret;");
    struct ptx_buffer buffer = {
        .name = "results", .data = results, .bytes = sizeof results, .element_bytes = 8};
    struct ptx_launch launch = ptx_text_launch(module, &buffer, 1, 4, 1);
    launch.grid[1] = 2;
    launch.blocks = blocks;
    launch.block_count = 3;
    memset(results, 0, sizeof results);
    assert_int_equal(ptx_launch_run(&launch, &outcome), 0);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(results[i], i == 1 || i == 5 || i == 6);
    assert_int_equal(outcome.blocks, 3);
    launch.grid[1] = 1; /* block 5 is outside */
    assert_int_equal(ptx_launch_run(&launch, &outcome), -1);
    assert_int_equal(outcome.faults[0].kind, PTX_FAULT_UNKNOWN);
    launch.blocks = NULL;
    launch.budget.bytes = 1000;
    assert_int_equal(ptx_launch_run(&launch, &outcome), -1);
    assert_int_equal(outcome.faults[0].kind, PTX_FAULT_MEMORY);
    ptx_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_packed_and_taken_apart),
        cmocka_unit_test(carries_go_from_word_to_word),
        cmocka_unit_test(memory_has_all_widths_and_signs),
        cmocka_unit_test(generic_addresses_are_of_all_spaces),
        cmocka_unit_test(atomics_return_what_was_there),
        cmocka_unit_test(lanes_shuffle),
        cmocka_unit_test(lanes_vote_and_match),
        cmocka_unit_test(special_registers_say_who_a_thread_is),
        cmocka_unit_test(loops_and_branches_of_lanes_meet_again),
        cmocka_unit_test(functions_are_called_with_memory_as_parameters),
        cmocka_unit_test(constants_may_be_set_before_the_launch),
        cmocka_unit_test(some_blocks_may_be_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
