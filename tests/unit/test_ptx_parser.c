/* What is read of a text, and how what is not understood is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "tests/unit/support/ptx_text.h"

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* What is wrong with the text, or with its first function. */
static struct ptx_problem problem_of(const char *text)
{
    struct ptx_problem problem;
    struct ptx_module *module = ptx_text_read(text, &problem);
    if (module) {
        if (!module->function_count || !module->functions[0].problem)
            fail_msg("accepted: %s", text);
        problem = *module->functions[0].problem;
    }
    ptx_module_free(module);
    return problem;
}

static const struct {
    const char *text;
    int line;
    const char *sentence;
} refused[] = {
    {HEAD ".entry k()\n{\nwmma.load.a.sync;\n}", 6, "wmma.load.a.sync is not executed yet"},
    {HEAD ".entry k()\n{\n.reg .b32 %r<2>;\nadd.u32 %r0, %r1, %r2;\n}", 7, "%r2 is not known"},
    {HEAD ".entry k()\n{\n.reg .b32 %r<2>; .reg .b64 %d;\nadd.u32 %r0, %r1, %d;\n}", 7,
     "%d is .b64, not .u32"},
    {HEAD ".entry k()\n{\nbra away;\n}", 7, "the label away of line 6 is not there"},
    {HEAD ".entry k()\n{\n.reg .b32 %r<1000000>;\n}", 6, "more than 65536 registers"},
    {HEAD ".entry k()\n{\n.reg .b32 %r;\n.reg .b32 %r;\n}", 7, "%r is declared twice"},
    {HEAD ".entry k()\n{\n.shared .b8 s[99999999];\n}", 6, "s is larger than 232448 bytes"},
    {HEAD ".entry k()\n{\n.local .b8 s[2][400000];\n}", 6, "s is larger than 524288 bytes"},
    {HEAD ".global .b8 g[4398046511104];\n", 4, "g is larger than 67108864 bytes"},
    {HEAD ".global .b8 g[67108864];\n.global .b8 h[67108864];\n", 5, "more than 67108864 bytes of variables"},
    {HEAD ".global .b8 g[18446744073709551615];\n", 4, "g is larger than 67108864 bytes"},
    {HEAD ".const .u32 g[2] = {1, 2, 3};\n", 4, "more values than the variable has"},
    {HEAD ".entry k(.param .b8 p[40000])\n{\n}", 4, "p is larger than 32764 bytes"},
    {HEAD ".entry k()\n{\n.reg .b64 %d;\ncall (), %d, ();\n}", 7, "calls through a pointer are not executed"},
    {HEAD ".func f()\n{\ncall f;\n}", 5, "recursion is not executed: f"},
    {HEAD ".entry k()\n{\n.reg .b32 %r;\nld.global.v8.u32 %r, [0];\n}", 7,
     "ld.global.v8.u32 is not executed yet"},
    {HEAD ".entry k()\n{\n.include \"/etc/passwd\"\n}", 6, ".include is not executed yet"},
    {HEAD ".include \"/etc/passwd\"\n", 4, ".include is not known"},
    {HEAD ".entry k()\n{\n.reg .b32 %r;\nadd.u32 %r, %r;\n}", 7, "add.u32 with 2 operands"},
    {HEAD ".entry k()\n{\nret\n}", 7, "} where an operand should be"},
    {HEAD ".entry k()\n{\n", 6, "the text ends where } should follow"},
    {HEAD ".entry k()\n{\n.reg .b32 %r;\nmov.u32 %tid.x, %r;\n}", 7, "a special register is not written"},
    {HEAD ".entry k()\n{\n.reg .f32 %f;\nsin.rn.f32 %f, %f;\n}", 7, "sin.rn.f32 is not executed yet"},
    {".version 8.0\n.target sm_90\n.address_size 32\n", 4, "addresses of 32 bits are not executed"},
    {HEAD "\1", 4, "\1 is not known"},
};

static void what_is_not_understood_is_told_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct ptx_problem problem = problem_of(refused[i].text);
        if (strcmp(problem.text, refused[i].sentence) != 0 || problem.position.ptx_line != refused[i].line)
            fail_msg("line %d: %s, not line %d: %s", problem.position.ptx_line, problem.text, refused[i].line,
                     refused[i].sentence);
    }
}

/* Of a launch that no other launch waits for. */
static void a_warp_is_a_number_and_grids_do_not_wait(void **state)
{
    struct ptx_problem problem;
    struct ptx_module *module = ptx_text_read(
        HEAD ".entry k()\n{\n.reg .b32 %r<2>;\nmov.u32 %r0, WARP_SZ;\nadd.u32 %r1, %r0, WARP_SZ;\n"
             "griddepcontrol.wait;\ngriddepcontrol.launch_dependents;\nret;\n}",
        &problem);
    (void)state;
    assert_non_null(module);
    if (module->functions[0].problem)
        fail_msg("%s", module->functions[0].problem->text);
    ptx_module_free(module);
}

static void problems_stay_with_their_function(void **state)
{
    struct ptx_problem problem;
    (void)state;
    struct ptx_module *module = ptx_text_read(
        HEAD ".extern .func d ();\n.func e()\n{ tex.1d; }\n.entry a()\n{\n.loc 1 3 4\n{ wmma.mma; }\n}\n"
             ".entry b()\n{\nret;\n}\n.entry c()\n{\ncall d;\n}\n.entry f()\n{\ncall e;\n}",
        &problem);
    assert_non_null(module);
    static const char *const problems[] = {NULL,
                                           "tex.1d is not executed yet",
                                           "wmma.mma is not executed yet",
                                           NULL,
                                           "a function without a body is called: d",
                                           "tex.1d is not executed yet"};
    for (unsigned i = 0; i < 6; i++) {
        const struct ptx_problem *of = module->functions[i].problem;
        assert_true(!of == !problems[i]);
        if (of)
            assert_string_equal(of->text, problems[i]);
    }
    assert_int_equal(module->functions[2].problem->position.line, 3);
    assert_int_equal(ptx_module_entry(module, "b"), 3);
    assert_int_equal(ptx_module_entry(module, "d"), -1);
    assert_int_equal(ptx_module_entry(module, NULL), -1);
    ptx_module_free(module);
}

static void parameters_variables_and_sites_are_listed(void **state)
{
    struct ptx_problem problem;
    (void)state;
    struct ptx_module *module = ptx_text_read(
        HEAD
        ".const .align 8 .u64 c[2] = {generic(g)+8, 5};\n.global .align 16 .b8 g[32] = {1, 2};\n.extern "
        ".shared .align 16 .b8 dynamic[];\n"
        ".visible .entry k(.param .u64 .ptr .global .align 4 a, .param .align 8 .b8 s[12], .param .u16 h)\n"
        ".maxntid 256, 1, 1\n.minnctapersm 2\n{\n.reg .b32 %r<9>; .reg .b64 %d; .local .align 8 .b8 "
        "depot[24]; .shared .f32 tile[33];\n"
        ".loc 1 20 3\nld.param.u64 %d, [a];\n.loc 2 5 7, function_name $L__info, inlined_at 1 20 3\n"
        "ld.global.nc.v4.u32 {%r0, %r1, %r2, %r3}, [%d+16];\nst.volatile.shared.u32 [tile], "
        "%r0;\natom.add.u32 %r1, [%d], 1;\n"
        "mov.u32 %r4, dynamic; st.local.u8 [depot], %r1;\n}\n.file 1 \"a.cu\"\n.file 2 \"b.h\", 123, "
        "456\n.file 3 \"/folder\" \"c.h\"\n",
        &problem);
    if (!module)
        fail_msg("line %d: %s", problem.position.ptx_line, problem.text);
    const struct ptx_function *k = &module->functions[0];
    assert_null(k->problem);
    assert_int_equal(k->parameter_count, 3);
    assert_true(k->parameters[0].pointer && !k->parameters[1].pointer);
    assert_int_equal(k->parameters[1].offset, 8);
    assert_int_equal(k->parameters[1].bytes, 12);
    assert_string_equal(k->parameters[1].type, "b8");
    assert_int_equal(k->parameters[2].offset, 20);
    assert_int_equal(k->parameter_bytes, 22);
    assert_int_equal(k->max_threads[0], 256);
    assert_false(k->max_is_exact);
    assert_int_equal(k->shared_bytes, 33 * 4);
    assert_int_equal(k->local_bytes, 24);
    assert_true(k->dynamic_shared);
    assert_int_equal(module->variable_count, 4);
    assert_int_equal(module->variables[1].bytes, 32);
    assert_int_equal(module->variables[1].bytes_initial[1], 2);
    assert_int_equal(module->site_count, 4);
    const struct ptx_site *sites = module->sites;
    assert_int_equal(sites[0].bytes, 16);
    assert_int_equal(sites[0].elements, 4);
    assert_string_equal(sites[0].cache, "nc");
    assert_int_equal(sites[0].space, PTX_GLOBAL);
    assert_int_equal(sites[0].position.file, 2);
    assert_int_equal(sites[0].position.line, 5);
    assert_int_equal(module->positions[sites[0].position.inlined_at].line, 20);
    struct ptx_position outside = ptx_module_position(module, &sites[0].position);
    assert_int_equal(outside.file, 1);
    assert_int_equal(outside.line, 20);
    assert_int_equal(outside.ptx_line, sites[0].position.ptx_line);
    assert_true(sites[1].is_volatile && sites[1].space == PTX_SHARED && sites[1].kind == PTX_STORE);
    assert_true(sites[2].kind == PTX_ATOMIC && sites[2].space == PTX_GENERIC);
    assert_int_equal(sites[3].bytes, 1);
    assert_string_equal(module->files[2], "b.h");
    assert_string_equal(module->files[3], "c.h");
    assert_string_equal(module->target, "sm_90");
    ptx_module_free(module);
}

static void a_text_that_is_cut_anywhere_is_refused_or_read(void **state)
{
    (void)state;
    FILE *file = fopen(TESTS_DIR "/ptx/kernels.ptx", "rb");
    char *text = malloc(1 << 20);
    assert_true(file && text);
    size_t bytes = fread(text, 1, 1 << 20, file);
    fclose(file);
    for (size_t cut = 0; cut < bytes; cut += cut < 3000 ? 1 : 1009) {
        struct ptx_problem problem;
        char *copy = malloc(cut + 1); /* as long as the text, so that a sanitizer sees a byte too many */
        memcpy(copy, text, cut);
        struct ptx_module *module = ptx_module_parse(copy, cut, &problem);
        assert_true(module || problem.text[0]);
        ptx_module_free(module);
        free(copy);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_understood_is_told_with_its_line),
        cmocka_unit_test(a_warp_is_a_number_and_grids_do_not_wait),
        cmocka_unit_test(problems_stay_with_their_function),
        cmocka_unit_test(parameters_variables_and_sites_are_listed),
        cmocka_unit_test(a_text_that_is_cut_anywhere_is_refused_or_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
