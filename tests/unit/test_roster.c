#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "api/json_parts.h"
#include "server/devices/roster.h"

static int check_spec(const char *spec, struct error *error)
{
    return strcmp(spec, "foo") != 0 ? 0 : error_set(error, ERROR_INVALID, "there is no foo");
}

static struct roster_config config_of(const char *devices, const char *lines, const char *command)
{
    return (struct roster_config){.lost_s = 20,
                                  .devices = devices,
                                  .device_lines = lines,
                                  .file = "",
                                  .executor_command = command,
                                  .idle_s = -1,
                                  .hello_s = -1,
                                  .lock_dir = "/locks",
                                  .spec_check = check_spec};
}

static struct roster *read_list(const struct roster_config *config)
{
    struct roster_local local = {.count = 2, .backend = "cuda"}; /* as if it had been asked */
    struct roster *roster;
    struct error error = {0};
    if (roster_read(&roster, config, &local, &error) < 0)
        fail_msg("%s", error.text);
    return roster;
}

static void names_are_made_of_what_there_is(void **state)
{
    (void)state;
    static const struct {
        const char *devices, *lines, *names[6];
    } cases[] = {
        {"auto", "", {"cuda:0", "cuda:1"}},
        {"cpu", "", {"cpu"}},
        {"cpu,cpu cpu", "", {"cpu", "cpu-2", "cpu-3"}},
        {"cuda:1,0", "", {"cuda:1", "device:0"}},
        {"cuda:GPU/7", "", {"cuda:GPU_7"}},
        {"cpu", "far=ssh far\n\nnear=x \n", {"cpu", "far", "near"}},
        {"", "far=ssh far", {"far"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct roster_config config = config_of(cases[i].devices, cases[i].lines, "x");
        struct roster *roster = read_list(&config);
        for (int k = 0; k < roster->count; k++)
            assert_string_equal(roster->entries[k]->listing.name, cases[i].names[k]);
        assert_null(cases[i].names[roster->count]);
        roster_free(roster);
    }
}

/* Our own executor is kept and started soon; another one's may cost an allocation. */
static void what_is_not_said_depends_on_the_command(void **state)
{
    (void)state;
    static const struct {
        const char *command;
        double idle_s, hello_s; /* the options; negative: not given */
        bool release;
        double idle, start, heartbeat;
    } cases[] = {
        {"/proc/self/exe --executor", -1, -1, false, 60, 30, 0},
        {"/proc/self/exe --executor", 7, 8, false, 7, 8, 0},
        {"ssh far coalesced --executor", -1, -1, true, 10, 3600, 5},
        {"ssh far coalesced --executor", 7, 8, true, 7, 8, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct roster_config config = config_of("cpu", "", cases[i].command);
        config.idle_s = cases[i].idle_s;
        config.hello_s = cases[i].hello_s;
        struct roster *roster = read_list(&config);
        const struct executor_config *entry = roster->entries[0];
        const struct device_listing *listing = &entry->listing;
        assert_int_equal(listing->release, cases[i].release);
        assert_int_equal(listing->own, !cases[i].release);
        assert_true(listing->idle_s == cases[i].idle && listing->start_s == cases[i].start);
        assert_true(listing->hold_s == 0);
        assert_true(entry->heartbeat_s == cases[i].heartbeat && entry->lost_s == 20);
        assert_true(!entry->lock_dir == cases[i].release);
        assert_string_equal(entry->spec, "cpu");
        roster_free(roster);
    }
}

static void a_name_or_a_note_needs_no_other_worker_and_all_else_does(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        bool same;
    } cases[] = {
        {"{\"name\": \"a\", \"command\": \"x y\"}", true},
        {"{\"name\": \"b\", \"command\": \"x  y\", \"note\": \"n\"}", true},
        {"{\"name\": \"a\", \"command\": \"x 'y z'\"}", false},
        {"{\"name\": \"a\", \"command\": \"x y\", \"device\": \"cpu\"}", false},
        {"{\"name\": \"a\", \"command\": \"x y\", \"idle\": \"context\"}", false},
        {"{\"name\": \"a\", \"command\": \"x y\", \"idle_s\": 1}", false},
        {"{\"name\": \"a\", \"command\": \"x y\", \"hold_s\": 1}", false},
        {"{\"name\": \"a\", \"command\": \"x y\", \"start_s\": 1}", false},
        {"{\"name\": \"a\", \"command\": \"x y\", \"heartbeat_s\": 1}", false},
        {"{\"name\": \"a\", \"command\": \"x y\", \"lost_s\": 19}", false},
        {"{\"name\": \"a\", \"command\": \"x y\", \"counting\": true}", false},
    };
    char path[] = "/tmp/roster-XXXXXX";
    int fd = mkstemp(path);
    char *first = NULL;
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FILE *file = fopen(path, "we");
        assert_non_null(file);
        fprintf(file, "{\"devices\": [%s]}", cases[i].file);
        fclose(file);
        struct roster_config config = config_of("", "", "x");
        config.file = path;
        struct roster *roster = read_list(&config);
        if (!first)
            first = strdup(roster->entries[0]->config_key);
        assert_int_equal(strcmp(first, roster->entries[0]->config_key) == 0, cases[i].same);
        roster_free(roster);
    }
    free(first);
    remove(path);
}

static void what_is_wrong_with_a_list_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *devices, *lines, *command, *said;
    } cases[] = {
        {"cpu,foo", "", "/proc/self/exe --executor", "no foo"},
        {",", "", "x", "not a word"},
        {"", "", "x", "1 to 128"},
        {"cpu", "cpu=x", "x", "cpu stands twice"},
        {"", "a=x\na=y", "x", "a stands twice"},
        {"", "a='x", "x", "the command of a: a quote is left open"},
        {"cpu", "", "'x", "a quote is left open"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct roster_config config = config_of(cases[i].devices, cases[i].lines, cases[i].command);
        struct roster_local local = {0};
        struct roster *roster;
        struct error error = {0};
        assert_int_equal(roster_read(&roster, &config, &local, &error), -1);
        if (!strstr(error.text, cases[i].said))
            fail_msg("\"%s\" does not say \"%s\"", error.text, cases[i].said);
    }
}

/* The thread that looks at it must not wait for whoever writes into a pipe. */
static void what_is_no_file_is_refused_at_once(void **state)
{
    static const char *const paths[] = {"pipe", ".", "/dev/zero"};
    char directory[] = "/tmp/roster-XXXXXX", pipe[64];
    (void)state;
    assert_non_null(mkdtemp(directory));
    snprintf(pipe, sizeof pipe, "%s/pipe", directory);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct roster_config config = config_of("", "", "x");
        struct roster_local local = {0};
        struct roster *roster;
        struct error error = {0};
        config.file = i ? paths[i] : pipe;
        assert_int_equal(roster_read(&roster, &config, &local, &error), -1);
        if (!strstr(error.text, "no regular file"))
            fail_msg("%s: %s", paths[i], error.text);
    }
    remove(pipe);
    remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_made_of_what_there_is),
        cmocka_unit_test(what_is_not_said_depends_on_the_command),
        cmocka_unit_test(a_name_or_a_note_needs_no_other_worker_and_all_else_does),
        cmocka_unit_test(what_is_wrong_with_a_list_is_told),
        cmocka_unit_test(what_is_no_file_is_refused_at_once),
    };
    json_parts_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
