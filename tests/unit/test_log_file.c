/* The file of a log: what rotation leaves, and what is written where the budget is small. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/file.h"
#include "server/http/log_writer.h"
#include "tests/unit/support/scratch.h"

enum { PATH_BYTES = SCRATCH_BYTES + 16 };

static const char
    *not_renamed; /* what rename() refuses, as it does where the file is append-only or a mount point */

int rename(const char *from, const char *to)
{
    if (not_renamed && strcmp(from, not_renamed) == 0) {
        errno = EPERM;
        return -1;
    }
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

struct fixture {
    char folder[SCRATCH_BYTES], path[PATH_BYTES];
    struct log_file file;
};

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static const char *name_of(const struct fixture *f, int number)
{
    static char name[PATH_BYTES + 12];
    snprintf(name, sizeof name, number < 0 ? "%s" : "%s.%d", f->path, number);
    return name;
}

/* Four older files, and one that is full. */
static struct fixture begin(const struct log_limits *limits)
{
    struct fixture f;
    struct error error = {0};
    scratch_make(f.folder);
    snprintf(f.path, sizeof f.path, "%s/log", f.folder);
    put(f.path, "present\n");
    for (int number = 1; number <= 4; number++)
        put(name_of(&f, number), (char[]){(char)('0' + number), '\n', '\0'});
    assert_int_equal(log_file_open(&f.file, f.path, limits, &error), 0);
    return f;
}

static void end(struct fixture *f)
{
    not_renamed = NULL;
    log_file_close(&f->file);
    scratch_remove(f->folder);
}

/* number -1: the file itself; text NULL: there is none. */
static void expect(const struct fixture *f, int number, const char *text)
{
    char *found;
    struct error error = {0};
    if (!text) {
        assert_int_equal(access(name_of(f, number), F_OK), -1);
        return;
    }
    assert_int_equal(file_read(&found, name_of(f, number), "log", 0, 1 << 20, &error), 0);
    assert_string_equal(found, text);
    free(found);
}

static void line_write(struct fixture *f, const char *line)
{
    struct error error = {0};
    assert_int_equal(log_file_write(&f->file, line, strlen(line), &error), strlen(line));
}

static const struct log_limits four = {.bytes = 8, .files = 4};

static void the_oldest_goes(void **state)
{
    (void)state;
    struct fixture f = begin(&four);
    line_write(&f, "new\n");
    expect(&f, -1, "new\n");
    expect(&f, 0, NULL);
    expect(&f, 1, "present\n");
    expect(&f, 2, "1\n");
    expect(&f, 4, "3\n");
    expect(&f, 5, NULL);
    end(&f);
}

static void a_file_that_cannot_be_renamed_costs_no_older_one(void **state)
{
    (void)state;
    struct fixture f = begin(&four);
    not_renamed = f.path;
    for (int i = 0; i < 6; i++)
        line_write(&f, "new\n");
    expect(&f, -1, "present\nnew\nnew\nnew\nnew\nnew\nnew\n");
    for (int number = 1; number <= 4; number++)
        expect(&f, number, (char[]){(char)('0' + number), '\n', '\0'});
    not_renamed = NULL;
    line_write(&f, "last\n");
    expect(&f, -1, "last\n");
    expect(&f, 2, "1\n");
    end(&f);
}

static void an_older_one_that_cannot_be_renamed_leaves_the_file_in_its_place(void **state)
{
    (void)state;
    struct fixture f = begin(&four);
    char second[PATH_BYTES + 12];
    snprintf(second, sizeof second, "%s", name_of(&f, 2));
    not_renamed = second;
    for (int i = 0; i < 3; i++)
        line_write(&f, "new\n");
    expect(&f, -1, "present\nnew\nnew\nnew\n");
    expect(&f, 0, NULL);
    expect(&f, 1, "1\n");
    expect(&f, 2, "2\n");
    end(&f);
}

static void what_a_kill_left_aside_is_kept(void **state)
{
    (void)state;
    struct fixture f = begin(&four);
    put(name_of(&f, 0), "aside\n");
    line_write(&f, "new\n");
    expect(&f, 0, NULL);
    expect(&f, 1, "present\n");
    expect(&f, 2, "aside\n");
    expect(&f, 3, "1\n");
    end(&f);
}

static void a_new_file_has_the_mode_and_the_group_of_the_old_one(void **state)
{
    (void)state;
    struct fixture f = begin(&four);
    struct stat old, new;
    assert_int_equal(chmod(f.path, 0664), 0);
    if (geteuid() == 0)
        assert_int_equal(chown(f.path, (uid_t)-1, 4242), 0);
    assert_int_equal(stat(f.path, &old), 0);
    line_write(&f, "new\n");
    assert_int_equal(stat(f.path, &new), 0);
    assert_int_not_equal(new.st_ino, old.st_ino);
    assert_int_equal(new.st_mode, old.st_mode);
    assert_int_equal(new.st_gid, old.st_gid);
    end(&f);
}

static int64_t nine_bytes(const void *arg, int file)
{
    (void)arg, (void)file;
    return 9;
}

static void what_fits_is_written_as_whole_lines(void **state)
{
    (void)state;
    struct fixture f = begin(&(struct log_limits){.budget = nine_bytes});
    struct error error = {0};
    assert_int_equal(log_file_write(&f.file, "one\ntwo\nthree\n", 14, &error), 8);
    assert_int_equal(error.kind, ERROR_STORAGE);
    assert_int_equal(log_file_write(&f.file, "a long line\n", 12, &error), 0);
    assert_int_equal(log_file_write(&f.file, "four\n", 5, &error), 5);
    expect(&f, -1, "present\none\ntwo\nfour\n");
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oldest_goes),
        cmocka_unit_test(a_file_that_cannot_be_renamed_costs_no_older_one),
        cmocka_unit_test(an_older_one_that_cannot_be_renamed_leaves_the_file_in_its_place),
        cmocka_unit_test(what_a_kill_left_aside_is_kept),
        cmocka_unit_test(a_new_file_has_the_mode_and_the_group_of_the_old_one),
        cmocka_unit_test(what_fits_is_written_as_whole_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
