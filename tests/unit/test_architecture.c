/* Which GPUs a build's code runs on, as NVIDIA's rules of compatibility have it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>

#include "kernels/device/architecture.h"

static void code_runs_where_the_rules_let_it(void **state)
{
    static const struct {
        const char *built;
        int major, minor;
        bool runs;
    } cases[] = {
        {"90", 9, 0, true},
        {"90-real", 9, 0, true},
        {"90-real", 8, 6, false},
        {"90-real", 10, 0, false},   /* machine code stays in its major version */
        {"90", 10, 0, true},         /* its PTX does not */
        {"90-virtual", 12, 0, true}, /* nor this */
        {"90-virtual", 9, 0, true},
        {"90-virtual", 8, 9, false}, /* PTX is never for an older one */
        {"80-real", 8, 6, true},
        {"86-real", 8, 0, false},
        {"75-real;80-real;86-real;89-real;90-real;100-real;120", 8, 7, true},
        {"75-real;80-real;86-real;89-real;90-real;100-real;120", 7, 0, false},
        {"75-real;80-real;86-real;89-real;90-real;100-real;120", 10, 3, true},
        {"75-real;80-real;86-real;89-real;90-real;100-real;120", 11, 0, false},
        {"75-real;80-real;86-real;89-real;90-real;100-real;120", 13, 0, true},
        {"90a", 9, 0, true},
        {"90a", 10, 0, false},
        {"90a-virtual", 10, 0, false},
        {"100f-real", 10, 3, true},
        {"100f", 12, 0, false},
        {"", 9, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        int runs = architecture_check(cases[i].built, cases[i].major, cases[i].minor, &error) == 0;
        if (runs != cases[i].runs)
            fail_msg("\"%s\" on %d.%d: %s", cases[i].built, cases[i].major, cases[i].minor,
                     runs ? "runs" : error.text);
    }
}

static void the_reason_says_what_there_is_and_what_to_do(void **state)
{
    struct error error = {0};
    (void)state;
    assert_int_equal(architecture_check("90a-real;120-virtual", 8, 6, &error), -1);
    assert_int_equal(error.kind, ERROR_UNAVAILABLE);
    assert_string_equal(
        error.text,
        "this build has code for sm_90a, PTX of compute_120; the GPU is sm_86: build again on this "
        "machine (./run does), or with -DCOALESCED_CUDA_ARCHITECTURES=86");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_runs_where_the_rules_let_it),
        cmocka_unit_test(the_reason_says_what_there_is_and_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
