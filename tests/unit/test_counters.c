/* Counters read from a library that plays CUPTI and may refuse anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/device/device_counters.h"
#include "tests/faults/fake_cupti.h"

static const char library_variable[] = "COALESCED_CUPTI_LIBRARY";
static const struct counters_wanted all = {.on = true};

#ifdef FAKE_CUPTI_LIBRARY

static struct fake_cupti *fake;
static int launches, work_fails; /* at that launch, from 1; 0: never */
static long pause_ns;            /* of every launch */

static int set_up(void **state)
{
    (void)state;
    void *library = dlopen(FAKE_CUPTI_LIBRARY, RTLD_NOW);
    if (!library)
        fail_msg("%s", dlerror());
    fake = dlsym(library, "fake_cupti");
    assert_non_null(fake);
    *fake = (struct fake_cupti){0};
    setenv(library_variable, FAKE_CUPTI_LIBRARY, 1);
    setenv("FAKE_CUPTI", "", 1);
    launches = work_fails = 0;
    pause_ns = 0;
    return 0;
}

/* As many kernels as the point says are launched before its own. */
static int prepare(void *arg, int point, struct error *error)
{
    (void)error;
    assert_ptr_equal(arg, fake);
    strcat(fake->log, "p");
    fake->launches += point + 2;
    return 0;
}

static int launch(void *arg, int point, struct error *error)
{
    (void)point;
    assert_ptr_equal(arg, fake);
    strcat(fake->log, "l");
    fake->launches++;
    nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
    return ++launches == work_fails ? error_set(error, ERROR_CUDA, "the launch failed") : 0;
}

static int measure(struct counters_session *session, const struct counters_wanted *wanted,
                   struct counters *counters, struct error *error)
{
    const struct counters_work work = {.arg = fake, .points = 1, .prepare = prepare, .launch = launch};
    *error = (struct error){0};
    memset(fake->log, 0, sizeof fake->log);
    return device_counters_measure(session, wanted, &work, counters, error);
}

static int measure_three(struct counters_session *session, double ahead_s, struct counters counters[3],
                         struct error *error)
{
    const struct counters_work work = {fake, 3, ahead_s, prepare, launch, {2, 3, 4}};
    *error = (struct error){0};
    memset(fake->log, 0, sizeof fake->log);
    return device_counters_measure(session, &all, &work, counters, error);
}

static struct counters_session *session_new(void)
{
    struct counters_session *session = device_counters_new(NULL, 0);
    assert_non_null(session);
    return session;
}

static const struct counter *named(const struct counters *counters, const char *name)
{
    for (int i = 0; i < counters->count; i++)
        if (strcmp(counters->at[i].name, name) == 0)
            return &counters->at[i];
    fail_msg("no %s", name);
    return NULL;
}

static void every_value_has_its_name_and_its_source(void **state)
{
    (void)state;
    struct counters counters;
    struct error error;
    struct counters_session *session = session_new();
    assert_int_equal(measure(session, &all, &counters, &error), 0);
    assert_int_equal(counters.status, COUNTERS_MEASURED);
    assert_int_equal(counters.count, 17);
    for (int i = 0; i < counters.count; i++) {
        const struct counter *one = &counters.at[i];
        const struct counter_kind *kind = counters_kind_find(one->name);
        assert_non_null(kind);
        assert_true(one->measured && !one->named);
        assert_string_equal(one->metric, kind->metrics[0]);
        assert_true(fabs(one->value - (double)strlen(one->metric) * kind->scale) < 1e-9);
    }
    device_counters_free(session);
    assert_int_equal(fake->hosts, 0);
    assert_int_equal(fake->disables, 1);
}

static void each_pass_is_prepared_and_launched_once(void **state)
{
    (void)state;
    struct counters counters;
    struct error error;
    struct counters_session *session = session_new();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(measure(session, &all, &counters, &error), 0);
        assert_int_equal(counters.passes, 4);
        assert_string_equal(fake->log, "pSlTpSlTpSlTpSlTD");
    }
    /* Added together and only once; enabled once and not in between. */
    assert_int_equal(fake->adds, 1);
    assert_int_equal(fake->enables, 1);
    assert_int_equal(fake->disables, 0);
    device_counters_free(session);
}

static const struct {
    const char *how, *reason, *remedy;
} refusals[] = {
    {"initialize", "to start", "operating.md"},
    {"availability", "INSUFFICIENT_PRIVILEGES", "NVreg_RestrictProfilingToAdminUsers=0"},
    {"enable", "INSUFFICIENT_PRIVILEGES", "CAP_SYS_ADMIN"},
    {"start", "to start a pass: CUPTI_ERROR_INSUFFICIENT_PRIVILEGES", "root"},
    {"busy", "HARDWARE_BUSY", "other profiler"},
    {"evaluate", "values", "operating.md"},
    {"dropped", "dropped 1", "try again"},
    {"endless", "wanted more", "try again"},
    {"without:.", "none of these metrics", "name others"},
};

static void what_refuses_is_told_and_tried_again(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct counters counters;
        struct error error;
        struct counters_session *session = session_new();
        /* At first, and after it has worked; then the cause is gone. */
        for (int round = 0; round < 2; round++) {
            setenv("FAKE_CUPTI", refusals[i].how, 1);
            /* What was found out before is not asked for again: those steps cannot refuse any more. */
            bool late = round == 0 || strstr("start evaluate dropped endless", refusals[i].how);
            assert_int_equal(measure(session, &all, &counters, &error), 0);
            assert_int_equal(counters.status, late ? COUNTERS_UNAVAILABLE : COUNTERS_MEASURED);
            if (late && (!strstr(counters.reason, refusals[i].reason) ||
                         !strstr(counters.remedy, refusals[i].remedy)))
                fail_msg("%s: %s; %s", refusals[i].how, counters.reason, counters.remedy);
            setenv("FAKE_CUPTI", "", 1);
            assert_int_equal(measure(session, &all, &counters, &error), 0);
            assert_int_equal(counters.status, COUNTERS_MEASURED);
        }
        device_counters_free(session);
        assert_int_equal(fake->hosts, 0);
        assert_int_equal(fake->enables, fake->disables);
    }
}

static void a_library_that_is_missing_or_too_old_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *path, *reason;
    } cases[] = {
        {"/nowhere/libcupti.so", "/nowhere/libcupti.so"},
        {FAKE_CUPTI_OLD_LIBRARY, "no cuptiRangeProfilerSetConfig"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct counters counters;
        struct error error;
        struct counters_session *session = session_new();
        setenv(library_variable, cases[i].path, 1);
        assert_int_equal(measure(session, &all, &counters, &error), 0);
        assert_int_equal(counters.status, COUNTERS_UNAVAILABLE);
        assert_non_null(strstr(counters.reason, cases[i].reason));
        assert_non_null(strstr(counters.remedy, "COALESCED_CUPTI_LIBRARY"));
        assert_string_equal(fake->log, "");
        device_counters_free(session);
    }
}

static void an_unknown_metric_costs_only_itself(void **state)
{
    (void)state;
    struct counters counters;
    struct error error;
    const struct counters_wanted wanted = {
        .on = true, .count = 3, .name = {"l9__nonsense.sum", "sm__warps_active.sum", "smsp__formless"}};
    struct counters_session *session = session_new();
    setenv("FAKE_CUPTI", "without:nonsense", 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(measure(session, &wanted, &counters, &error), 0);
        assert_int_equal(counters.status, COUNTERS_MEASURED);
        assert_int_equal(counters.count, 20);
        const struct counter *none = named(&counters, "l9__nonsense.sum");
        assert_true(none->named && !none->measured && !*none->metric);
        assert_non_null(strstr(none->reason, "FAKE100 has no metric"));
        assert_non_null(strstr(named(&counters, "smsp__formless")->reason, "form"));
        assert_true(named(&counters, "sm__warps_active.sum")->value == 20);
        assert_true(named(&counters, "gld_requests")->measured);
        assert_int_equal(counters.passes, 4); /* 18 metrics */
    }
    assert_int_equal(fake->adds, 1);
    device_counters_free(session);
    assert_int_equal(fake->hosts, 0);
}

static void a_chip_with_other_names_is_counted_by_those(void **state)
{
    (void)state;
    struct counters counters;
    struct error error;
    struct counters_session *session = session_new();
    setenv("FAKE_CUPTI", "without:dram__bytes_read", 1);
    assert_int_equal(measure(session, &all, &counters, &error), 0);
    const struct counter *read = named(&counters, "dram_read_bytes");
    assert_true(read->measured);
    assert_string_equal(read->metric, "dram__bytes_op_read.sum");
    device_counters_free(session);
}

static void what_is_no_number_is_unavailable(void **state)
{
    (void)state;
    struct counters counters;
    struct error error;
    struct counters_session *session = session_new();
    setenv("FAKE_CUPTI", "nan:global_op_st.pct", 1);
    assert_int_equal(measure(session, &all, &counters, &error), 0);
    const struct counter *none = named(&counters, "gst_efficiency_pct");
    assert_true(!none->measured && *none->metric && *none->reason);
    assert_null(counters_find(&counters, "gst_efficiency_pct"));
    assert_non_null(counters_find(&counters, "gld_efficiency_pct"));
    device_counters_free(session);
}

static void a_session_is_kept_as_long_as_the_set_is_the_same(void **state)
{
    (void)state;
    static struct counters counters[3];
    struct error error;
    struct counters_session *session = session_new();
    for (int i = 0; i < 12; i++) {
        assert_int_equal(i % 2 ? measure(session, &all, counters, &error)
                               : measure_three(session, 10, counters, &error),
                         0);
        assert_int_equal(counters[0].status, COUNTERS_MEASURED);
        assert_int_equal(counters[0].points, i % 2 ? 1 : 3);
    }
    assert_int_equal(fake->enables, 1);
    assert_int_equal(fake->disables, 0);
    device_counters_free(session);
    assert_int_equal(fake->disables, 1);
}

/* More sets than are kept: the library still writes into those of the measurement before. */
static void sets_may_take_turns(void **state)
{
    (void)state;
    struct counters counters;
    struct error error;
    struct counters_session *session = session_new();
    for (int i = 0; i < 40; i++) {
        struct counters_wanted wanted = {.on = true, .count = 1};
        snprintf(wanted.name[0], COUNTERS_NAME_BYTES, "sm__%d.sum", i * 7 % 9);
        assert_int_equal(measure(session, i % 4 ? &wanted : &all, &counters, &error), 0);
        assert_int_equal(counters.status, COUNTERS_MEASURED);
    }
    assert_true(fake->hosts <= 4);
    device_counters_free(session);
    assert_int_equal(fake->hosts, 0);
}

static double requests(const struct counters *counters)
{
    const struct counter *found = counters_find(counters, "gld_requests");
    assert_non_null(found);
    return found->value - (double)strlen(found->metric);
}

static void points_that_share_passes_have_their_own_values(void **state)
{
    (void)state;
    static struct counters counters[3];
    struct error error;
    struct counters_session *session = session_new();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(measure_three(session, 10, counters, &error), 0);
        assert_string_equal(fake->log, "pSlplplTpSlplplTpSlplplTpSlplplTD");
        for (int k = 0; k < 3; k++) {
            assert_int_equal(counters[k].status, COUNTERS_MEASURED);
            assert_int_equal(counters[k].passes, 4);
            assert_int_equal(counters[k].points, 3);
        }
        assert_true(requests(&counters[0]) == 0);
        assert_true(requests(&counters[1]) == 1000 * (3 + 1)); /* after what prepared it */
        assert_true(requests(&counters[2]) == 1000 * (3 + 1 + 4 + 1));
        assert_int_equal(measure(session, &all, counters, &error), 0);
        assert_true(requests(counters) == 0);
        assert_int_equal(counters[0].points, 1);
    }
    device_counters_free(session);
    assert_int_equal(fake->hosts, 0);
}

static void no_point_is_begun_when_passes_are_long(void **state)
{
    (void)state;
    static struct counters counters[3];
    struct error error;
    struct counters_session *session = session_new();
    pause_ns = 400000000; /* a busy machine may take half as much more */
    assert_int_equal(measure_three(session, 4 * 0.6, counters, &error), 0);
    assert_string_equal(fake->log, "pSlplTpSlplTpSlplTpSlplTD"); /* the later passes are as the first */
    assert_int_equal(counters[1].status, COUNTERS_MEASURED);
    assert_int_equal(counters[1].points, 2);
    assert_int_equal(counters[2].status, COUNTERS_NOT_REQUESTED);
    assert_int_equal(measure_three(session, 0, counters, &error), 0);
    assert_string_equal(fake->log, "pSlTpSlTpSlTpSlTD");
    assert_int_equal(counters[0].status, COUNTERS_MEASURED);
    device_counters_free(session);
}

static void a_refusal_leaves_no_values_in_the_other_points(void **state)
{
    (void)state;
    static struct counters counters[3];
    struct error error;
    struct counters_session *session = session_new();
    setenv("FAKE_CUPTI", "dropped", 1);
    assert_int_equal(measure_three(session, 10, counters, &error), 0);
    assert_int_equal(counters[0].status, COUNTERS_UNAVAILABLE);
    assert_int_equal(counters[1].status, COUNTERS_NOT_REQUESTED);
    assert_int_equal(counters[1].count, 0);
    work_fails = launches + 2;
    setenv("FAKE_CUPTI", "", 1);
    assert_int_equal(measure_three(session, 10, counters, &error), -1);
    assert_int_equal(error.kind, ERROR_CUDA);
    device_counters_free(session);
}

static void work_that_fails_is_an_error(void **state)
{
    (void)state;
    struct counters counters;
    struct error error;
    struct counters_session *session = session_new();
    work_fails = 3;
    assert_int_equal(measure(session, &all, &counters, &error), -1);
    assert_int_equal(error.kind, ERROR_CUDA);
    assert_int_equal(launches, 3);
    device_counters_free(session);
}

#else

static void without_the_headers_there_are_none(void **state)
{
    (void)state;
    struct counters counters;
    struct error error = {0};
    struct counters_session *session = device_counters_new(NULL, 0);
    assert_int_equal(
        device_counters_measure(session, &all, &(struct counters_work){.points = 1}, &counters, &error), 0);
    assert_int_equal(counters.status, COUNTERS_UNAVAILABLE);
    assert_non_null(strstr(counters.reason, "built without"));
    device_counters_free(session);
}

static void what_needs_the_headers_is_not_tested(void **state)
{
    (void)state;
    print_message("skipped: no CUPTI: built without its headers, %s is of no use\n", library_variable);
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef FAKE_CUPTI_LIBRARY
        cmocka_unit_test_setup(every_value_has_its_name_and_its_source, set_up),
        cmocka_unit_test_setup(each_pass_is_prepared_and_launched_once, set_up),
        cmocka_unit_test_setup(what_refuses_is_told_and_tried_again, set_up),
        cmocka_unit_test_setup(a_library_that_is_missing_or_too_old_is_told, set_up),
        cmocka_unit_test_setup(an_unknown_metric_costs_only_itself, set_up),
        cmocka_unit_test_setup(a_chip_with_other_names_is_counted_by_those, set_up),
        cmocka_unit_test_setup(what_is_no_number_is_unavailable, set_up),
        cmocka_unit_test_setup(a_session_is_kept_as_long_as_the_set_is_the_same, set_up),
        cmocka_unit_test_setup(sets_may_take_turns, set_up),
        cmocka_unit_test_setup(work_that_fails_is_an_error, set_up),
        cmocka_unit_test_setup(points_that_share_passes_have_their_own_values, set_up),
        cmocka_unit_test_setup(no_point_is_begun_when_passes_are_long, set_up),
        cmocka_unit_test_setup(a_refusal_leaves_no_values_in_the_other_points, set_up),
#else
        cmocka_unit_test(without_the_headers_there_are_none),
        cmocka_unit_test(what_needs_the_headers_is_not_tested),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
