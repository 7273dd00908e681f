/* The accesses of boxes of blocks are those that the execution in numbers makes: every kernel of tests/ptx, with grids that
   end in the middle of a block. And how many boxes a streaming kernel takes does not depend on the number of blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "ptx/affine_launch.h"

/* Of all accesses, whatever their order. */
struct total {
    uint64_t count, hash;
};

static uint64_t mixed(uint64_t h)
{
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
    return h ^ h >> 33;
}

static void add_block(struct total *total, const struct ptx_access *access, const uint32_t distance[3])
{
    uint64_t hash = mixed((uint64_t)access->site * 31 + access->warp), further = 0;
    for (int axis = 0; axis < 3; axis++) {
        hash = mixed(hash ^ (access->block[axis] + distance[axis]));
        further += distance[axis] * (uint64_t)access->step[axis];
    }
    hash = mixed(hash ^ access->mask) + access->bytes + (uint64_t)access->space * 7 +
           (uint64_t)(access->buffer + 1) * 11;
    for (int lane = 0; lane < PTX_LANES; lane++)
        if (access->mask >> lane & 1)
            hash = mixed(hash * 3 + access->address[lane] + further + (uint64_t)lane);
    total->count++;
    total->hash += hash;
}

static void on_access(void *context, const struct ptx_access *access)
{
    uint32_t d[3];
    for (d[2] = 0; d[2] < access->extent[2]; d[2]++)
        for (d[1] = 0; d[1] < access->extent[1]; d[1]++)
            for (d[0] = 0; d[0] < access->extent[0]; d[0]++)
                add_block(context, access, d);
}

static struct ptx_module *module;

static int read_kernels(void **state)
{
    struct ptx_problem problem;
    (void)state;
    FILE *file = fopen(TESTS_DIR "/ptx/kernels.ptx", "rb");
    char *text = malloc(1 << 20);
    size_t bytes = file && text ? fread(text, 1, 1 << 20, file) : 0;
    if (file)
        fclose(file);
    module = ptx_module_parse(text, bytes, &problem);
    if (!module)
        print_error("line %d: %s\n", problem.position.ptx_line, problem.text);
    free(text);
    return module ? 0 : -1;
}

static int forget_kernels(void **state)
{
    (void)state;
    ptx_module_free(module);
    return 0;
}

/* Kernels whose addresses or branches depend on what they load: not for boxes. */
static const char *const with_data[] = {"gathered", "while_data",  "histogram",
                                        "counted",  "local_array", "called"};
/* Kernels with a grid of two or three axes. */
static const char *const planes[] = {"transposed", "tiled", "product", "three_axes", "diagonal"};

static bool among(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}
#define AMONG(names, name) among(names, sizeof names / sizeof *names, name)

struct arguments {
    uint64_t a, b, c, index;
    uint32_t n, m;
};

/* Arrays of n elements, filled with numbers. */
struct arrays {
    float *a, *b, *c;
    int *index;
    struct ptx_buffer buffers[4];
    struct arguments arguments;
};

static void make_arrays(struct arrays *x, unsigned n, unsigned m)
{
    uint64_t bytes = n * UINT64_C(4);
    x->a = malloc(bytes);
    x->b = malloc(bytes);
    x->c = calloc(n, 4);
    x->index = malloc(bytes);
    assert_true(x->a && x->b && x->c && x->index);
    for (unsigned i = 0; i < n; i++) {
        x->a[i] = (float)(i % 256);
        x->b[i] = (float)(i * 2 % 251);
        x->index[i] = (int)(i * 7919u % n);
    }
    void *data[] = {x->a, x->b, x->c, x->index};
    static const char *const names[] = {"a", "b", "c", "index"};
    for (unsigned i = 0; i < 4; i++)
        x->buffers[i] =
            (struct ptx_buffer){.name = names[i], .data = data[i], .bytes = bytes, .element_bytes = 4};
    x->arguments = (struct arguments){
        ptx_launch_address(0), ptx_launch_address(1), ptx_launch_address(2), ptx_launch_address(3), n, m};
}

static void free_arrays(struct arrays *x)
{
    free(x->a);
    free(x->b);
    free(x->c);
    free(x->index);
}

static struct ptx_launch launch_of(int entry, const struct arrays *x, unsigned threads)
{
    const char *name = module->functions[entry].name;
    unsigned n = x->arguments.n, m = x->arguments.m;
    struct ptx_launch launch = {.module = module,
                                .entry = entry,
                                .grid = {(n + threads - 1) / threads, 1, 1},
                                .block = {threads, 1, 1},
                                .dynamic_shared_bytes = 4096,
                                .parameters = &x->arguments,
                                .buffers = x->buffers,
                                .buffer_count = 4,
                                .on_access = on_access};
    if (AMONG(planes, name)) {
        launch.grid[0] = (m + 7) / 8;
        launch.grid[1] = (n / m + 7) / 8;
        launch.grid[2] = strcmp(name, "three_axes") == 0 ? 4 : 1;
    }
    return launch;
}

static void compare(int entry, unsigned n, unsigned m, unsigned threads)
{
    static struct ptx_outcome outcome;
    static struct ptx_affine_result result;
    const char *name = module->functions[entry].name;
    struct arrays x;
    struct total numbers = {0}, boxes = {0};
    make_arrays(&x, n, m);
    struct ptx_launch launch = launch_of(entry, &x, threads);
    launch.context = &numbers;
    assert_int_equal(ptx_launch_run(&launch, &outcome), 0);
    if (!outcome.complete || outcome.failed)
        fail_msg("%s of %u: %u faults", name, n, outcome.fault_count);
    for (unsigned i = 0; i < 4; i++)
        x.buffers[i].data = NULL;
    launch.context = &boxes;
    assert_int_equal(ptx_affine_run(&launch, 1 << 20, &result), 0);
    bool data = AMONG(with_data, name);
    assert_int_equal(result.end, data ? PTX_AFFINE_DATA : PTX_AFFINE_DONE);
    /* The other way to say the same, which looks at no value. */
    bool depends = outcome.address_of_data || outcome.branch_of_data;
    if (data != depends)
        fail_msg("%s depends on data", name);
    if (!data && (numbers.count != boxes.count || numbers.hash != boxes.hash))
        fail_msg("%s of %u, %u in blocks of %u: %llu accesses in numbers, %llu in boxes, or other ones", name,
                 n, m, threads, (unsigned long long)numbers.count, (unsigned long long)boxes.count);
    if (!data)
        assert_true(result.instructions == (double)outcome.instructions);
    free_arrays(&x);
}

static void boxes_agree_with_numbers_for_every_kernel(void **state)
{
    static const struct {
        unsigned n, m, threads;
    } shapes[] = {{4096, 64, 128}, {5000, 40, 256}, {777, 24, 96}, {10000, 33, 64}, {70, 8, 64}};
    unsigned count = 0;
    (void)state;
    for (unsigned f = 0; f < module->function_count; f++)
        for (unsigned s = 0; module->functions[f].entry && s < sizeof shapes / sizeof *shapes; s++, count++)
            compare((int)f, shapes[s].n, shapes[s].m, shapes[s].threads);
    assert_true(count > 150);
}

static void a_streaming_kernel_takes_as_many_boxes_whatever_its_size(void **state)
{
    static const char *const names[] = {"stream",  "early_return", "offset", "grid_stride",
                                        "vectors", "stencil",      "masks",  "shuffled_sum"};
    static struct ptx_affine_result result;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct arrays x = {.arguments = {ptx_launch_address(0), ptx_launch_address(1), ptx_launch_address(2),
                                         ptx_launch_address(3), 1u << 28, 11}};
        for (unsigned b = 0; b < 4; b++)
            x.buffers[b] = (struct ptx_buffer){.name = "x", .bytes = UINT64_C(1) << 30, .element_bytes = 4};
        int entry = ptx_module_entry(module, names[i]);
        assert_true(entry >= 0);
        struct ptx_launch launch = launch_of(entry, &x, 256);
        launch.on_access = NULL;
        assert_int_equal(ptx_affine_run(&launch, 0, &result), 0);
        assert_int_equal(result.end, PTX_AFFINE_DONE);
        assert_int_equal(result.outcome.fault_count, 0);
        assert_true(result.boxes <= 32 && result.outcome.instructions < 10000);
    }
}

/* Only memory that is used is touched: room for many accesses costs a launch of few nothing. */
static void a_small_launch_touches_few_pages(void **state)
{
    static struct ptx_affine_result result;
    struct rusage before, after;
    (void)state;
    struct arrays x;
    make_arrays(&x, 1000, 10);
    struct ptx_launch launch = launch_of(ptx_module_entry(module, "stream"), &x, 64);
    launch.on_access = NULL;
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(ptx_affine_run(&launch, 0, &result), 0);
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(result.end, PTX_AFFINE_DONE);
    if (after.ru_minflt - before.ru_minflt > 300) /* of 4 KiB: 1.2 MB */
        fail_msg("%ld pages", after.ru_minflt - before.ru_minflt);
    free_arrays(&x);
}

static void the_last_block_of_a_box_is_looked_at(void **state)
{
    static struct ptx_affine_result result;
    (void)state;
    struct arrays x = {.arguments = {ptx_launch_address(0), ptx_launch_address(1), ptx_launch_address(2),
                                     ptx_launch_address(3), 1u << 28, 11}};
    for (unsigned b = 0; b < 4; b++)
        x.buffers[b] =
            (struct ptx_buffer){.name = "x", .bytes = (UINT64_C(1) << 30) - 4 * (b == 2), .element_bytes = 4};
    struct ptx_launch launch = launch_of(ptx_module_entry(module, "stream"), &x, 256);
    launch.on_access = NULL;
    assert_int_equal(ptx_affine_run(&launch, 0, &result), 0);
    assert_int_equal(result.outcome.fault_count, 1);
    const struct ptx_fault *fault = &result.outcome.faults[0];
    assert_int_equal(fault->kind, PTX_FAULT_OUTSIDE);
    assert_int_equal(fault->buffer, 2);
    assert_int_equal(fault->index, (1 << 28) - 1);
    assert_int_equal(fault->at.block[0], (1 << 20) - 1);
    assert_int_equal(fault->at.thread[0], 255);
}

static void too_many_boxes_are_an_end(void **state)
{
    static struct ptx_affine_result result;
    (void)state;
    struct arrays x;
    make_arrays(&x, 100000, 10);
    struct ptx_launch launch = launch_of(ptx_module_entry(module, "odd_blocks"), &x, 64);
    launch.on_access = NULL;
    assert_int_equal(ptx_affine_run(&launch, 100, &result), 0);
    assert_int_equal(result.end, PTX_AFFINE_BOXES);
    free_arrays(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_agree_with_numbers_for_every_kernel),
        cmocka_unit_test(a_streaming_kernel_takes_as_many_boxes_whatever_its_size),
        cmocka_unit_test(a_small_launch_touches_few_pages),
        cmocka_unit_test(the_last_block_of_a_box_is_looked_at),
        cmocka_unit_test(too_many_boxes_are_an_end),
    };
    return cmocka_run_group_tests(tests, read_kernels, forget_kernels);
}
