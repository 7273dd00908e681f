/* What a source kernel touches, counted from its PTX: against arithmetic done by hand; and the bytes between processes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/source/source_count.h"

static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry shifted(.param .u64 p0, .param .u64 p1, .param .u32 p2, .param .u32 p3)\n{\n"
    ".reg .pred %p<2>;\n.reg .f32 %f<2>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<9>;\n.loc 1 1 0\n"
    "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nld.param.u32 %r3, [p2];\nld.param.u32 %r2, [p3];\n"
    ".loc 1 3 5\nmov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmov.u32 %r6, %tid.x;\n"
    "mad.lo.s32 %r1, %r4, %r5, %r6;\n.loc 1 4 5\nsetp.ge.u32 %p1, %r1, %r3;\n@%p1 bra $L_2;\n"
    "cvta.to.global.u64 %rd3, %rd1;\n.loc 1 5 9\nadd.s32 %r7, %r1, %r2;\nmul.wide.u32 %rd4, %r7, 4;\n"
    "add.s64 %rd5, %rd3, %rd4;\nld.global.f32 %f1, [%rd5];\ncvta.to.global.u64 %rd6, %rd2;\n"
    "mul.wide.u32 %rd7, %r1, 4;\nadd.s64 %rd8, %rd6, %rd7;\nst.global.f32 [%rd8], %f1;\n$L_2:\nret;\n}\n"
    ".file 1 \"source\"\n";

static void add(struct source_draft *draft, const char *name, const char *type, const char *elements,
                enum buffer_role role)
{
    struct source_argument *a = &draft->argument[draft->argument_count];
    *a = (struct source_argument){
        .index = draft->argument_count++, .field = -1, .pointer = elements != NULL, .role = role};
    snprintf(a->name, sizeof a->name, "%s", name);
    assert_true(source_type_of(type, &a->type));
    if (elements)
        snprintf(a->elements, sizeof a->elements, "%s", elements);
}

static struct source_kernel *shifted(const char *in_elements)
{
    static struct source_draft draft;
    struct problems problems = {0};
    draft = (struct source_draft){.source = strdup("__global__ void shifted()"), .entry = "shifted"};
    add(&draft, "in", "f32", in_elements, BUFFER_INPUT);
    add(&draft, "out", "f32", "n", BUFFER_OUTPUT);
    add(&draft, "n", "u32", NULL, BUFFER_INPUT);
    add(&draft, "offset", "u32", NULL, BUFFER_INPUT);
    struct source_kernel *kernel = source_kernel_new(&draft, &problems, NULL);
    assert_non_null(kernel);
    return kernel;
}

static struct experiment experiment_of(const struct source_kernel *kernel, int64_t n, int64_t offset,
                                       int64_t grid)
{
    struct experiment e;
    struct problems problems = {0};
    experiment_init(&e, &kernel->kernel);
    e.param[0] = n;
    e.param[1] = offset;
    e.block[0] = 256;
    e.grid[0] = grid;
    e.grid[1] = e.grid[2] = 1;
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    return e;
}

static void count_it(struct source_count *count, const struct experiment *e, const struct explain *listed)
{
    struct error error = {0};
    const struct source_code code = {.symbol = "shifted", .ptx = ptx, .ptx_bytes = sizeof ptx - 1};
    if (source_count_make(e, &code, listed, false, 0, count, &error) < 0)
        fail_msg("%s", error.text);
}

static void test_a_shifted_copy_is_counted(void **state)
{
    struct source_kernel *kernel = shifted("n + offset");
    struct experiment e = experiment_of(kernel, 65536, 11, 256);
    struct source_count count;
    (void)state;
    count_it(&count, &e, NULL);
    assert_int_equal(count.access.load.requests, 2048);
    assert_int_equal(count.access.load.sectors, 5 * 2048); /* 11 elements are 44 bytes: no multiple of 32 */
    assert_int_equal(count.access.load.lines, 2 * 2048);
    assert_int_equal(count.access.store.sectors, 4 * 2048);
    assert_int_equal(count.access.load_reach.grid_chunks, (11 * 4 + 65536 * 4 + 63) / 64);
    assert_true(count.access.exact && count.checked && !count.failed);
    assert_int_equal(count.instruction_count, 2);
    assert_int_equal(count.places[0].line, 5);
    assert_string_equal(count.places[0].array, "in");
    assert_string_equal(count.places[1].array, "out");
    source_count_free(&count);
    source_kernel_free(kernel);
}

static void test_a_warp_is_listed(void **state)
{
    struct source_kernel *kernel = shifted("n + offset");
    struct experiment e = experiment_of(kernel, 65536, 11, 256);
    struct explain listed = {.block = {3}, .warp = 1, .times_max = 8, .accesses_max = 64};
    struct source_count count;
    (void)state;
    count_it(&count, &e, &listed);
    assert_int_equal(count.listed.access_count, 2);
    assert_int_equal(count.listed.active, 0xffffffffu);
    for (int lane = 0; lane < WARP_LANES; lane++)
        assert_int_equal(count.listed.accesses[0].first[lane], (3 * 256 + 32 + lane + 11) * 4);
    assert_int_equal(count.instructions[0].times, 1);
    source_count_free(&count);
    source_kernel_free(kernel);
}

/* Far too large to be executed: 2^28 threads. */
static void test_a_large_launch_is_counted_in_boxes(void **state)
{
    struct source_kernel *kernel = shifted("n + offset");
    struct experiment e = experiment_of(kernel, 1 << 28, 11, 1 << 20);
    struct explain listed = {.block = {1 << 19}, .warp = 7, .times_max = 8, .accesses_max = 64};
    struct source_count count;
    (void)state;
    count_it(&count, &e, &listed);
    assert_int_equal(count.access.load.requests, 1 << 23);
    assert_int_equal(count.access.load.sectors, 5ull << 23);
    assert_int_equal(count.access.store.lines, 1 << 23);
    assert_int_equal(count.access.store_reach.grid_chunks, 1 << 24);
    assert_true(count.access.exact && !count.watched && !count.checked && !count.failed);
    assert_int_equal(count.listed.access_count, 2);
    assert_int_equal(count.listed.accesses[1].first[0], ((1ll << 19) * 256 + 7 * 32) * 4);
    source_count_free(&count);
    source_kernel_free(kernel);
}

/* 2^24 threads that are executed one by one, for far less time than they take: what the blocks reach stands for all, as
   their requests do. */
static void test_a_check_that_is_cut_short_counts_for_the_whole_launch(void **state)
{
    struct source_kernel *kernel = shifted("n + offset");
    struct experiment e = experiment_of(kernel, 1 << 24, 11, 1 << 16);
    const struct source_code code = {.symbol = "shifted", .ptx = ptx, .ptx_bytes = sizeof ptx - 1};
    struct source_count count;
    struct error error = {0};
    (void)state;
    assert_int_equal(source_count_make(&e, &code, NULL, true, 0.2, &count, &error), 0);
    assert_true(count.blocks_counted > 0 && count.blocks_counted < count.blocks && !count.access.exact);
    assert_int_equal(count.access.load.requests, 1 << 19); /* of whole blocks, which all do the same */
    assert_int_equal(count.access.store.sectors, 1 << 21);
    const struct access_reach *load = &count.access.load_reach, *store = &count.access.store_reach;
    const double parts[] = {(double)load->grid_chunks / (1 << 20), (double)store->grid_chunks / (1 << 20),
                            (double)load->block_sectors / (33 << 16),
                            (double)store->block_sectors / (1 << 21)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_true(parts[i] > 0.9 && parts[i] < 1.1);
    source_count_free(&count);
    source_kernel_free(kernel);
}

static void test_a_fault_is_told(void **state)
{
    struct source_kernel *kernel = shifted("n");
    struct experiment e = experiment_of(kernel, 65536, 11, 256);
    struct source_count count;
    (void)state;
    count_it(&count, &e, NULL);
    assert_true(count.failed && count.fault_count >= 1);
    assert_int_equal(count.faults[0].line, 5);
    assert_non_null(strstr(count.faults[0].text, "in"));
    source_count_free(&count);
    source_kernel_free(kernel);
}

/* ---- with machine code: tests/cubins/tiled.cu ---- */

static char *whole_file(const char *path, size_t *count)
{
    FILE *file = fopen(path, "re");
    char *bytes = file ? calloc(1, 1 << 20) : NULL;
    *count = bytes ? fread(bytes, 1, (1 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    assert_true(*count > 0);
    return bytes;
}

/* Counts a kernel of three buffers at most, each of 256 x 256 elements. */
static void count_compiled(struct source_count *count, const char *name, int inputs, int outputs, bool with_n,
                           int64_t block_y, int64_t grid, bool with_cubin)
{
    static struct source_draft draft;
    struct problems problems = {0};
    struct error error = {0};
    struct experiment e;
    struct source_code code = {.symbol = name};
    char *text = whole_file(TESTS_DIR "/cubins/tiled.ptx", &code.ptx_bytes);
    char *cubin = whole_file(TESTS_DIR "/cubins/tiled.cubin", &code.cubin_bytes);
    code.ptx = text;
    code.cubin = cubin;
    code.cubin_bytes = with_cubin ? code.cubin_bytes : 0;
    size_t source_bytes;
    draft = (struct source_draft){.source = whole_file(TESTS_DIR "/cubins/tiled.cu", &source_bytes)};
    for (int i = 0; i < inputs; i++)
        add(&draft, (const char *[]){"a", "b"}[i], "f32", "65536", BUFFER_INPUT);
    for (int i = 0; i < outputs; i++)
        add(&draft, (const char *[]){"c", "d"}[i], i ? "u32" : "f32", "65536", BUFFER_ACCUMULATED);
    if (with_n)
        add(&draft, "n", "i32", NULL, BUFFER_INPUT);
    struct source_kernel *kernel = source_kernel_new(&draft, &problems, NULL);
    assert_non_null(kernel);
    experiment_init(&e, &kernel->kernel);
    e.param[0] = 16 * grid;
    e.block[0] = 256 / block_y;
    e.block[1] = block_y;
    e.grid[0] = e.grid[1] = grid;
    e.grid[2] = 1;
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    if (source_count_make(&e, &code, NULL, false, 0, count, &error) < 0)
        fail_msg("%s", error.text);
    source_kernel_free(kernel);
    free(text);
    free(cubin);
}

/* Of 32 loads in a row twelve are parts of others: what an H100 counted. */
static void test_joined_accesses_are_counted_as_one(void **state)
{
    struct source_count count;
    (void)state;
    count_compiled(&count, "tiled", 2, 1, true, 16, 6, true);
    assert_int_equal(count.access.shared_load.requests, 34560);
    assert_int_equal(count.access.shared_store.requests, 3456);
    assert_string_equal(count.inexact, "");
    assert_true(count.access.exact && count.checked);
    assert_int_equal(count.registers, 32);
    assert_true(count.has_code && count.code.registers == 32 && count.code.passes &&
                count.code.loop_loads == 2);
    int wide = 0;
    for (int i = 0; i < count.instruction_count; i++)
        wide += count.instructions[i].space == SPACE_SHARED && count.instructions[i].bytes == 16;
    assert_int_equal(wide, 4);
    source_count_free(&count);
}

static void test_without_machine_code_shared_memory_is_not_exact(void **state)
{
    struct source_count count;
    (void)state;
    count_compiled(&count, "tiled", 2, 1, true, 16, 6, false);
    assert_int_equal(count.access.shared_load.requests, 55296);
    assert_false(count.access.exact);
    assert_non_null(strstr(count.inexact, "no machine code"));
    assert_true(!count.has_code && !count.registers);
    assert_non_null(strstr(count.no_code, "no machine code"));
    source_count_free(&count);
}

/* Where lanes part is told with the line of the branch and of the access. */
static void test_a_divergent_loop_in_copies_is_not_exact(void **state)
{
    struct source_count count;
    (void)state;
    count_compiled(&count, "triangle", 1, 1, false, 1, 1, true);
    assert_false(count.access.exact);
    assert_memory_equal(count.inexact, "line 28: lanes that part here", 29);
    assert_non_null(strstr(count.inexact, "in line 29"));
    source_count_free(&count);
}

static void test_a_loop_of_compare_and_swap_is_not_exact(void **state)
{
    struct source_count count;
    (void)state;
    count_compiled(&count, "atomics", 1, 2, false, 1, 1, true);
    assert_false(count.access.exact);
    assert_memory_equal(count.inexact, "line 40: the atomic is a loop", 29);
    assert_int_equal(count.access.atomic.requests, 8);
    source_count_free(&count);
}

static void test_bytes_come_back_and_wrong_ones_are_refused(void **state)
{
    struct source_kernel *kernel = shifted("n + offset");
    struct experiment e = experiment_of(kernel, 1000, 0, 4);
    struct explain listed = {.times_max = 8, .accesses_max = 64};
    struct source_count count, back;
    struct buffer bytes = {0};
    (void)state;
    count_it(&count, &e, &listed);
    source_count_pack(&count, &bytes);
    assert_int_equal(source_count_unpack(&back, bytes.data, bytes.size, NULL), 0);
    assert_memory_equal(&back.access, &count.access, sizeof back.access);
    assert_memory_equal(back.instructions, count.instructions,
                        (size_t)count.instruction_count * sizeof *count.instructions);
    assert_int_equal(back.listed.access_count, count.listed.access_count);
    source_count_free(&back);
    for (size_t size = 0; size < bytes.size; size++)
        assert_int_equal(source_count_unpack(&back, bytes.data, size, NULL), -1);
    srand(1);
    for (int i = 0; i < 20000; i++) { /* whatever the bytes are, it answers; what it accepts is in range */
        char *copy = malloc(bytes.size);
        memcpy(copy, bytes.data, bytes.size);
        for (int k = 0; k < 4; k++)
            copy[(size_t)rand() % bytes.size] = (char)rand();
        if (source_count_unpack(&back, copy, bytes.size, NULL) == 0) {
            assert_in_range(back.code.passes, 0, CODE_PASSES);
            for (int k = 0; k < back.listed.access_count; k++)
                assert_in_range(back.listed.accesses[k].instruction, 0, back.instruction_count - 1);
            source_count_free(&back);
        }
        free(copy);
    }
    buffer_free(&bytes);
    source_count_free(&count);
    source_kernel_free(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_shifted_copy_is_counted),
        cmocka_unit_test(test_a_warp_is_listed),
        cmocka_unit_test(test_a_large_launch_is_counted_in_boxes),
        cmocka_unit_test(test_a_check_that_is_cut_short_counts_for_the_whole_launch),
        cmocka_unit_test(test_a_fault_is_told),
        cmocka_unit_test(test_joined_accesses_are_counted_as_one),
        cmocka_unit_test(test_without_machine_code_shared_memory_is_not_exact),
        cmocka_unit_test(test_a_divergent_loop_in_copies_is_not_exact),
        cmocka_unit_test(test_a_loop_of_compare_and_swap_is_not_exact),
        cmocka_unit_test(test_bytes_come_back_and_wrong_ones_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
