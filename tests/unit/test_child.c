/* What an executor says beside its answers costs the service little. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "base/clock.h"
#include "server/devices/child.h"

static double processor_s(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static void lines_of_standard_error_cost_what_they_are_long(void **state)
{
    static const char *const argv[] = {"sh", "-c",
                                       "head -c 4000000 /dev/zero | tr '\\0' '\\n' >&2; echo last >&2", NULL};
    struct child *child = NULL;
    struct error error = {0};
    struct protocol_frame frame;
    char said[CHILD_SAID_BYTES];
    (void)state;
    if (child_start(&child, "one", argv, false, &error) < 0)
        fail_msg("%s", error.text);
    double begun_s = processor_s();
    while (child_next(child, -1, clock_monotonic_ns() + INT64_C(60000000000), &frame) != CHILD_ENDED)
        ;
    assert_int_equal(child_end(child, 10), 0);
    double took_s = processor_s() - begun_s;
    child_last_said(child, said);
    assert_non_null(strstr(said, "last"));
    child_free(child);
    if (took_s > 0.7)
        fail_msg("%g s of processor time for 4 MB", took_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lines_of_standard_error_cost_what_they_are_long)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
