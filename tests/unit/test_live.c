/* How a device is, read from a made-up NVML (faults/fake_nvml.c); the wait for a quiet device; and all of
   it together in a run on the CPU device under a GPU's name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "api/device_json.h"
#include "api/result_json.h"
#include "api/json_parts.h"
#include "kernels/device/device.h"
#include "kernels/live.h"
#include "kernels/measure/runner.h"
#include "kernels/stability.h"
#include "tests/unit/support/scratch.h"
#include "tests/unit/support/json_tree.h"

static char directory[SCRATCH_BYTES], script[SCRATCH_BYTES + 16];

static const char uuid[] = "GPU-00000000-0000-0000-0000-000000000001";

/* What the made-up NVML does from now on. Renamed into place: it is read while it is written. */
static void nvml_does(const char *text)
{
    char beside[sizeof script + 8];
    snprintf(beside, sizeof beside, "%s.new", script);
    FILE *file = fopen(beside, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(beside, script), 0);
}

static int64_t counting_executor; /* a second process of ours */
static struct live_reading read_once(const char *which, unsigned wanted, int64_t first)
{
    struct live_reading reading;
    struct live *live = live_open(which);
    assert_non_null(live);
    live_read(live, wanted, (struct live_own){{first, counting_executor}}, &reading);
    live_close(live);
    return reading;
}

/* ---- reading ---- */

static void every_quantity_is_read_in_its_unit(void **state)
{
    static const struct {
        enum live_quantity quantity;
        double value;
    } cases[] = {{LIVE_TEMPERATURE, 41},        {LIVE_POWER, 98.1},
                 {LIVE_SM_CLOCK, 1980},         {LIVE_MEMORY_CLOCK, 3201},
                 {LIVE_SM_CLOCK_MAX, 1990},     {LIVE_MEMORY_CLOCK_MAX, 3202},
                 {LIVE_MEMORY_USED, 123456789}, {LIVE_UTILISATION, 17},
                 {LIVE_THROTTLE, 0x24},         {LIVE_OTHERS, 2}};
    (void)state;
    nvml_does("temperature 41\npower 98100\nsm_clock 1980\nmemory_clock 3201\nsm_clock_max 1990\n"
              "memory_clock_max 3202\nmemory 123456789\nutilisation 17\nthrottle 0x24\n"
              "processes 11,self,12\n");
    struct live_reading reading = read_once(uuid, LIVE_ALL, getpid());
    assert_true(reading.measured && live_known(&reading));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct live_value *value = &reading.of[cases[i].quantity];
        if (!value->known || value->value != cases[i].value)
            fail_msg("quantity %d is %g (%s)", (int)cases[i].quantity, value->value, value->reason);
    }
    assert_int_equal(sizeof cases / sizeof *cases, LIVE_QUANTITIES);
    reading = read_once(uuid, LIVE_BIT(LIVE_POWER), getpid());
    assert_true(reading.of[LIVE_POWER].known && !reading.of[LIVE_SM_CLOCK].known);
}

static void what_the_driver_refuses_has_its_reason_and_the_rest_is_read(void **state)
{
    (void)state;
    nvml_does("power !3\nthrottle !4\nprocesses !4\nsm_clock 1980\n");
    struct live_reading reading = read_once(uuid, LIVE_ALL, getpid());
    assert_true(reading.measured);
    assert_false(reading.of[LIVE_POWER].known);
    assert_string_equal(reading.of[LIVE_POWER].reason, "Not Supported");
    assert_string_equal(reading.of[LIVE_THROTTLE].reason, "Insufficient Permissions");
    assert_string_equal(reading.of[LIVE_OTHERS].reason, "Insufficient Permissions");
    assert_true(reading.of[LIVE_SM_CLOCK].known);
}

static void what_a_slice_has_none_of_is_its_gpus_and_said_to_be(void **state)
{
    static const char slice[] = "MIG-00000000-0000-0000-0000-000000000001";
    char parent[64];
    (void)state;
    nvml_does("slice !3\ntemperature 41\npower 98100\n");
    struct live_reading reading = read_once(slice, LIVE_ALL, getpid());
    const struct live_value *temperature = &reading.of[LIVE_TEMPERATURE], *power = &reading.of[LIVE_POWER];
    assert_true(temperature->known && temperature->of_parent && temperature->value == 41);
    assert_true(power->known && !power->of_parent);
    json_t *told = JSON_TREE(device_json_live, &reading, 0);
    assert_int_equal(json_array_size(json_object_get(told, "of_parent")), 1);
    json_decref(told);
    struct live *live = live_open(slice);
    live_parent(live, parent, sizeof parent);
    live_close(live);
    assert_string_equal(parent, "GPU-00000000-0000-0000-0000-00000000000f");
    nvml_does("slice !3\nparent !13\n"); /* a driver that does not know parents */
    reading = read_once(slice, LIVE_ALL, getpid());
    assert_false(reading.of[LIVE_TEMPERATURE].known);
}

static void a_driver_that_does_not_answer_at_all_is_told_of(void **state)
{
    static const struct {
        const char *does, *says;
    } cases[] = {{"init !9\n", "Driver Not Loaded"}, {"handle !6\n", "Not Found"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nvml_does(cases[i].does);
        struct live_reading reading = read_once(uuid, LIVE_ALL, 0);
        assert_false(reading.measured || live_known(&reading));
        assert_non_null(strstr(reading.reason, cases[i].says));
    }
    char library[4096];
    snprintf(library, sizeof library, "%s", getenv("COALESCED_NVML_LIBRARY"));
    setenv("COALESCED_NVML_LIBRARY", "/nonexistent/libnvidia-ml.so.1", 1);
    struct live_reading reading = read_once(uuid, LIVE_ALL, 0);
    setenv("COALESCED_NVML_LIBRARY", library, 1);
    assert_non_null(strstr(reading.reason, "/nonexistent"));
    live_read(NULL, LIVE_ALL, (struct live_own){{0, 0}}, &reading);
    assert_true(!reading.measured && reading.reason[0]);
}

static void other_processes_are_told_from_ours(void **state)
{
    static const struct {
        const char *processes;
        int ours;   /* contexts: we have the first, our counting executor, process 11, the second */
        int others; /* -1: not known */
    } cases[] = {
        {"self", 1, 0},     {"self,11", 1, 1},    {"11,12,self", 1, 2}, /* another namespace: one of the unknown is ours */
        {"11", 1, 0},       {"11,12", 1, 1},      {"-", 1, -1}, /* a list in which not even we are tells nothing */
        {"-", 0, 0},        {"11", 0, 1},         {"x70", 1, 69},       {"x70", 0, 70},
        {"self,11", 2, 0},  {"self,11,12", 2, 1}, {"self,12", 2, 1}, /* the counting executor's context has ended */
        {"21,22,23", 2, 1}, {"21", 2, 0},         {"x70", 2, 68},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[64];
        snprintf(text, sizeof text, "processes %s\n", cases[i].processes);
        nvml_does(text);
        counting_executor = cases[i].ours == 2 ? 11 : 0;
        struct live_reading reading = read_once(uuid, LIVE_BIT(LIVE_OTHERS), cases[i].ours ? getpid() : 0);
        counting_executor = 0;
        const struct live_value *others = &reading.of[LIVE_OTHERS];
        if ((others->known ? others->value : -1) != cases[i].others)
            fail_msg("case %zu: %g others (%s)", i, others->value, others->reason);
        assert_true(others->known || others->reason[0]);
    }
}

static void a_cpu_tells_its_memory_and_why_it_tells_no_more(void **state)
{
    char cpu[64];
    (void)state;
    live_cpu_uuid(cpu, sizeof cpu);
    struct live_reading reading = read_once(cpu, LIVE_ALL, 0);
    double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    assert_true(reading.of[LIVE_MEMORY_USED].value > 0 && reading.of[LIVE_MEMORY_USED].value < all);
    assert_true(!reading.of[LIVE_TEMPERATURE].known && reading.of[LIVE_TEMPERATURE].reason[0]);
    reading = read_once("CPU-of-another-machine", LIVE_ALL, 0);
    assert_true(!reading.measured && strstr(reading.reason, "CPU-of-another-machine"));
}

/* ---- waiting ---- */

static int phases;

static void count_quiet(void *arg, const char *phase)
{
    (void)arg;
    phases += strcmp(phase, "quiet") == 0;
}

static double wait_at_most(double seconds)
{
    struct live *live = live_open(uuid);
    phases = 0;
    double waited =
        stability_wait(live, (struct live_own){{getpid(), counting_executor}}, seconds, count_quiet, NULL);
    live_close(live);
    return waited;
}

static void a_quiet_device_is_not_waited_for(void **state)
{
    static const char *const quiet[] = {
        "processes self\nutilisation 90\n",   /* our own work */
        "processes self,11\nutilisation 0\n", /* somebody who does nothing */
        "processes !4\nthrottle !3\n",        /* not to be known */
        "init !9\n",
        "processes self\nthrottle 0x4\n", /* capped, not hot */
    };
    (void)state;
    for (size_t i = 0; i < sizeof quiet / sizeof *quiet; i++) {
        nvml_does(quiet[i]);
        assert_true(wait_at_most(60) == 0);
        assert_int_equal(phases, 0);
    }
    nvml_does("processes self,11\nutilisation 90\n");
    assert_true(wait_at_most(0) == 0);
}

static void a_busy_device_is_waited_for_and_not_for_ever(void **state)
{
    static const char *const busy[] = {"processes self,11\nutilisation 90\n", "throttle 0x20\n",
                                       "throttle 0x40\n", "processes self,11\nutilisation !3\n"};
    (void)state;
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++) {
        nvml_does(busy[i]);
        double waited = wait_at_most(0.12);
        assert_true(waited >= 0.12 && waited < 5);
        assert_int_equal(phases, 1);
    }
}

static void *calm_down(void *arg)
{
    (void)arg;
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    nvml_does("processes self,11\nutilisation 0\n");
    return NULL;
}

static void the_wait_ends_when_the_device_is_quiet(void **state)
{
    pthread_t thread;
    (void)state;
    nvml_does("processes self,11\nutilisation 90\n");
    assert_int_equal(pthread_create(&thread, NULL, calm_down, NULL), 0);
    double waited = wait_at_most(50);
    pthread_join(thread, NULL);
    assert_true(waited >= 0.15 && waited < 20);
}

/* ---- all of it, in a run ---- */

static const struct device_kind *cpu;

static int describe_as_gpu(int index, struct device_facts *facts, struct error *error)
{
    int result = cpu->describe(index, facts, error);
    snprintf(facts->uuid, sizeof facts->uuid, "%s", uuid);
    return result;
}

/* The result's stability; to be freed. */
static json_t *run(bool as_gpu, double quiet_s)
{
    struct error error = {0};
    struct runner *runner;
    struct experiment e;
    struct problems problems = {0};
    struct result *result = calloc(1, sizeof *result);
    int index, count;
    assert_int_equal(device_find("cpu", &cpu, &index, &count, &error), 0);
    struct device_kind kind = *cpu;
    if (as_gpu)
        kind.describe = describe_as_gpu;
    experiment_init(&e, suite_find("copy"));
    e.size[0] = 4096;
    /* Time enough for its few samples, however busy this machine is: it ends by their number. */
    e.measure = (struct measure){.min_samples = 5, .noise = 1, .max_seconds = 60, .quiet_s = quiet_s};
    assert_int_equal(experiment_check(&e, NULL, &problems), 0);
    if (runner_new(&runner, &kind, index, &error) < 0 ||
        runner_run(runner, &e, result, NULL, NULL, &error) < 0)
        fail_msg("%s", error.text);
    runner_free(runner);
    result->cold.noise = result->hot.noise = 0; /* this machine's is not what is tested */
    json_t *all = JSON_TREE(result_json_write, &e, result);
    assert_true(json_is_true(json_object_get(json_object_get(all, "correctness"), "verified")));
    json_t *stability = json_incref(json_object_get(all, "stability"));
    json_decref(all);
    free(result);
    return stability;
}

static void is_text(json_t *stability, const char *expected)
{
    json_object_del(json_object_get(stability, "live"), "took_us");
    char *text = json_dumps(stability, JSON_COMPACT | JSON_REAL_PRECISION(6));
    assert_string_equal(text, expected);
    free(text);
    json_decref(stability);
}

static void a_run_left_alone_is_stable(void **state)
{
    (void)state;
    nvml_does("sm_clock 1980\nmemory_clock 3201\nthrottle 0 0 0x1\nprocesses self\ntemperature 41\n");
    is_text(run(true, 10),
            "{\"stable\":true,\"reasons\":[],\"codes\":[],\"waited_s\":0.0,\"live\":{\"status\":\"measured\","
            "\"sm_clock_mhz\":[1980,1980,1980],\"memory_clock_mhz\":[3201,3201,3201],"
            "\"throttle_reasons\":[\"idle\"],\"temperature_c\":41,\"other_processes\":0}}");
}

static void a_run_that_was_disturbed_is_not_and_has_its_result_all_the_same(void **state)
{
    (void)state;
    nvml_does("sm_clock 1980 1980 1755\nmemory_clock !3\nthrottle 0 0x4 0x200\nprocesses self self,11\n"
              "temperature 83\n");
    is_text(run(true, 0),
            "{\"stable\":false,\"reasons\":[\"SM clock moved from 1980 to 1755 MHz while timing\","
            "\"throttled: SW power cap\",\"another process holds a context on this device (1 other)\"],"
            "\"codes\":[\"sm_clock_moved\",\"throttled\",\"other_processes\"],\"waited_s\":0.0,\"live\":{"
            "\"status\":\"measured\",\"sm_clock_mhz\":[1980,1980,1755],\"memory_clock_mhz\":{\"status\":"
            "\"unavailable\",\"reason\":\"Not Supported\"},\"throttle_reasons\":[\"sw_power_cap\",\"bit_9\"],"
            "\"temperature_c\":83,\"other_processes\":1}}");
}

static void a_run_waits_for_quiet_and_then_runs_anyway(void **state)
{
    (void)state;
    nvml_does("processes self,11\nutilisation 90\nsm_clock 1980\n");
    json_t *stability = run(true, 0.1);
    assert_true(json_number_value(json_object_get(stability, "waited_s")) >= 0.1);
    assert_true(json_is_false(json_object_get(stability, "stable")));
    json_decref(stability);
}

static void a_run_where_nothing_is_read_says_so_and_is_stable(void **state)
{
    (void)state;
    nvml_does("init !4\n");
#define UNREAD                                                                                               \
    "{\"stable\":true,\"reasons\":[],\"codes\":[],\"waited_s\":0.0,\"live\":{\"status\":\"unavailable\","    \
    "\"reason\":"
    is_text(run(true, 10), UNREAD "\"NVML does not start: Insufficient Permissions\"}}");
    is_text(run(false, 10), UNREAD "\"not read for a CPU\"}}");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_quantity_is_read_in_its_unit),
        cmocka_unit_test(what_the_driver_refuses_has_its_reason_and_the_rest_is_read),
        cmocka_unit_test(what_a_slice_has_none_of_is_its_gpus_and_said_to_be),
        cmocka_unit_test(a_driver_that_does_not_answer_at_all_is_told_of),
        cmocka_unit_test(other_processes_are_told_from_ours),
        cmocka_unit_test(a_cpu_tells_its_memory_and_why_it_tells_no_more),
        cmocka_unit_test(a_quiet_device_is_not_waited_for),
        cmocka_unit_test(a_busy_device_is_waited_for_and_not_for_ever),
        cmocka_unit_test(the_wait_ends_when_the_device_is_quiet),
        cmocka_unit_test(a_run_left_alone_is_stable),
        cmocka_unit_test(a_run_that_was_disturbed_is_not_and_has_its_result_all_the_same),
        cmocka_unit_test(a_run_waits_for_quiet_and_then_runs_anyway),
        cmocka_unit_test(a_run_where_nothing_is_read_says_so_and_is_stable),
    };
    char library[4200];
    (void)argc;
    snprintf(library, sizeof library, "%.*sfake_nvml/libnvidia-ml.so.1",
             strrchr(argv[0], '/') ? (int)(strrchr(argv[0], '/') + 1 - argv[0]) : 0, argv[0]);
    char *whole = realpath(library, NULL);
    scratch_make(directory);
    snprintf(script, sizeof script, "%s/nvml", directory);
    setenv("COALESCED_NVML_LIBRARY", whole ? whole : library, 1);
    setenv("FAKE_NVML", script, 1);
    free(whole);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    scratch_remove(directory);
    return failed;
}
