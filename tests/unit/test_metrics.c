#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/error.h"
#include "kernels/kernel.h"
#include "kernels/stability.h"
#include "server/metrics/exposition.h"
#include "server/metrics/metrics.h"

/* What is counted is of the whole process: each test has a device of its own. */
enum { DEVICES = METRICS_DEVICES };

/* The value of that sample; fails the test when there is none. */
static double sample(const char *series)
{
    struct buffer out = {0};
    char line[600];
    metrics_write(&out, DEVICES, "/");
    snprintf(line, sizeof line, "\n%s ", series);
    const char *at = strstr(out.data, line);
    if (!at)
        fail_msg("there is no %s", series);
    double value = strtod(at + strlen(line), NULL);
    buffer_free(&out);
    return value;
}

static bool has_sample(const char *text)
{
    struct buffer out = {0};
    metrics_write(&out, DEVICES, "/");
    bool there = strstr(out.data, text) != NULL;
    buffer_free(&out);
    return there;
}

static void each_event_counts_for_its_device_and_its_value(void **state)
{
    static const struct {
        enum metrics_event event;
        const char *value, *series;
        bool of_no_device;
    } cases[] = {
        {EVENT_SUBMITTED, NULL, "coalesced_experiments_submitted_total{device=\"1\"}", false},
        {EVENT_ENDED, "succeeded", "coalesced_experiments_ended_total{device=\"1\",outcome=\"succeeded\"}",
         false},
        {EVENT_ENDED, "timed_out", "coalesced_experiments_ended_total{device=\"1\",outcome=\"timed_out\"}",
         false},
        {EVENT_ENDED, "never heard of", "coalesced_experiments_ended_total{device=\"1\",outcome=\"other\"}",
         false},
        {EVENT_UNSTABLE, "throttled", "coalesced_results_unstable_total{device=\"1\",reason=\"throttled\"}",
         false},
        {EVENT_RESTART, "idle", "coalesced_executor_restarts_total{device=\"1\",reason=\"idle\"}", false},
        {EVENT_RESTART, NULL, "coalesced_executor_restarts_total{device=\"1\",reason=\"other\"}", false},
        {EVENT_INCORRECT, "copy", "coalesced_results_incorrect_total{kernel=\"copy\"}", true},
        {EVENT_INCORRECT, "no kernel", "coalesced_results_incorrect_total{kernel=\"other\"}", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double before = sample(cases[i].series);
        metrics_count(cases[i].event, 1, cases[i].value, 3);
        assert_true(sample(cases[i].series) == before + 3);
        metrics_count(cases[i].event, 2, cases[i].value, 1);
        assert_true(sample(cases[i].series) == before + 3 + cases[i].of_no_device);
    }
    metrics_count(EVENT_SUBMITTED, -1, NULL, 1);
    metrics_count(EVENT_SUBMITTED, DEVICES, NULL, 1);
    assert_false(has_sample("device=\"128\""));
    assert_false(has_sample("never heard of"));
}

/* A value that the table lacks would count as "other", and nobody would notice. */
static void every_end_and_every_kind_of_instability_has_a_series(void **state)
{
    char series[160];
    (void)state;
    for (int kind = ERROR_OUT_OF_MEMORY; kind < ERROR_KIND_COUNT; kind++) {
        snprintf(series, sizeof series, "coalesced_experiments_ended_total{device=\"0\",outcome=\"%s\"}",
                 error_kind_name((enum error_kind)kind));
        sample(series);
    }
    for (int code = 0; code < STABILITY_CODES; code++) {
        snprintf(series, sizeof series, "coalesced_results_unstable_total{device=\"0\",reason=\"%s\"}",
                 stability_code_name((enum stability_code)code));
        sample(series);
    }
    for (int i = 0; i < suite_count(); i++) {
        snprintf(series, sizeof series, "coalesced_results_incorrect_total{kernel=\"%s\"}",
                 suite_at(i)->name);
        sample(series);
    }
}

static void a_histogram_counts_what_is_not_longer_than_each_bound(void **state)
{
    static histogram_bounds bounds = {0.1, 1, 10};
    static const double seconds[] = {-5, 0, 0.1, 0.2, 1, 9.5, 10.5, 1e6};
    struct histogram histogram = {0};
    struct buffer out = {0};
    (void)state;
    for (size_t i = 0; i < sizeof seconds / sizeof *seconds; i++)
        exposition_histogram_add(&histogram, bounds, seconds[i]);
    exposition_histogram_write(&out, "x_seconds", "device=\"0\"", &histogram, bounds);
    assert_string_equal(out.data, "x_seconds_bucket{device=\"0\",le=\"0.1\"} 3\n"
                                  "x_seconds_bucket{device=\"0\",le=\"1\"} 5\n"
                                  "x_seconds_bucket{device=\"0\",le=\"10\"} 6\n"
                                  "x_seconds_bucket{device=\"0\",le=\"+Inf\"} 8\n"
                                  "x_seconds_sum{device=\"0\"} 1000021.3\n"
                                  "x_seconds_count{device=\"0\"} 8\n");
    buffer_free(&out);
}

static void a_span_is_in_its_devices_histogram(void **state)
{
    (void)state;
    metrics_span(SPAN_WAIT, 3, 4);
    metrics_span(SPAN_RUN, 3, 0.02);
    metrics_span(SPAN_RUN, DEVICES, 0.02);
    assert_true(sample("coalesced_experiment_wait_seconds_bucket{device=\"3\",le=\"2.5\"}") == 0);
    assert_true(sample("coalesced_experiment_wait_seconds_bucket{device=\"3\",le=\"5\"}") == 1);
    assert_true(sample("coalesced_experiment_duration_seconds_sum{device=\"3\"}") == 0.02);
}

#define REQUESTS(labels) "coalesced_http_requests_total{" labels "}"

static void a_request_counts_by_its_pattern_and_what_clients_make_up_is_no_label(void **state)
{
    (void)state;
    metrics_request("/v1/things/{id}", "GET", 200, 0.002);
    metrics_request("/v1/things/{id}", "GET", 200, 0.002);
    metrics_request("/v1/things/{id}", "HEAD", 404, 0.002);
    metrics_request("/v1/things/{id}", "BREW", 418, 0.002);
    metrics_request("/v1/things/{id}", "GET", 0, 3);
    metrics_request(NULL, "GET", 404, 0.002);
    metrics_request("*", "GET", 503, 0.002);
    assert_true(sample(REQUESTS("route=\"/v1/things/{id}\",method=\"GET\",code=\"200\"")) == 2);
    assert_true(sample(REQUESTS("route=\"/v1/things/{id}\",method=\"HEAD\",code=\"404\"")) == 1);
    assert_true(sample(REQUESTS("route=\"/v1/things/{id}\",method=\"other\",code=\"other\"")) == 1);
    assert_true(sample(REQUESTS("route=\"/v1/things/{id}\",method=\"GET\",code=\"none\"")) == 1);
    assert_true(sample(REQUESTS("route=\"unknown\",method=\"GET\",code=\"404\"")) == 1);
    assert_true(sample(REQUESTS("route=\"unknown\",method=\"GET\",code=\"503\"")) == 1);
    assert_true(sample("coalesced_http_request_duration_seconds_count{route=\"/v1/things/{id}\","
                       "method=\"GET\"}") == 3);
    assert_false(has_sample("BREW"));
    assert_false(has_sample("code=\"418\""));
}

static void *count_many(void *arg)
{
    (void)arg;
    for (int i = 0; i < 10000; i++) {
        metrics_count(EVENT_ENDED, 5, "succeeded", 1);
        metrics_span(SPAN_RUN, 5, 0.001);
        metrics_request(i % 2 ? "/one" : "/two", i % 3 ? "GET" : "POST", 200, 0.001);
    }
    return NULL;
}

static void several_threads_lose_no_count(void **state)
{
    pthread_t threads[4];
    (void)state;
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_many, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    assert_true(sample("coalesced_experiments_ended_total{device=\"5\",outcome=\"succeeded\"}") == 40000);
    assert_true(sample("coalesced_experiment_duration_seconds_count{device=\"5\"}") == 40000);
    double requests = sample(REQUESTS("route=\"/one\",method=\"GET\",code=\"200\"")) +
                      sample(REQUESTS("route=\"/one\",method=\"POST\",code=\"200\""));
    assert_true(requests == 20000);
}

static void what_a_label_says_is_escaped_and_cut_to_its_room(void **state)
{
    char label[64], narrow[16];
    (void)state;
    exposition_label(label, sizeof label, "name", "a \"quoted\" \\ and\na line");
    assert_string_equal(label, "name=\"a \\\"quoted\\\" \\\\ and\\na line\"");
    exposition_label(narrow, sizeof narrow, "name", "\"\"\"\"\"\"\"\"\"\"");
    assert_int_equal(narrow[strlen(narrow) - 1], '"');
    exposition_label(narrow, sizeof narrow, "name", "abcdefghijklmnopqrstuvwxyz");
    assert_string_equal(narrow, "name=\"abcdef\"");
}

static void the_process_and_its_disk_are_told(void **state)
{
    static const char *const names[] = {"process_cpu_seconds_total",
                                        "process_resident_memory_bytes",
                                        "process_virtual_memory_bytes",
                                        "process_open_fds",
                                        "process_max_fds",
                                        "process_start_time_seconds",
                                        "coalesced_store_bytes{file=\"wal\"}",
                                        "coalesced_data_directory_free_bytes"};
    struct buffer out = {0};
    (void)state;
    metrics_write(&out, 0, "/");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[80];
        snprintf(line, sizeof line, "\n%s ", names[i]);
        const char *at = strstr(out.data, line);
        if (!at)
            fail_msg("there is no %s", names[i]);
        if (!strstr(names[i], "store"))
            assert_true(strtod(at + strlen(line), NULL) > 0);
    }
    buffer_free(&out);
    metrics_write(&out, 0, "/no/such/directory"); /* says nothing of its disk, and does not fail */
    assert_null(strstr(out.data, "free"));
    buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_event_counts_for_its_device_and_its_value),
        cmocka_unit_test(every_end_and_every_kind_of_instability_has_a_series),
        cmocka_unit_test(a_histogram_counts_what_is_not_longer_than_each_bound),
        cmocka_unit_test(a_span_is_in_its_devices_histogram),
        cmocka_unit_test(a_request_counts_by_its_pattern_and_what_clients_make_up_is_no_label),
        cmocka_unit_test(several_threads_lose_no_count),
        cmocka_unit_test(what_a_label_says_is_escaped_and_cut_to_its_room),
        cmocka_unit_test(the_process_and_its_disk_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
