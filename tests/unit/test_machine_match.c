/* What becomes of the accesses of PTX in machine code: of a file that the compiler wrote, and of small programs by
   hand, in which one thing differs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/machine_match.h"
#include "ptx/match_program.h"
#include "ptx/match_text.h"

/* ---- a tiled product, a divergent loop, atomics ---- */

struct fixture {
    struct cubin *cubin;
    struct ptx_module *module;
    struct match_kernel kernel;
    struct match_result result;
};

static char *whole_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "re");
    char *bytes = file ? calloc(1, 1 << 20) : NULL;
    *count = bytes ? fread(bytes, 1, (1 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

static void fixture_open(struct fixture *f, const char *name)
{
    struct error error = {0};
    struct ptx_problem problem = {0};
    size_t cubin_bytes, ptx_bytes;
    char *cubin = whole_file(TESTS_DIR "/cubins/tiled.cubin", &cubin_bytes);
    char *ptx = whole_file(TESTS_DIR "/cubins/tiled.ptx", &ptx_bytes);
    assert_int_equal(cubin_read(&f->cubin, cubin, cubin_bytes, &error), 0);
    f->module = ptx_module_parse(ptx, ptx_bytes, &problem);
    assert_non_null(f->module);
    assert_int_equal(
        match_program_make(&f->kernel, f->module, (unsigned)ptx_module_entry(f->module, name), &error), 0);
    free(cubin);
    free(ptx);
}

static const struct match_result *fixture_match(struct fixture *f, const char *name, bool diverges)
{
    machine_match_free(&f->result);
    for (size_t i = 0; i < f->kernel.program.branch_count; i++)
        f->kernel.branches[i].diverges = diverges && f->kernel.branches[i].conditional;
    assert_int_equal(
        machine_match_run(&f->result, &f->kernel.program, cubin_entry_find(f->cubin, name), NULL), 0);
    return &f->result;
}

static void fixture_close(struct fixture *f)
{
    machine_match_free(&f->result);
    match_program_free(&f->kernel);
    ptx_module_free(f->module);
    cubin_free(f->cubin);
}

static void a_tiled_product_is_counted_with_the_widths_of_the_machine_code(void **state)
{
    struct fixture f = {0};
    int ptx_loads = 0, machine_loads = 0, wide = 0;
    (void)state;
    fixture_open(&f, "tiled");
    const struct match_result *result = fixture_match(&f, "tiled", false);
    assert_true(result->global_exact && result->shared_exact && result->local_exact);
    for (size_t i = 0; i < result->count; i++) {
        const struct match_site *site = &f.kernel.sites[i];
        if (site->space != MACHINE_SHARED || site->kind != MACHINE_LOAD)
            continue;
        ptx_loads++;
        machine_loads += result->verdicts[i].leader == i;
        if (result->verdicts[i].how != MATCH_JOINED)
            continue;
        const struct match_site *leader = &f.kernel.sites[result->verdicts[i].leader];
        int64_t begin = leader->offset + result->verdicts[i].moved;
        assert_int_equal(result->verdicts[i].bytes, 16);
        assert_int_equal(begin % 16, 0);
        assert_in_range(site->offset, begin, begin + 12);
        wide++;
    }
    assert_int_equal(ptx_loads, 32);
    assert_int_equal(machine_loads, 20);
    assert_int_equal(wide, 16);
    fixture_close(&f);
}

static void a_divergent_loop_that_was_unrolled_is_not_exact(void **state)
{
    struct fixture f = {0};
    (void)state;
    fixture_open(&f, "triangle");
    const struct match_result *result = fixture_match(&f, "triangle", true);
    assert_int_equal(result->count, 2);
    assert_int_equal(result->verdicts[0].how, MATCH_APART);
    assert_true(result->verdicts[0].copies > 1);
    assert_true(result->verdicts[0].branch_line > f.kernel.sites[0].ptx_line);
    assert_int_equal(result->verdicts[1].how, MATCH_ONE);
    assert_false(result->global_exact);
    assert_true(fixture_match(&f, "triangle", false)->global_exact);
    fixture_close(&f);
}

static void atomics_become_loops_or_those_of_one_lane(void **state)
{
    struct fixture f = {0};
    size_t replaced = 0, one_lane = 0;
    (void)state;
    fixture_open(&f, "atomics");
    const struct match_result *result = fixture_match(&f, "atomics", true);
    for (size_t i = 0; i < result->count; i++) {
        replaced += result->verdicts[i].how == MATCH_REPLACED && f.kernel.sites[i].space == MACHINE_SHARED;
        one_lane += result->verdicts[i].how == MATCH_ONE_LANE && f.kernel.sites[i].space == MACHINE_GLOBAL;
    }
    assert_int_equal(replaced, 1);
    assert_int_equal(one_lane, 1);
    assert_true(result->global_exact);
    assert_false(result->shared_exact);
    for (size_t i = 0; i < result->count; i++)
        f.kernel.sites[i].executed = result->verdicts[i].how != MATCH_REPLACED;
    assert_true(fixture_match(&f, "atomics", true)->shared_exact);
    fixture_close(&f);
}

static void machine_code_without_lines_is_unknown(void **state)
{
    struct fixture f = {0};
    (void)state;
    fixture_open(&f, "tiled");
    struct cubin_entry entry = *cubin_entry_find(f.cubin, "tiled");
    entry.has_ptx_lines = false;
    assert_int_equal(machine_match_run(&f.result, &f.kernel.program, &entry, NULL), 0);
    assert_int_equal(f.result.verdicts[0].how, MATCH_UNKNOWN);
    assert_false(f.result.global_exact || f.result.shared_exact);
    fixture_close(&f);
}

/* ---- programs by hand ---- */

enum { LINE = 10 }; /* of the first site; its neighbours follow */

static struct cubin_instruction access(enum machine_kind kind, enum machine_space space, unsigned bytes,
                                       uint32_t line)
{
    return (struct cubin_instruction){.word = {.kind = kind,
                                               .space = space,
                                               .bytes = (uint8_t)bytes,
                                               .always = true,
                                               .predicate = MACHINE_ALWAYS},
                                      .target = -1,
                                      .ptx_line = line};
}

static struct cubin_instruction load(unsigned bytes, uint32_t line)
{
    return access(MACHINE_LOAD, MACHINE_GLOBAL, bytes, line);
}

static struct cubin_instruction flow(enum machine_flow flow, bool always, int32_t target, uint32_t line)
{
    return (struct cubin_instruction){.word = {.flow = flow, .always = always, .has_target = target >= 0},
                                      .target = target,
                                      .ptx_line = line};
}

#define END flow(MACHINE_EXIT, true, -1, 99)
#define SITE(l, b, ...)                                                                                      \
    {                                                                                                        \
        .ptx_line = l, .kind = MACHINE_LOAD, .space = MACHINE_GLOBAL, .bytes = b, .executed = true,          \
        __VA_ARGS__                                                                                          \
    }

static struct match_result compare(const struct match_site *sites, size_t site_count,
                                   const struct match_branch *branches, size_t branch_count,
                                   const struct cubin_instruction *code, size_t count)
{
    struct match_program program = {.sites = sites,
                                    .site_count = site_count,
                                    .branches = branches,
                                    .branch_count = branch_count,
                                    .begin_line = 1,
                                    .end_line = 99};
    struct cubin_entry entry = {.name = "k", .code = code, .count = count, .has_ptx_lines = true};
    struct match_result result;
    assert_int_equal(machine_match_run(&result, &program, &entry, NULL), 0);
    return result;
}

static const struct match_branch ends[] = {{.ptx_line = 99}};

static void a_width_that_differs_is_named(void **state)
{
    static const struct {
        unsigned bytes[3]; /* of the machine code's accesses; 0: none */
        enum match_how how;
    } cases[] = {
        {{16}, MATCH_ONE},     {{16, 16, 16}, MATCH_ONE}, {{4}, MATCH_NARROWER},  {{4, 4}, MATCH_NARROWER},
        {{8, 8}, MATCH_SPLIT}, {{0}, MATCH_GONE},         {{16, 8}, MATCH_MIXED}, {{32}, MATCH_WIDER},
    };
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct cubin_instruction code[4];
        size_t count = 0;
        for (int i = 0; i < 3 && cases[c].bytes[i]; i++)
            code[count++] = load(cases[c].bytes[i], LINE);
        code[count++] = END;
        struct match_result result = compare((struct match_site[]){SITE(LINE, 16)}, 1, ends, 1, code, count);
        assert_int_equal(result.verdicts[0].how, cases[c].how);
        assert_int_equal(result.global_exact, cases[c].how == MATCH_ONE);
        assert_true(result.shared_exact);
        machine_match_free(&result);
    }
}

static void only_neighbours_of_one_register_are_joined(void **state)
{
    struct match_site sites[] = {SITE(10, 4, .base = 7, .offset = 8), SITE(11, 4, .base = 7, .offset = 12),
                                 SITE(12, 4, .base = 8, .offset = 4)};
    struct cubin_instruction code[] = {load(8, 11), END};
    (void)state;
    struct match_result result = compare(sites, 3, ends, 1, code, 2);
    assert_int_equal(result.verdicts[0].how, MATCH_JOINED);
    assert_int_equal(result.verdicts[0].leader, 1);
    assert_int_equal(result.verdicts[1].moved, -4);
    assert_int_equal(result.verdicts[2].how, MATCH_GONE);
    machine_match_free(&result);
}

static void what_belongs_to_no_access_of_the_ptx_is_told(void **state)
{
    struct match_site sites[] = {SITE(10, 4)};
    struct cubin_instruction code[] = {load(4, 10), load(4, 50), access(MACHINE_STORE, MACHINE_LOCAL, 4, 10),
                                       access(MACHINE_LOAD, MACHINE_LOCAL, 4, 60), END};
    (void)state;
    struct match_result result = compare(sites, 1, ends, 1, code, 5);
    assert_int_equal(result.extra_count, 1);
    assert_int_equal(result.extras[0].ptx_line, 50);
    assert_int_equal(result.spill_loads, 1);
    assert_int_equal(result.spill_stores, 1);
    assert_true(!result.global_exact && result.shared_exact && !result.local_exact);
    machine_match_free(&result);
}

/* PTX: a loop from line 10 to its branch in line 20. */
static const struct match_branch loop[] = {{.ptx_line = 20, .target_line = 10, .conditional = true},
                                           {.ptx_line = 99}};

static void an_access_outside_of_its_loop_is_hoisted(void **state)
{
    struct match_site sites[] = {SITE(10, 4), SITE(11, 4)};
    struct cubin_instruction code[] = {load(4, 10), load(4, 11), flow(MACHINE_BRANCH, false, 1, 20), END};
    (void)state;
    struct match_result result = compare(sites, 2, loop, 2, code, 4);
    assert_int_equal(result.verdicts[0].how, MATCH_HOISTED);
    assert_int_equal(result.verdicts[1].how, MATCH_ONE);
    machine_match_free(&result);
}

static void fewer_copies_than_beside_it_are_told(void **state)
{
    struct match_site sites[] = {SITE(10, 4), SITE(11, 4)};
    struct cubin_instruction code[] = {load(4, 10), load(4, 11), load(4, 11),
                                       flow(MACHINE_BRANCH, false, 0, 20), END};
    (void)state;
    struct match_result result = compare(sites, 2, loop, 2, code, 5);
    assert_int_equal(result.verdicts[0].how, MATCH_FEWER);
    assert_int_equal(result.verdicts[1].how, MATCH_ONE);
    machine_match_free(&result);
}

/* PTX: line 10 is left out by who jumps from 5 to 20; all do line 20. */
static const struct match_branch condition[] = {
    {.ptx_line = 5, .target_line = 20, .conditional = true, .diverges = true}, {.ptx_line = 99}};

static void an_access_before_its_condition_is_told(void **state)
{
    struct match_site sites[] = {SITE(10, 4), SITE(20, 4)};
    struct cubin_instruction early[] = {load(4, 10), flow(MACHINE_BRANCH, false, 3, 5), load(4, 60),
                                        load(4, 20), END};
    struct cubin_instruction as_is[] = {flow(MACHINE_BRANCH, false, 2, 5), load(4, 10), load(4, 20), END};
    (void)state;
    struct match_result result = compare(sites, 2, condition, 2, early, 5);
    assert_int_equal(result.verdicts[0].how, MATCH_ALWAYS);
    machine_match_free(&result);
    result = compare(sites, 2, condition, 2, as_is, 4);
    assert_true(result.global_exact);
    machine_match_free(&result);
}

/* What stands before a condition in the PTX and behind it in the machine code is not done by a warp that leaves there as a whole,
   so it does not matter whether lanes part. An H100 does not do it. */
static void an_access_that_sank_behind_a_condition_is_told(void **state)
{
    static const struct match_branch uniform[] = {{.ptx_line = 5, .target_line = 20, .conditional = true},
                                                  {.ptx_line = 99}};
    const struct match_branch *const branches[] = {condition, uniform};
    struct match_site sites[] = {SITE(3, 4), SITE(10, 4)};
    struct cubin_instruction left[] = {flow(MACHINE_EXIT, false, -1, 5), load(4, 3), load(4, 10), END};
    struct cubin_instruction jumped[] = {flow(MACHINE_BRANCH, false, 3, 5), load(4, 3), load(4, 10), END};
    struct cubin_instruction as_is[] = {load(4, 3), flow(MACHINE_EXIT, false, -1, 5), load(4, 10), END};
    (void)state;
    for (int k = 0; k < 2; k++) {
        struct match_result result = compare(sites, 2, branches[k], 2, left, 4);
        assert_int_equal(result.verdicts[0].how, MATCH_BEHIND);
        assert_int_equal(result.verdicts[1].how, MATCH_ONE);
        machine_match_free(&result);
        result = compare(sites, 2, branches[k], 2, jumped, 4);
        assert_false(result.global_exact);
        assert_int_equal(result.verdicts[1].how, MATCH_ONE);
        machine_match_free(&result);
        result = compare(sites, 2, branches[k], 2, as_is, 4);
        assert_true(result.global_exact);
        machine_match_free(&result);
    }
}

static void code_that_was_duplicated_into_a_branch_is_done_apart(void **state)
{
    struct match_site sites[] = {SITE(10, 4), SITE(20, 4)};
    /* Line 20 stands at the end of both ways. */
    struct cubin_instruction code[] = {flow(MACHINE_BRANCH, false, 4, 5), load(4, 10), load(4, 20),
                                       flow(MACHINE_BRANCH, true, 5, 20), load(4, 20), END};
    (void)state;
    struct match_result result = compare(sites, 2, condition, 2, code, 6);
    assert_int_equal(result.verdicts[0].how, MATCH_ONE);
    assert_int_equal(result.verdicts[1].how, MATCH_APART);
    assert_int_equal(result.verdicts[1].branch_line, 5);
    machine_match_free(&result);
}

/* PTX: 5 goes to 10 or 15; some lanes of 15 leave, all others come to 30. The end, in line 40, is all that is common to both ways
   of 5, but the machine code's lanes meet where the others leave. An H100 does line 30 once. */
static void lanes_that_meet_although_some_have_left_are_told(void **state)
{
    static const struct match_branch leaving[] = {
        {.ptx_line = 5, .target_line = 15, .conditional = true, .diverges = true},
        {.ptx_line = 11, .target_line = 30},
        {.ptx_line = 15, .target_line = 40, .conditional = true, .diverges = true},
        {.ptx_line = 40}};
    struct match_site sites[] = {SITE(10, 4), SITE(30, 4)};
    struct cubin_instruction code[] = {flow(MACHINE_BRANCH, false, 2, 5), load(4, 10),
                                       flow(MACHINE_EXIT, false, -1, 15), load(4, 30), END};
    (void)state;
    struct match_result result = compare(sites, 2, leaving, 4, code, 5);
    assert_int_equal(result.verdicts[0].how, MATCH_ONE);
    assert_int_equal(result.verdicts[1].how, MATCH_APART);
    assert_int_equal(result.verdicts[1].branch_line, 5);
    machine_match_free(&result);
}

/* The same, but that those who leave do so in a block of their own: what BSSY says counts, not that both ways have an end. */
static void lanes_meet_where_the_machine_code_says(void **state)
{
    static const struct match_branch leaving[] = {
        {.ptx_line = 5, .target_line = 30, .conditional = true, .diverges = true},
        {.ptx_line = 6, .target_line = 20, .conditional = true, .diverges = true},
        {.ptx_line = 11, .target_line = 30},
        {.ptx_line = 21, .target_line = 40},
        {.ptx_line = 40}};
    struct match_site sites[] = {SITE(10, 4), SITE(20, 4), SITE(30, 4)};
    struct cubin_instruction code[] = {flow(MACHINE_MEET_BEGIN, true, 8, 5),
                                       flow(MACHINE_BRANCH, false, 7, 5),
                                       flow(MACHINE_BRANCH, false, 5, 6),
                                       load(4, 10),
                                       flow(MACHINE_BRANCH, true, 7, 11),
                                       load(4, 20),
                                       flow(MACHINE_EXIT, true, -1, 21),
                                       flow(MACHINE_MEET, true, -1, 30),
                                       load(4, 30),
                                       END};
    (void)state;
    struct match_result result = compare(sites, 3, leaving, 5, code, 10);
    assert_int_equal(result.verdicts[0].how, MATCH_ONE);
    assert_int_equal(result.verdicts[1].how, MATCH_ONE);
    assert_int_equal(result.verdicts[2].how, MATCH_APART);
    machine_match_free(&result);
}

static void each_difference_has_a_sentence(void **state)
{
    struct match_site site = SITE(10, 4);
    (void)state;
    for (int how = 0; how < MATCH_HOW_COUNT; how++) {
        struct match_verdict verdict = {.how = (enum match_how)how, .bytes = 16, .copies = 3};
        char text[512], cut[20];
        match_text_write(&site, &verdict, text, sizeof text);
        assert_true(strlen(text) > 10);
        assert_null(strpbrk(text, "{}"));
        match_text_write(&site, &verdict, cut, sizeof cut);
        assert_int_equal(strncmp(cut, text, sizeof cut - 1), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tiled_product_is_counted_with_the_widths_of_the_machine_code),
        cmocka_unit_test(a_divergent_loop_that_was_unrolled_is_not_exact),
        cmocka_unit_test(atomics_become_loops_or_those_of_one_lane),
        cmocka_unit_test(machine_code_without_lines_is_unknown),
        cmocka_unit_test(a_width_that_differs_is_named),
        cmocka_unit_test(only_neighbours_of_one_register_are_joined),
        cmocka_unit_test(what_belongs_to_no_access_of_the_ptx_is_told),
        cmocka_unit_test(an_access_outside_of_its_loop_is_hoisted),
        cmocka_unit_test(fewer_copies_than_beside_it_are_told),
        cmocka_unit_test(an_access_before_its_condition_is_told),
        cmocka_unit_test(an_access_that_sank_behind_a_condition_is_told),
        cmocka_unit_test(code_that_was_duplicated_into_a_branch_is_done_apart),
        cmocka_unit_test(lanes_that_meet_although_some_have_left_are_told),
        cmocka_unit_test(lanes_meet_where_the_machine_code_says),
        cmocka_unit_test(each_difference_has_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
