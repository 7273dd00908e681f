#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/http/log_writer.h"

static void line_write(struct log_writer *log_writer, const char *text, bool memory_ends)
{
    char now[CLOCK_TEXT_BYTES];
    struct buffer *line = log_writer_begin(log_writer, now);
    assert_non_null(line);
    buffer_text(line, text);
    line->failed |= memory_ends;
    log_writer_end(log_writer);
}

static void a_line_without_memory_is_lost_and_no_other(void **state)
{
    char path[] = "/tmp/test_journal.XXXXXX", found[64] = "";
    struct log_writer *log_writer;
    struct error error = {0};
    (void)state;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(log_writer_open(&log_writer, path, NULL, &error), 0);
    line_write(log_writer, "half of the", true); /* the very first */
    line_write(log_writer, "one", false);
    line_write(log_writer, "half of the", true);
    for (int i = 0; i < 3; i++) {
        usleep(120000); /* each is written by itself, from one of the log writer's two buffers */
        line_write(log_writer, "more", false);
    }
    log_writer_close(log_writer);
    assert_true(read(fd, found, sizeof found - 1) > 0);
    assert_string_equal(found, "one\nmore\nmore\nmore\n");
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_without_memory_is_lost_and_no_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
