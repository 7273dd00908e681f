/* What does not work is left alone for longer each time, and the log hears of each reason once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/devices/supervisor_state.h"

static void the_pause_doubles_to_its_most_and_begins_anew_when_it_works(void **state)
{
    static const double pauses[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300};
    struct backoff backoff = {.most_s = 300, .jitter = true};
    (void)state;
    assert_false(backoff_lasts(&backoff));
    for (size_t i = 0; i < sizeof pauses / sizeof pauses[0]; i++) {
        int64_t before = clock_monotonic_ns();
        backoff_fail(&backoff, "device", "no way");
        assert_true(backoff.pause_s == pauses[i]);
        assert_true(backoff.until_ns - before >= (int64_t)(pauses[i] * 0.75e9));
        assert_true(backoff.until_ns - clock_monotonic_ns() <= (int64_t)(pauses[i] * 1.25e9));
        assert_true(backoff_lasts(&backoff));
    }
    backoff_works(&backoff, "device");
    assert_false(backoff_lasts(&backoff));
    backoff_fail(&backoff, "device", "no way");
    assert_true(backoff.pause_s == 1);
}

/* How many lines of the log the reasons make. */
static int lines_of(const char *const reasons[], int count)
{
    struct backoff backoff = {.most_s = 1};
    FILE *log = tmpfile();
    int kept = dup(STDERR_FILENO), lines = 0;
    assert_non_null(log);
    dup2(fileno(log), STDERR_FILENO);
    for (int i = 0; i < count; i++)
        if (reasons[i])
            backoff_fail(&backoff, "device", reasons[i]);
        else
            backoff_works(&backoff, "device");
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(log);
    for (int c; (c = fgetc(log)) != EOF;)
        lines += c == '\n';
    fclose(log);
    return lines;
}

static void the_log_hears_of_each_change_once(void **state)
{
    static const char *const same[] = {"job 12 refused", "job 13 refused", "job 1400 refused"};
    static const char *const others[] = {"job 12 refused", "no route", "no route", "job 13 refused"};
    static const char *const again[] = {"no route", NULL, "no route", NULL, NULL};
    (void)state;
    assert_int_equal(lines_of(same, 3), 1);
    assert_int_equal(lines_of(others, 4), 3);
    assert_int_equal(lines_of(again, 5), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_pause_doubles_to_its_most_and_begins_anew_when_it_works),
        cmocka_unit_test(the_log_hears_of_each_change_once),
    };
    log_set_level(LOG_INFO);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
