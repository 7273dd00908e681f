#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>

#include "api/device_choice.h"
#include "api/device_fit.h"
#include "api/experiment_json.h"

#define LIMITS                                                                                               \
    .max_threads_per_block = 1024, .max_block = {1024, 1024, 64}, .max_grid = {2147483647, 65535, 65535}

static const struct device_facts h200 = {.backend = "cuda",
                                         .name = "NVIDIA H200",
                                         .uuid = "GPU-1",
                                         .arch = "sm_90",
                                         LIMITS,
                                         .memory_bytes = UINT64_C(150) << 30},
                                 h200_2 = {.backend = "cuda",
                                           .name = "NVIDIA H200",
                                           .uuid = "GPU-2",
                                           .arch = "sm_90",
                                           LIMITS,
                                           .memory_bytes = UINT64_C(150) << 30},
                                 a10 = {.backend = "cuda",
                                        .name = "NVIDIA A10",
                                        .arch = "sm_86",
                                        LIMITS,
                                        .memory_bytes = UINT64_C(24) << 30},
                                 cpu = {.backend = "cpu",
                                        .name = "a processor",
                                        .arch = "x86_64",
                                        LIMITS,
                                        .memory_bytes = UINT64_C(1) << 20};
/* Numbers need not be dense; far has not said hello, old left the list. */
static const struct device_offer at[] = {
    {0, "h200-1", &h200, true, true, true}, {1, "h200-2", &h200_2, true, true, true},
    {3, "a10", &a10, false, false, true},   {4, "old", &h200, true, true, false},
    {7, "cpu0", &cpu, false, true, true},   {9, "far", NULL, false, false, true}};
static const struct device_offers offers = {at, 6}, far_alone = {&at[5], 1};

static enum device_fit resolve(const char *device, const char *size, const struct device_offers *among,
                               struct device_set *set, struct problems *problems)
{
    struct experiment experiment;
    json_t *object =
        json_pack("{s:s,s:o,s:o}", "kernel", "copy", "device", json_loads(device, JSON_DECODE_ANY, NULL),
                  "size", json_loads(size, JSON_DECODE_ANY, NULL));
    assert_non_null(object);
    problems->count = 0;
    experiment_json_read(&experiment, object, problems);
    json_decref(object);
    return device_fit_find(&experiment, among, set, problems);
}

static void what_is_chosen_and_can_run_it_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *device, *size;
        uint64_t set;
    } cases[] = {
        {"0", "1024", 1 << 0},
        {"\"a10\"", "1024", 1 << 3},
        {"\"any\"", "1024", 1 << 0 | 1 << 1 | 1 << 3 | 1 << 7},
        {"\"any\"", "1000000", 1 << 0 | 1 << 1 | 1 << 3},
        {"\"any\"", "4000000000", 1 << 0 | 1 << 1},
        {"{\"arch\":\"sm_90\"}", "1024", 1 << 0 | 1 << 1},
        {"{\"arch\":\"cpu\"}", "1024", 1 << 7},
        {"{\"arch\":\"x86_64\"}", "1024", 1 << 7},
        {"{\"name\":\"NVIDIA A10\"}", "1024", 1 << 3},
        {"{\"memory_bytes\":20000000000}", "1024", 1 << 0 | 1 << 1 | 1 << 3},
        {"{\"counters\":true,\"memory_bytes\":1}", "1024", 1 << 0 | 1 << 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device_set set;
        struct problems problems = {0};
        if (resolve(cases[i].device, cases[i].size, &offers, &set, &problems) != DEVICE_FITS)
            fail_msg("%s: %s %s", cases[i].device, problems.at[0].pointer, problems.at[0].detail);
        assert_int_equal(problems.count, 0);
        if (set.words[0] != cases[i].set || set.words[1])
            fail_msg("%s: %llx", cases[i].device, (unsigned long long)set.words[0]);
    }
}

static void what_is_wrong_is_told_with_its_field(void **state)
{
    (void)state;
    static const struct {
        const char *device, *size, *pointer, *word;
    } cases[] = {
        {"2", "1024", "#/device", "no device 2; this service has 5 devices: 0 (h200-1), 1 (h200-2)"},
        {"-1", "1024", "#/device", "no device -1"},
        {"4", "1024", "#/device", "not in the list any more"},
        {"\"old\"", "1024", "#/device", "not in the list any more"},
        {"\"h200-3\"", "1024", "#/device", "did you mean \"h200-"},
        {"\"7\"", "1024", "#/device", "without quotes"},
        {"\"-x\"", "1024", "#/device", "a device's name"},
        {"\"\"", "1024", "#/device", "a device's name"},
        {"true", "1024", "#/device", "is true"},
        {"1.5", "1024", "#/device", "must be an integer"},
        {"null", "1024", "#/device", "must be an integer"},
        {"{}", "1024", "#/device", "says nothing"},
        {"{\"arch\":\"ampere\"}", "1024", "#/device/arch", "sm_90"},
        {"{\"arch\":\"sm_9\"}", "1024", "#/device/arch", "sm_90"},
        {"{\"arch\":90}", "1024", "#/device/arch", "sm_90"},
        {"{\"arch\":\"sm_80\"}", "1024", "#/device/arch", "has sm_90"},
        {"{\"arch\":\"sm_86\",\"counters\":true}", "1024", "#/device/arch", "0 (h200-1), has sm_90"},
        {"{\"memory_bytes\":0}", "1024", "#/device/memory_bytes", "at least 1"},
        {"{\"memory_bytes\":1e12}", "1024", "#/device/memory_bytes", "whole number"},
        {"{\"memory_bytes\":999999999999999}", "1024", "#/device/memory_bytes", "has 161061273600"},
        {"{\"counters\":false}", "1024", "#/device/counters", "must be true"},
        {"{\"name\":7}", "1024", "#/device/name", "product"},
        {"{\"name\":\"NVIDIA\"}", "1024", "#/device/name", "has NVIDIA H200"},
        {"{\"memory_byte\":7}", "1024", "#/device/memory_byte", "did you mean \"memory_bytes\""},
        {"\"cpu0\"", "1000000", "#/size", "a processor has 1048576"},
        {"\"any\"", "400000000000", "#/size", "of 4 devices this is the nearest, 0 (h200-1)"},
        {"{\"arch\":\"sm_90\"}", "400000000000", "#/size", "of 2 devices"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device_set set;
        struct problems problems = {0};
        enum device_fit fit = resolve(cases[i].device, cases[i].size, &offers, &set, &problems);
        assert_true(problems.count > 0 && fit != DEVICE_UNKNOWN);
        if (strcmp(problems.at[0].pointer, cases[i].pointer) != 0 ||
            !strstr(problems.at[0].detail, cases[i].word))
            fail_msg("%s: %s %s", cases[i].device, problems.at[0].pointer, problems.at[0].detail);
    }
}

static void what_is_not_known_yet_is_not_refused(void **state)
{
    (void)state;
    static const char *const choices[] = {"9", "\"far\"", "\"any\"", "{\"arch\":\"sm_90\"}"};
    struct device_set set;
    struct problems problems = {0};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        assert_int_equal(resolve(choices[i], "1024", &far_alone, &set, &problems), DEVICE_UNKNOWN);
        assert_true(device_set_has(&set, 9));
        assert_int_equal(resolve(choices[i], "-5", &far_alone, &set, &problems), DEVICE_REFUSED);
        assert_string_equal(problems.at[0].pointer, "#/size");
    }
}

static void it_is_written_as_it_was_asked(void **state)
{
    (void)state;
    static const char *const choices[] = {
        "0",
        "12",
        "\"any\"",
        "\"h200-1\"",
        "{\"arch\":\"sm_100a\"}",
        "{\"arch\":\"cpu\",\"name\":\"NVIDIA \\\"H200\\\"\",\"memory_bytes\":5,\"counters\":true}"};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct device_choice choice;
        struct problems problems = {0};
        struct buffer out = {0};
        json_t *value = json_loads(choices[i], JSON_DECODE_ANY, NULL);
        device_choice_read(&choice, value, "#/device", &problems);
        assert_int_equal(problems.count, 0);
        experiment_text_device(&(struct json_writer){.out = &out}, NULL, &choice);
        assert_string_equal(out.data, choices[i]);
        buffer_free(&out);
        json_decref(value);
    }
}

/* The peer's uuid, or what is wrong: its pointer and its text. */
static void peer_is(const char *request, const char *wanted)
{
    struct experiment experiment;
    struct problems problems = {0};
    struct device_set set;
    struct buffer out = {0};
    json_t *object = json_loads(request, 0, NULL);
    assert_non_null(object);
    experiment_json_read(&experiment, object, &problems);
    json_decref(object);
    if (device_fit_find(&experiment, &offers, &set, &problems) == DEVICE_FITS && !problems.count)
        buffer_format(&out, "%s from %d of %d", experiment.peer_uuid, device_set_next(&set, 0),
                      device_set_count(&set));
    else
        buffer_format(&out, "%s %s", problems.at[0].pointer, problems.at[0].detail);
    if (!strstr(out.data, wanted))
        fail_msg("%s: %s", request, out.data);
    buffer_free(&out);
}

static void a_peer_is_another_gpu_of_this_machine(void **state)
{
    (void)state;
    peer_is("{\"kernel\":\"peer_copy\",\"device\":0,\"peer\":1}", "GPU-2 from 0 of 1");
    peer_is("{\"kernel\":\"peer_copy\",\"device\":1,\"peer\":\"h200-1\"}", "GPU-1 from 1 of 1");
    peer_is("{\"kernel\":\"peer_copy\",\"device\":\"any\",\"peer\":0}", "GPU-1 from 1 of 1");
    peer_is("{\"kernel\":\"peer_copy\",\"device\":0,\"peer\":0}", "#/peer must be another device");
    peer_is("{\"kernel\":\"peer_copy\",\"device\":0}", "#/peer is required");
    peer_is("{\"kernel\":\"peer_copy\",\"device\":0,\"peer\":3}",
            "#/peer must be a GPU of this machine, a10");
    peer_is("{\"kernel\":\"peer_copy\",\"device\":3,\"peer\":0}",
            "#/device must be a GPU of this machine, a10");
    peer_is("{\"kernel\":\"peer_copy\",\"device\":0,\"peer\":2}", "#/peer there is no device 2");
    peer_is("{\"kernel\":\"peer_copy\",\"device\":0,\"peer\":\"any\"}",
            "#/peer must be the number or the name");
    peer_is("{\"kernel\":\"peer_copy\",\"device\":0,\"peer\":{\"arch\":\"sm_90\"}}",
            "#/peer must be the number");
    peer_is("{\"kernel\":\"copy\",\"device\":0,\"peer\":1}", "#/peer unknown field");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_chosen_and_can_run_it_is_found),
        cmocka_unit_test(what_is_wrong_is_told_with_its_field),
        cmocka_unit_test(what_is_not_known_yet_is_not_refused),
        cmocka_unit_test(it_is_written_as_it_was_asked),
        cmocka_unit_test(a_peer_is_another_gpu_of_this_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
