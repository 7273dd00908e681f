/* A kernel made of a draft: its table, the bytes of a launch's parameters, what its buffers hold, its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/json_writer.h"
#include "kernels/input_value.h"
#include "kernels/kernel_param.h"
#include "kernels/source/source_launch.h"

static struct source_draft draft;

static struct source_argument *add(const char *name, const char *type)
{
    struct source_argument *a = &draft.argument[draft.argument_count];
    *a = (struct source_argument){.index = draft.argument_count++, .field = -1};
    snprintf(a->name, sizeof a->name, "%s", name);
    assert_true(source_type_of(type, &a->type));
    return a;
}

static struct source_argument *add_pointer(const char *name, const char *type, const char *elements,
                                           enum buffer_role role)
{
    struct source_argument *a = add(name, type);
    a->pointer = true;
    a->role = role;
    snprintf(a->elements, sizeof a->elements, "%s", elements);
    return a;
}

static void add_field(const char *name, const char *type, int index, int field)
{
    struct source_argument *a = add(name, type);
    a->index = index;
    a->field = field;
}

static void begin(void)
{
    draft = (struct source_draft){.source = strdup("__global__ void f() {}"), .entry = "f"};
}

static struct source_kernel *make(struct problems *problems)
{
    *problems = (struct problems){0};
    struct source_kernel *kernel = source_kernel_new(&draft, problems, NULL);
    assert_null(draft.source);
    return kernel;
}

static struct source_kernel *shifted(void)
{
    struct problems problems = {0};
    begin();
    add_pointer("in", "f32", "n + offset", BUFFER_INPUT);
    add_pointer("out", "f32x4", "n", BUFFER_OUTPUT);
    add("n", "u32");
    add("offset", "u32");
    snprintf(draft.threads[0], sizeof draft.threads[0], "n");
    struct source_kernel *kernel = make(&problems);
    assert_non_null(kernel);
    return kernel;
}

static void test_it_is_a_kernel(void **state)
{
    struct source_kernel *k = shifted();
    const struct kernel *kernel = &k->kernel;
    struct experiment e;
    struct problems problems = {0};
    (void)state;
    assert_ptr_equal(source_kernel_of(kernel), k);
    assert_null(source_kernel_of(suite_at(0)));
    assert_int_equal(kernel->dims, 0);
    assert_int_equal(kernel->dtypes, 0);
    assert_int_equal(kernel->param_count, 2);
    assert_int_equal(kernel->buffer_count, 2);
    assert_int_equal(kernel_element_bytes(kernel, 0, DTYPE_F64), 4);
    assert_int_equal(kernel_element_bytes(kernel, 1, DTYPE_F32), 16);
    experiment_init(&e, kernel);
    e.param[0] = 1000;
    e.param[1] = 11;
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    assert_int_equal(e.grid[0], 4); /* of 256 threads */
    struct domain domain = experiment_domain(&e);
    assert_ptr_equal(domain.kernel, kernel);
    assert_int_equal(domain.n, 0);
    assert_int_equal(kernel->elements(&domain, 0), 1011);
    assert_int_equal(kernel->elements(&domain, 1), 1000);
    assert_int_equal(experiment_working_set_bytes(&e), 4 * 1011 + 16 * 1000);
    e.grid[0] = 1; /* a grid that is asked for may be any */
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    source_kernel_free(k);
}

/* One problem of such a launch. */
static void expect_problem(const struct source_kernel *k, int64_t n, int64_t offset, int64_t grid,
                           const char *pointer, const char *word)
{
    struct experiment e;
    struct problems problems = {0};
    experiment_init(&e, &k->kernel);
    e.param[0] = n;
    e.param[1] = offset;
    if (grid)
        e.grid[0] = e.grid[1] = e.grid[2] = grid;
    experiment_check(&e, NULL, &problems);
    assert_true(problems.count > 0);
    if (strcmp(problems.at[0].pointer, pointer) != 0 || !strstr(problems.at[0].detail, word))
        fail_msg("%s %s", problems.at[0].pointer, problems.at[0].detail);
}

static void test_what_a_launch_cannot_be_is_told_by_its_member(void **state)
{
    struct source_kernel *k = shifted();
    struct problems problems = {0};
    (void)state;
    expect_problem(k, 0, 0, 0, "#/arguments/0/elements", "n + offset: must be at least 1");
    expect_problem(k, -1, 0, 0, "#/n", "at least 0");
    expect_problem(k, INT64_C(1) << 32, 0, 0, "#/n", "at most 4294967295");
    source_kernel_free(k);
    begin();
    add_pointer("out", "i64", "n * m", BUFFER_OUTPUT);
    add("n", "i64");
    add("m", "i64");
    k = make(&problems);
    assert_non_null(k);
    expect_problem(k, 5, 5, 0, "#/grid", "\"threads\"");
    expect_problem(k, INT64_C(1) << 40, INT64_C(1) << 40, 1, "#/arguments/0/elements", "above 2^53");
    expect_problem(k, INT64_C(1) << 54, 1, 1, "#/arguments/0/elements", "n is above 2^53");
    source_kernel_free(k);
}

static void test_the_size_may_be_a_scalar(void **state)
{
    struct problems problems = {0};
    struct experiment e;
    uint64_t addresses[KERNEL_BUFFERS] = {0x1234567890};
    unsigned char bytes[SOURCE_PARAMETER_BYTES];
    (void)state;
    begin();
    add_pointer("data", "f64", "size", BUFFER_ACCUMULATED);
    add("count", "i32")->value = SOURCE_VALUE_SIZE;
    struct source_kernel *k = make(&problems);
    assert_non_null(k);
    assert_int_equal(k->kernel.dims, 1);
    assert_string_equal(k->kernel.size_name, "count");
    experiment_init(&e, &k->kernel);
    e.size[0] = 77;
    e.grid[0] = e.grid[1] = e.grid[2] = 1;
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    struct domain domain = experiment_domain(&e);
    assert_int_equal(k->kernel.elements(&domain, 0), 77);
    source_launch_parameters(k, &domain, addresses, bytes);
    assert_int_equal(k->layout.parameter_bytes, 12);
    assert_memory_equal(bytes, "\x90\x78\x56\x34\x12\0\0\0\x4D\0\0\0", 12);
    source_kernel_free(k);
}

/* Offsets as nvcc places them: void f(char c, float *p, struct {char a; double b; short s;} t, float3 v, half h, float4 w). */
static void test_parameters_lie_where_the_abi_has_them(void **state)
{
    struct problems problems = {0};
    struct experiment e;
    uint64_t addresses[KERNEL_BUFFERS] = {0x0102030405060708};
    unsigned char bytes[SOURCE_PARAMETER_BYTES];
    static const unsigned offsets[] = {0, 8, 16, 24, 32, 40, 52, 64};
    (void)state;
    begin();
    add("c", "i8");
    add_pointer("p", "f32", "1", BUFFER_INPUT);
    add_field("t.a", "i8", 2, 0);
    add_field("t.b", "f64", 2, 1);
    add_field("t.s", "i16", 2, 2);
    add("v", "f32x3")->index = 3;
    add("h", "f16")->index = 4;
    add("w", "f32x4")->index = 5;
    struct source_kernel *k = make(&problems);
    assert_non_null(k);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        assert_int_equal(k->layout.slot[i].offset, offsets[i]);
    assert_int_equal(k->layout.parameter_bytes, 80);
    assert_string_equal(k->kernel.params[1].name, "t.a");
    assert_string_equal(k->kernel.params[4].name, "v.x");
    assert_string_equal(k->kernel.params[11].name, "w.w");
    experiment_init(&e, &k->kernel);
    e.param[0] = -2;
    e.param[2] = kernel_param_value(0.5);
    e.param[6] = kernel_param_value(1);
    e.param[7] = kernel_param_value(1);
    e.param[11] = kernel_param_value(-1);
    struct domain domain = experiment_domain(&e);
    source_launch_parameters(k, &domain, addresses, bytes);
    assert_int_equal(bytes[0], 0xFE);
    assert_memory_equal(bytes + 8, "\x08\x07\x06\x05\x04\x03\x02\x01", 8);
    assert_memory_equal(bytes + 24, "\0\0\0\0\0\0\xE0\x3F", 8);
    assert_memory_equal(bytes + 48, "\0\0\x80\x3F", 4);
    assert_memory_equal(bytes + 52, "\0\x3C", 2);
    assert_memory_equal(bytes + 76, "\0\0\x80\xBF", 4);
    source_kernel_free(k);
}

/* A struct's end is padded, so that what follows does not lie in its last word: struct {double d; char c;}, char. */
static void test_a_struct_ends_at_its_alignment(void **state)
{
    struct problems problems = {0};
    (void)state;
    begin();
    add_field("t.d", "f64", 0, 0);
    add_field("t.c", "i8", 0, 1);
    add("last", "i8")->index = 1;
    struct source_kernel *k = make(&problems);
    assert_int_equal(k->layout.slot[2].offset, 16);
    assert_int_equal(k->layout.parameter_bytes, 17);
    source_kernel_free(k);
}

static void test_integers_keep_64_bits(void **state)
{
    struct problems problems = {0};
    struct experiment e;
    unsigned char bytes[SOURCE_PARAMETER_BYTES];
    const uint64_t addresses[KERNEL_BUFFERS] = {0};
    (void)state;
    begin();
    add("a", "u64");
    add("b", "i64");
    struct source_kernel *k = make(&problems);
    experiment_init(&e, &k->kernel);
    e.param[0] = -2; /* 2^64 - 2 */
    e.param[1] = INT64_MIN;
    e.grid[0] = e.grid[1] = e.grid[2] = 1;
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    struct domain domain = experiment_domain(&e);
    source_launch_parameters(k, &domain, addresses, bytes);
    assert_memory_equal(bytes, "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\x80", 16);
    source_kernel_free(k);
}

static void test_too_much_is_refused(void **state)
{
    struct problems problems = {0};
    (void)state;
    begin();
    for (int i = 0; i < KERNEL_BUFFERS + 1; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        add_pointer(name, "f32", "1", BUFFER_INPUT);
    }
    assert_null(make(&problems));
    assert_string_equal(problems.at[0].pointer, "#/arguments");
    begin();
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "v%d", i);
        add(name, "f32x4");
    }
    assert_null(make(&problems));
    assert_non_null(strstr(problems.at[0].detail, "at most 16 scalars, there are 20"));
    begin();
    add("v", "f32x8");
    add_pointer("p", "f32", "m", BUFFER_INPUT);
    assert_null(make(&problems));
    assert_string_equal(problems.at[0].pointer, "#/arguments/0/type");
}

/* ---- fills ---- */

static void fill(const struct source_fill *rule, const char *type, uint64_t from, uint64_t to, double *values)
{
    struct source_type of;
    unsigned char bytes[512];
    assert_true(source_type_of(type, &of));
    source_fill_write(rule, 1, of, from, to, bytes);
    for (uint64_t i = 0; i < (to - from) * of.width; i++)
        values[i] = source_type_get(of.base, bytes + i * source_type_component_bytes(of.base));
}

/* As C, of an earlier one: murmur3's 32-bit finaliser. */
static uint32_t murmur(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    h ^= h >> 16;
    return h;
}

static void test_fills(void **state)
{
    double v[64];
    struct source_number numbers[] = {{.whole = 3}, {.real = true, .value = 0.5}, {.whole = -1}};
    (void)state;
    fill(&(struct source_fill){.rule = SOURCE_FILL_GENERATOR}, "f32", 0, 8, v);
    for (uint64_t i = 0; i < 8; i++)
        assert_true(v[i] == input_value(1, i));
    fill(&(struct source_fill){.rule = SOURCE_FILL_INDEX}, "u8", 254, 258, v);
    assert_true(v[0] == 254 && v[1] == 255 && v[2] == 0 && v[3] == 1);
    fill(&(struct source_fill){.rule = SOURCE_FILL_INDEX}, "i16", 32767, 32769, v);
    assert_true(v[0] == 32767 && v[1] == -32768);
    fill(&(struct source_fill){.rule = SOURCE_FILL_INDEX}, "f32", 16777217, 16777218, v);
    assert_true(v[0] == 16777216);
    fill(&(struct source_fill){.rule = SOURCE_FILL_INDEX}, "f32x4", 5, 7, v);
    assert_true(v[0] == 20 && v[3] == 23 && v[4] == 24 && v[7] == 27);
    fill(&(struct source_fill){.rule = SOURCE_FILL_INDEX}, "u64", UINT64_C(1) << 40, (UINT64_C(1) << 40) + 1,
         v);
    assert_true(v[0] == 1099511627776.0);
    fill(&(struct source_fill){.rule = SOURCE_FILL_ZERO}, "f64", 3, 5, v);
    assert_true(v[0] == 0 && v[1] == 0);
    fill(&(struct source_fill){.rule = SOURCE_FILL_MODULO, .modulus = 7}, "i32", 6, 9, v);
    assert_true(v[0] == 6 && v[1] == 0 && v[2] == 1);
    fill(&(struct source_fill){.rule = SOURCE_FILL_HASH, .modulus = 1000}, "u32", 5, 9, v);
    for (uint32_t i = 0; i < 4; i++)
        assert_true(v[i] == murmur(5 + i) % 1000);
    fill(&(struct source_fill){.rule = SOURCE_FILL_VALUES, .values = numbers, .value_count = 3}, "f32", 2, 6,
         v);
    assert_true(v[0] == -1 && v[1] == 3 && v[2] == 0.5 && v[3] == -1);
    fill(&(struct source_fill){.rule = SOURCE_FILL_VALUES, .values = numbers, .value_count = 3}, "u8", 1, 3,
         v);
    assert_true(v[0] == 0 && v[1] == 255);
}

/* Any cut of a buffer into ranges gives the same bytes. */
static void test_ranges_join(void **state)
{
    struct source_kernel *k = shifted();
    unsigned char whole[400], parts[400];
    (void)state;
    source_launch_fill(k, 0, 0, 100, whole);
    source_launch_fill(k, 0, 0, 33, parts);
    source_launch_fill(k, 0, 33, 34, parts + 33 * 4);
    source_launch_fill(k, 0, 34, 100, parts + 34 * 4);
    assert_memory_equal(whole, parts, sizeof whole);
    source_launch_fill(k, 1, 0, 1, parts);
    for (int i = 0; i < 16; i++)
        assert_int_equal(parts[i], 0xA5);
    source_kernel_free(k);
}

/* ---- the name ---- */

static void test_the_name_is_that_of_the_content(void **state)
{
    struct source_kernel *one = shifted(), *same = shifted(), *other;
    struct problems problems = {0};
    (void)state;
    assert_int_equal(strlen(one->kernel.name), 4 + 12);
    assert_int_equal(strncmp(one->kernel.name, "src-", 4), 0);
    assert_string_equal(one->kernel.name, same->kernel.name);
    assert_string_equal(one->kernel.sha256, same->kernel.sha256);
    begin();
    add_pointer("in", "f32", "n + offset", BUFFER_INPUT);
    add_pointer("out", "f32x4", "n", BUFFER_OUTPUT);
    add("n", "u32");
    add("offset", "u32");
    other = make(&problems);
    assert_string_not_equal(one->kernel.name, other->kernel.name);
    source_kernel_free(one);
    source_kernel_free(same);
    source_kernel_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_is_a_kernel),
        cmocka_unit_test(test_what_a_launch_cannot_be_is_told_by_its_member),
        cmocka_unit_test(test_the_size_may_be_a_scalar),
        cmocka_unit_test(test_parameters_lie_where_the_abi_has_them),
        cmocka_unit_test(test_a_struct_ends_at_its_alignment),
        cmocka_unit_test(test_integers_keep_64_bits),
        cmocka_unit_test(test_too_much_is_refused),
        cmocka_unit_test(test_fills),
        cmocka_unit_test(test_ranges_join),
        cmocka_unit_test(test_the_name_is_that_of_the_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
