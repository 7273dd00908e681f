#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "kernels/time/machine_code.h"

/* Its defaults, a type, a load path, and one parameter set. */
static struct experiment experiment(const char *name, enum dtype dtype, int load, const char *param,
                                    int64_t value)
{
    struct experiment e;
    experiment_init(&e, suite_find(name));
    e.dtype = dtype;
    if (e.kernel->load_param >= 0)
        e.param[e.kernel->load_param] = load;
    for (int k = 0; param && k < e.kernel->param_count; k++)
        if (strcmp(e.kernel->params[k].name, param) == 0)
            e.param[k] = value;
    return e;
}

static struct code code_of(struct experiment e)
{
    struct problems problems = {0};
    struct code code;
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    assert_string_equal(machine_code_find(&e, "sm_90", &code), "sm_90");
    return code;
}

/* The values of a parameter that may call for different variants. */
static int64_t next_value(const struct kernel_param *param, int64_t value)
{
    return param->power_of_two ? value * 2 : value + 1;
}

/* Checks all values of one parameter (NULL: the default alone); returns how many instances were asked for. */
static int check_values(const struct kernel *kernel, enum dtype dtype, int load,
                        const struct kernel_param *param)
{
    int asked = 0;
    int64_t value = param ? param->min : 0, last = !param                            ? 0
                                                   : param->max == PARAM_MAX_IS_SIZE ? INT64_MAX
                                                                                     : param->max;
    for (; value <= last && value < 1024; value = param ? next_value(param, value) : value + 1) {
        struct experiment e = experiment(kernel->name, dtype, load, param ? param->name : NULL, value);
        struct problems problems = {0};
        struct code code;
        if (experiment_check(&e, NULL, &problems) < 0)
            continue; /* as a width of more than 16 bytes */
        struct domain domain = experiment_domain(&e);
        struct traffic traffic = kernel->ledger(&domain);
        if (!machine_code_find(&e, "sm_90", &code))
            fail_msg("%s %s, load %d, %s %lld", kernel->name, dtype_name(dtype), load,
                     param ? param->name : "", (long long)value);
        asked++;
        assert_in_range(code.registers, 1, 255);
        assert_true(code.instructions > 2);
        if (kernel->untimed(&domain).en)
            continue; /* its registers are all that is asked of it */
        assert_int_equal(code.loads + code.loop_loads > 0, traffic.loads > 0);
        assert_true(code.waits <= code.loads);
        assert_in_range(code.passes, 0, CODE_PASSES);
        for (int p = 0; p < code.passes; p++) {
            assert_true(code.pass[p].waits <= code.pass[p].iterations * code.loop_loads);
            assert_int_equal(code.pass[p].waits > 0, code.loop_loads > 0);
            assert_true(p == 0 || code.pass[p].iterations < code.pass[p - 1].iterations);
        }
        assert_true(code.passes == 0 || code.pass[code.passes - 1].iterations == 1);
    }
    return asked;
}

/* A kernel without any is a new one: tests/rules/test_machine_code.py wants each that is committed. */
static void each_instance_of_a_kernel_that_has_code_has_it(void **state)
{
    (void)state;
    int asked = 0;
    for (int k = 0; k < suite_count(); k++) {
        const struct kernel *kernel = suite_at(k);
        struct experiment e;
        struct problems problems = {0};
        struct code code;
        experiment_init(&e, kernel);
        if (experiment_check(&e, NULL, &problems) < 0 || !machine_code_find(&e, "sm_90", &code)) {
            print_message("%s has no code\n", kernel->name);
            continue;
        }
        for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
            for (int load = 0; kernel->dtypes & 1u << dtype && load < LOAD_COUNT; load++) {
                asked += check_values(kernel, dtype, load, NULL);
                for (int p = 0; p < kernel->param_count; p++)
                    if (p != kernel->load_param)
                        asked += check_values(kernel, dtype, load, &kernel->params[p]);
            }
    }
    assert_true(asked > 1000);
}

static void a_straight_kernel_waits_once_for_all_its_loads(void **state)
{
    (void)state;
    struct code code = code_of(experiment("vector_add", DTYPE_F32, 0, NULL, 0));
    assert_int_equal(code.loads, 2);
    assert_int_equal(code.waits, 1);
    assert_int_equal(code.passes, 0);
    code = code_of(experiment("transpose", DTYPE_F32, 0, "how", 2)); /* through shared memory */
    assert_int_equal(code.barriers, 1);
    assert_int_equal(code.waits, 1);
}

static void a_wide_access_is_one_load_and_its_narrow_rest_is_not_counted(void **state)
{
    (void)state;
    for (int64_t width = 1; width <= 4; width *= 2)
        assert_int_equal(code_of(experiment("copy_width", DTYPE_F32, 0, "width", width)).loads, 1);
}

static void an_unrolled_kernel_has_its_variants_loads(void **state)
{
    (void)state;
    for (int64_t unroll = 1; unroll <= 16; unroll *= 2) {
        struct code code = code_of(experiment("read_offset_unroll", DTYPE_F32, 0, "unroll", unroll));
        assert_int_equal(code.loads, 2 * unroll);
        assert_in_range(code.waits, 1, 4);
    }
}

/* The compiler takes 16 iterations at once, then 8, then 4, then one at a time. */
static void a_loop_over_the_grid_is_read_in_its_passes(void **state)
{
    (void)state;
    static const struct {
        const char *kernel;
        enum dtype dtype;
        int load;
        uint32_t loads, waits_least, waits_most; /* of a turn; of a pass of 16 */
    } cases[] = {
        {"read_only", DTYPE_F32, LOAD_DEFAULT, 1, 1, 1},
        {"read_only", DTYPE_F64, LOAD_DEFAULT, 1, 2, 2},
        {"grid_stride", DTYPE_F32, LOAD_DEFAULT, 2, 16, 16}, /* no load may pass the store before it */
        {"grid_stride", DTYPE_F32, LOAD_LDG, 2, 3, 5},
        {"stream_dot", DTYPE_F64, LOAD_DEFAULT, 2, 5, 6},
        {"pointer_chase", DTYPE_I32, LOAD_DEFAULT, 1, 16, 16},
    };
    static const uint32_t iterations[] = {16, 8, 4, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct code code = code_of(experiment(cases[i].kernel, cases[i].dtype, cases[i].load, NULL, 0));
        assert_int_equal(code.passes, 4);
        for (int p = 0; p < 4; p++)
            assert_int_equal(code.pass[p].iterations, iterations[p]);
        assert_int_equal(code.loop_loads, cases[i].loads);
        assert_in_range(code.pass[0].waits, cases[i].waits_least, cases[i].waits_most);
        assert_int_equal(code.pass[3].waits, 1);
    }
}

static void a_loop_without_loads_is_read_by_what_it_does(void **state)
{
    (void)state;
    struct code code = code_of(experiment("barrier_phases", DTYPE_F32, 0, NULL, 0));
    assert_int_equal(code.pass[0].iterations, 16);
    assert_int_equal(code.loop_barriers, 1);
    assert_int_equal(code.loop_loads, 0);
    code = code_of(experiment("ilp_chain", DTYPE_F32, 0, "chains", 4));
    assert_int_equal(code.pass[0].iterations, 16);
    assert_in_range(code.pass[0].instructions, 64, 80); /* 4 chains, 16 additions each */
}

static void indices_of_64_bits_are_instances_of_their_own(void **state)
{
    (void)state;
    struct experiment e = experiment("vector_add", DTYPE_F32, 0, NULL, 0);
    uint32_t narrow = code_of(e).instructions;
    e.size[0] = INT64_C(1) << 30; /* with the grid's span, beyond 31 bits */
    assert_true(code_of(e).instructions > narrow);
}

static void an_architecture_without_a_table_gets_the_nearest(void **state)
{
    (void)state;
    struct experiment e = experiment("vector_add", DTYPE_F32, 0, NULL, 0);
    struct problems problems = {0};
    struct code code;
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    assert_string_equal(machine_code_find(&e, "sm_75", &code), "sm_90");
    assert_string_equal(machine_code_find(&e, NULL, &code), "sm_90");
}

static void a_kernel_that_is_in_no_table_has_no_code(void **state)
{
    (void)state;
    struct experiment e = experiment("vector_add", DTYPE_F32, 0, NULL, 0);
    struct kernel other = *e.kernel;
    struct problems problems = {0};
    struct code code;
    other.name = "somebody_s_new_one";
    e.kernel = &other;
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    assert_null(machine_code_find(&e, "sm_90", &code));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instance_of_a_kernel_that_has_code_has_it),
        cmocka_unit_test(a_straight_kernel_waits_once_for_all_its_loads),
        cmocka_unit_test(a_wide_access_is_one_load_and_its_narrow_rest_is_not_counted),
        cmocka_unit_test(an_unrolled_kernel_has_its_variants_loads),
        cmocka_unit_test(a_loop_over_the_grid_is_read_in_its_passes),
        cmocka_unit_test(a_loop_without_loads_is_read_by_what_it_does),
        cmocka_unit_test(indices_of_64_bits_are_instances_of_their_own),
        cmocka_unit_test(an_architecture_without_a_table_gets_the_nearest),
        cmocka_unit_test(a_kernel_that_is_in_no_table_has_no_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
