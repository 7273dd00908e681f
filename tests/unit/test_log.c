#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/log.h"

static void a_message_is_one_line_whatever_is_in_it(void **state)
{
    int ends[2], stderr_kept = dup(STDERR_FILENO);
    char said[2000];
    (void)state;
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    log_error("no %s", "\n2026-01-01T00:00:00.000Z error   a line of somebody's own\x1b[2J\r\x7f\xc3\xa9");
    dup2(stderr_kept, STDERR_FILENO);
    ssize_t size = read(ends[0], said, sizeof said - 1);
    assert_true(size > 0);
    said[size] = '\0';
    assert_ptr_equal(strchr(said, '\n'), said + size - 1);
    assert_non_null(strstr(said, "no  2026"));
    assert_non_null(strstr(said, "own [2J  \xc3\xa9\n"));
    close(ends[0]);
    close(ends[1]);
    close(stderr_kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_message_is_one_line_whatever_is_in_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
