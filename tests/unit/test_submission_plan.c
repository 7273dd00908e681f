/* What is to be queued for a request, or what is wrong with it, decided without HTTP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "server/routes/submission_plan.h"

static const struct device_facts cpu = {.backend = "cpu",
                                        .name = "a processor",
                                        .arch = "x86_64",
                                        .max_threads_per_block = 1024,
                                        .max_block = {1024, 1024, 64},
                                        .max_grid = {2147483647, 65535, 65535},
                                        .memory_bytes = UINT64_C(1) << 30};
/* The list begins with device 2; far has not said hello. */
static const struct device_offer at[] = {{0, "cpu0", &cpu, false, true, true},
                                         {2, "cpu2", &cpu, false, true, true},
                                         {5, "far", NULL, false, false, true}};
static const struct device_offers offers = {at, 3};
static const struct user run = {"ada", ROLE_RUN}, admin = {"eve", ROLE_ADMIN};

struct asked {
    const char *body, *key, *default_device;
    const struct user *user;
    bool sweep;
    struct sweep_page page;
};

static int plan(struct submission_plan *made, const struct asked *asked, struct submission_fault *fault)
{
    const struct submission_request request = {
        .body = asked->body,
        .length = strlen(asked->body),
        .sweep = asked->sweep,
        .key = asked->key,
        .user = asked->user ? asked->user : &run,
        .page = asked->page,
    };
    const struct submission_devices devices = {&offers, asked->default_device, 2};
    return submission_plan_make(made, &request, &devices, fault);
}

#define COPY "\"kernel\":\"copy\",\"size\":1024"

static void an_experiment_goes_to_the_device_that_it_or_the_default_names(void **state)
{
    (void)state;
    static const struct {
        const char *body, *default_device;
        int device;
        uint64_t set;
        bool open;
    } cases[] = {
        {"{" COPY "}", NULL, 2, 1 << 2, false},
        {"{" COPY "}", "", 2, 1 << 2, false},
        {"{" COPY "}", "0", 0, 1 << 0, false},
        {"{" COPY "}", "cpu0", 0, 1 << 0, false},
        {"{" COPY "}", "any", -1, 1 << 0 | 1 << 2, true},
        {"{" COPY ",\"device\":\"cpu0\"}", "any", 0, 1 << 0, false},
        {"{" COPY ",\"device\":\"any\"}", NULL, -1, 1 << 0 | 1 << 2, true},
        {"{" COPY ",\"device\":\"any\",\"repeat\":1}", NULL, -1, 1 << 0 | 1 << 2, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct submission_plan made;
        struct submission_fault fault;
        const struct asked asked = {.body = cases[i].body, .default_device = cases[i].default_device};
        assert_int_equal(plan(&made, &asked, &fault), 0);
        assert_false(made.sweep);
        assert_null(made.request);
        assert_string_equal(made.kernel, "copy");
        assert_int_equal(made.device, cases[i].device);
        assert_int_equal(made.items.experiment_count, 1);
        assert_int_equal(made.items.experiments[0].devices.words[0], cases[i].set);
        assert_int_equal(made.items.experiments[0].open, cases[i].open);
        assert_int_equal(made.runs, 1);
        submission_plan_clear(&made);
    }
}

static void a_sweep_counts_its_points_rounds_and_runs(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        bool sweep;
        int points, rounds, runs;
    } cases[] = {
        {"{\"kernel\":\"copy\",\"size\":[1024,2048,4096]}", true, 3, 1, 3},
        {"{\"kernel\":\"copy\",\"size\":[1024,1024,4096],\"repeat\":2}", true, 3, 2, 4},
        {"{" COPY ",\"repeat\":3}", false, 1, 3, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct submission_plan made;
        struct submission_fault fault;
        const struct asked asked = {.body = cases[i].body, .sweep = cases[i].sweep};
        assert_int_equal(plan(&made, &asked, &fault), 0);
        assert_true(made.sweep);
        assert_non_null(made.request);
        assert_int_equal(made.points, cases[i].points);
        assert_int_equal(made.rounds, cases[i].rounds);
        assert_int_equal(made.runs, cases[i].runs);
        assert_true(made.timeouts_s == made.items.experiments[0].timeout_s * made.runs);
        submission_plan_clear(&made);
        assert_int_equal(made.points, cases[i].points);
    }
}

static void what_is_wrong_is_said_with_its_kind(void **state)
{
    (void)state;
    static const struct {
        struct asked asked;
        int kind;
        const char *said; /* the first field, or the detail */
    } cases[] = {
        {{.body = "{"}, SUBMISSION_MALFORMED, NULL},
        {{.body = "[]", .sweep = true}, SUBMISSION_MALFORMED, NULL},
        {{.body = "{\"kernel\":\"no_such\"}"}, SUBMISSION_INVALID, "#/kernel"},
        {{.body = "{\"kernel\":\"copy\",\"size\":[1024,2048]}"}, SUBMISSION_INVALID, "#/size"},
        {{.body = "{" COPY ",\"repeat\":0}"}, SUBMISSION_INVALID, "#/repeat"},
        {{.body = "{" COPY ",\"device\":\"h100\"}"}, SUBMISSION_INVALID, "#/device"},
        {{.body = "{\"recipe\":\"no_such\"}", .sweep = true}, SUBMISSION_INVALID, "#/recipe"},
        {{.body = "{" COPY ",\"priority\":150}"}, SUBMISSION_FORBIDDEN, "#/priority"},
        {{.body = "{" COPY ",\"priority\":[1,150]}", .sweep = true}, SUBMISSION_FORBIDDEN, "#/priority"},
        {{.body = "{" COPY ",\"device\":\"far\"}"}, SUBMISSION_UNKNOWN, NULL},
        {{.body = "{" COPY ",\"device\":5}", .sweep = true}, SUBMISSION_UNKNOWN, NULL},
        {{.body = "{" COPY "}", .sweep = true, .page = {.table = true, .columns = "no_such"}},
         SUBMISSION_MALFORMED,
         NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct submission_plan made;
        struct submission_fault fault;
        assert_int_equal(plan(&made, &cases[i].asked, &fault), -1);
        assert_int_equal(fault.kind, cases[i].kind);
        if (cases[i].said)
            assert_string_equal(fault.problems.at[0].pointer, cases[i].said);
        if (fault.kind == SUBMISSION_MALFORMED)
            assert_true(fault.detail[0]);
        if (fault.kind == SUBMISSION_UNKNOWN)
            assert_int_equal(fault.device, 5);
    }
}

static void an_admin_may_go_before_everybody(void **state)
{
    (void)state;
    struct submission_plan made;
    struct submission_fault fault;
    const struct asked asked = {.body = "{" COPY ",\"priority\":150}", .user = &admin};
    assert_int_equal(plan(&made, &asked, &fault), 0);
    assert_int_equal(made.items.experiments[0].priority, 150);
    submission_plan_clear(&made);
}

static void fingerprint_of(const struct asked *asked, char fingerprint[SUBMISSION_FINGERPRINT_BYTES])
{
    struct submission_plan made;
    struct submission_fault fault;
    assert_int_equal(plan(&made, asked, &fault), 0);
    memcpy(fingerprint, made.fingerprint, SUBMISSION_FINGERPRINT_BYTES);
    submission_plan_clear(&made);
}

static void equal_requests_have_equal_fingerprints(void **state)
{
    (void)state;
    char one[SUBMISSION_FINGERPRINT_BYTES], same[SUBMISSION_FINGERPRINT_BYTES],
        other[SUBMISSION_FINGERPRINT_BYTES], sweep[SUBMISSION_FINGERPRINT_BYTES],
        none[SUBMISSION_FINGERPRINT_BYTES];
    fingerprint_of(&(struct asked){.body = "{" COPY "}", .key = "k"}, one);
    fingerprint_of(&(struct asked){.body = "{\"size\": 1024, \"kernel\": \"copy\"}", .key = "k"}, same);
    fingerprint_of(&(struct asked){.body = "{\"kernel\":\"copy\",\"size\":1025}", .key = "k"}, other);
    fingerprint_of(&(struct asked){.body = "{" COPY "}", .key = "k", .sweep = true}, sweep);
    fingerprint_of(&(struct asked){.body = "{" COPY "}"}, none);
    assert_string_equal(one, same);
    assert_string_not_equal(one, other);
    assert_string_not_equal(one, sweep);
    assert_string_equal(none, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_experiment_goes_to_the_device_that_it_or_the_default_names),
        cmocka_unit_test(a_sweep_counts_its_points_rounds_and_runs),
        cmocka_unit_test(what_is_wrong_is_said_with_its_kind),
        cmocka_unit_test(an_admin_may_go_before_everybody),
        cmocka_unit_test(equal_requests_have_equal_fingerprints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
