/* The real executor on the CPU device, spoken to over its pipes. This program is it, when called with
   --executor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "api/protocol.h"
#include "base/clock.h"
#include "executor/executor.h"
#include "server/devices/child.h"
#include "tests/unit/support/scratch.h"

enum { WITHIN_S = 60 };

/* Ten thousand samples of some milliseconds each: takes long enough to be caught in the middle of. */
#define LONG_RUN                                                                                             \
    "{\"kernel\":\"copy\",\"size\":4194304,"                                                                 \
    "\"measure\":{\"min_samples\":10000,\"noise\":1e-6,\"max_seconds\":300},\"timeout_s\":"

struct fixture {
    char directory[SCRATCH_BYTES];
    struct child *child, *second;
    const char *flag; /* one more; NULL: none */
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    scratch_make(f->directory);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    struct child *const children[] = {f->child, f->second};
    for (int i = 0; i < 2; i++) {
        if (children[i])
            child_end(children[i], 0);
        child_free(children[i]);
    }
    scratch_remove(f->directory);
    free(f);
    return 0;
}

static struct child *start(struct fixture *f, const char *spec)
{
    const char *const argv[] = {"/proc/self/exe", "--executor", "--device", spec,
                                "--lock-dir",     f->directory, f->flag,    NULL};
    struct child *child = NULL;
    assert_int_equal(child_start(&child, "test", argv, false, NULL), 0);
    return child;
}

/* What comes next; its line, when it is one, in *message, to be freed. */
static enum child_event next(struct child *child, double within_s, struct message *message)
{
    struct protocol_frame frame;
    struct error error = {0};
    enum child_event event = child_next(child, -1, clock_monotonic_ns() + (int64_t)(within_s * 1e9), &frame);
    if (event == CHILD_FRAME && protocol_parse(message, &frame, &error) < 0)
        fail_msg("%s in: %.*s", error.text, (int)frame.header_bytes, frame.header);
    return event;
}

/* The next message that is no progress; to be freed. */
static struct message answer(struct child *child)
{
    struct message message;
    do {
        enum child_event event = next(child, WITHIN_S, &message);
        if (event != CHILD_FRAME)
            fail_msg("no line but event %d", (int)event);
    } while (message.type == MESSAGE_PROGRESS);
    return message;
}

static void greet(struct child *child)
{
    struct message hello = answer(child);
    assert_int_equal(hello.type, MESSAGE_HELLO);
    protocol_message_free(&hello);
}

static void ask(struct child *child, const char *id, const char *request)
{
    struct buffer frame = protocol_write_run(id, 0, request, NULL);
    assert_int_equal(child_send(child, &frame), 0);
    buffer_free(&frame);
}

static void wait_for_phase(struct child *child, const char *phase)
{
    struct message message;
    do
        assert_int_equal(next(child, WITHIN_S, &message), CHILD_FRAME);
    while (strcmp(message.phase, phase) != 0);
}

static void it_says_hello_with_its_devices_facts(void **state)
{
    struct fixture *f = *state;
    f->child = start(f, "cpu");
    struct message hello = answer(f->child);
    assert_int_equal(hello.type, MESSAGE_HELLO);
    assert_int_equal(hello.devices, 1);
    assert_string_equal(hello.facts.backend, "cpu");
    assert_true(hello.facts.memory_bytes > 0);
    protocol_message_free(&hello);
}

static void it_runs_and_verifies_one_experiment_after_the_other(void **state)
{
    struct fixture *f = *state;
    f->child = start(f, "cpu");
    greet(f->child);
    for (int i = 0; i < 3; i++) {
        char id[16];
        snprintf(id, sizeof id, "run-%d", i);
        ask(f->child, id,
            "{\"kernel\":\"copy\",\"size\":65536,\"measure\":{\"min_samples\":1,\"max_seconds\":0.05}}");
        struct message result = answer(f->child);
        if (result.type != MESSAGE_RESULT)
            fail_msg("%s", result.failure.text);
        assert_string_equal(result.id, id);
        assert_true(result.verified);
        assert_non_null(strstr(result.result, "\"timing\":"));
        protocol_message_free(&result);
    }
}

static void it_tells_when_it_opens_its_context_and_only_once(void **state)
{
    static const char *const phases[] = {"open", "prepare"};
    struct fixture *f = *state;
    f->child = start(f, "cpu");
    greet(f->child);
    for (int i = 0; i < 2; i++) {
        struct message message;
        ask(f->child, "1",
            "{\"kernel\":\"copy\",\"size\":1024,\"measure\":{\"min_samples\":1,\"max_seconds\":0.05}}");
        assert_int_equal(next(f->child, WITHIN_S, &message), CHILD_FRAME);
        assert_string_equal(message.phase, phases[i]);
        message = answer(f->child);
        protocol_message_free(&message);
    }
}

static void a_request_that_cannot_run_is_refused_by_its_field(void **state)
{
    struct fixture *f = *state;
    f->child = start(f, "cpu");
    greet(f->child);
    ask(f->child, "1", "{\"kernel\":\"copy\",\"block\":100000}");
    struct message refusal = answer(f->child);
    assert_int_equal(refusal.type, MESSAGE_ERROR);
    assert_int_equal(refusal.failure.kind, ERROR_INVALID);
    assert_non_null(strstr(refusal.failure.text, "#/block"));
    protocol_message_free(&refusal);
}

/* It leaves by itself: no signal of ours is in its end. */
static void leaves(struct child *child, double within_s)
{
    struct child_exit how;
    int64_t start = clock_monotonic_ns();
    assert_int_equal(child_end(child, within_s), 0);
    assert_true((double)(clock_monotonic_ns() - start) < within_s * 1e9);
    child_exit(child, &how);
    assert_memory_equal(how.text, "exit status 0", 13);
}

static void it_ends_when_its_input_closes(void **state)
{
    struct fixture *f = *state;
    f->child = start(f, "cpu");
    greet(f->child);
    leaves(f->child, 5);
}

static void it_ends_when_its_input_closes_in_the_middle_of_a_run(void **state)
{
    struct fixture *f = *state;
    f->child = start(f, "cpu");
    greet(f->child);
    ask(f->child, "1", LONG_RUN "600}");
    wait_for_phase(f->child, "cold");
    leaves(f->child, 5);
}

static void it_ends_at_its_own_deadline(void **state)
{
    struct fixture *f = *state;
    struct child_exit how;
    struct message message;
    enum child_event event;
    f->child = start(f, "cpu");
    greet(f->child);
    ask(f->child, "1", LONG_RUN "0.1}");
    while ((event = next(f->child, WITHIN_S, &message)) == CHILD_FRAME)
        assert_int_equal(message.type, MESSAGE_PROGRESS);
    assert_int_equal(event, CHILD_ENDED);
    assert_int_equal(child_end(f->child, 1), 0);
    child_exit(f->child, &how);
    assert_non_null(strstr(how.text, "exit status 3"));
    assert_non_null(strstr(how.text, "past its own deadline"));
}

static void it_waits_until_the_old_executor_is_gone(void **state)
{
    struct fixture *f = *state;
    struct message message;
    f->child = start(f, "cpu");
    greet(f->child);
    f->second = start(f, "cpu");
    assert_int_equal(next(f->second, 0.5, &message), CHILD_QUIET);
    assert_int_equal(kill(child_pid(f->child), SIGKILL), 0);
    greet(f->second);
}

static void one_that_counts_does_not_wait_for_one_that_times(void **state)
{
    struct fixture *f = *state;
    struct message message;
    f->child = start(f, "cpu");
    greet(f->child);
    f->flag = "--counting";
    f->second = start(f, "cpu");
    greet(f->second);
    struct child *third = start(f, "cpu");
    enum child_event event = next(third, 0.5, &message);
    child_end(third, 0);
    child_free(third);
    assert_int_equal(event, CHILD_QUIET);
}

/* Started by a service on another machine, whose directories are not here. */
static void without_a_directory_it_locks_in_one_of_its_own(void **state)
{
    struct fixture *f = *state;
    char lock[SCRATCH_BYTES + 32];
    const char *const argv[] = {"/proc/self/exe", "--executor", "--device", "cpu", NULL};
    setenv("XDG_RUNTIME_DIR", f->directory, 1);
    assert_int_equal(child_start(&f->child, "test", argv, false, NULL), 0);
    greet(f->child);
    snprintf(lock, sizeof lock, "%s/coalesced-locks", f->directory);
    assert_int_equal(access(lock, W_OK), 0);
    assert_int_equal(child_start(&f->second, "test", argv, false, NULL), 0);
    struct message message;
    assert_int_equal(next(f->second, 0.5, &message), CHILD_QUIET);
    unsetenv("XDG_RUNTIME_DIR");
}

/* The CPU has no counters: the reason comes back in place of each. */
static void it_counts_what_it_is_asked_for(void **state)
{
    struct fixture *f = *state;
    char *request = "{\"kernel\":\"copy\",\"size\":1024,\"counters\":true}";
    struct ahead experiments = {2, {{"1", request}, {"2", request}}};
    f->flag = "--counting";
    f->child = start(f, "cpu");
    greet(f->child);
    for (int i = 0; i < 2; i++) {
        struct buffer frame = protocol_write_count(&experiments, 0, 5);
        assert_int_equal(child_send(f->child, &frame), 0);
        buffer_free(&frame);
        struct message counts = answer(f->child);
        if (counts.type != MESSAGE_COUNTS)
            fail_msg("%s", counts.failure.text);
        assert_string_equal(counts.id, "1");
        assert_non_null(strstr(counts.counts.at[0].counters, "no hardware counters"));
        protocol_message_free(&counts);
    }
}

static void a_device_in_use_is_named_with_its_holder(void **state)
{
    struct fixture *f = *state;
    struct child_exit how;
    char holder[32];
    struct message message;
    f->child = start(f, "cpu");
    greet(f->child);
    snprintf(holder, sizeof holder, "process %ld", (long)child_pid(f->child));
    f->second = start(f, "cpu");
    assert_int_equal(next(f->second, 30, &message), CHILD_ENDED);
    assert_int_equal(child_end(f->second, 1), 0);
    child_exit(f->second, &how);
    assert_non_null(strstr(how.text, "exit status 1"));
    assert_non_null(strstr(how.text, holder));
}

static void a_device_that_is_not_there_is_named(void **state)
{
    struct fixture *f = *state;
    struct child_exit how;
    struct message message;
    f->child = start(f, "abacus:7");
    assert_int_equal(next(f->child, WITHIN_S, &message), CHILD_ENDED);
    assert_int_equal(child_end(f->child, 1), 0);
    child_exit(f->child, &how);
    assert_non_null(strstr(how.text, "abacus:7"));
}

/* Locks of a run, each with a request that needs it. */
static const struct {
    const char *name, *request;
} locks[] = {
    {".run", "{\"kernel\":\"copy\",\"size\":1024,\"measure\":{\"min_samples\":1,\"max_seconds\":0.05},"
             "\"timeout_s\":0.2}"},
    {"host-link",
     "{\"kernel\":\"zero_copy\",\"size\":1024,\"measure\":{\"min_samples\":1,\"max_seconds\":0.05}}"},
};

static int lock_hold(const struct fixture *f, const char *name, const char *uuid)
{
    char path[SCRATCH_BYTES + 128];
    snprintf(path, sizeof path, "%s/%s%s.lock", f->directory, name[0] == '.' ? uuid : "", name);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    return fd;
}

static void it_waits_for_a_lock_and_says_so_once(void **state)
{
    struct fixture *f = *state;
    f->child = start(f, "cpu");
    struct message hello = answer(f->child), message;
    for (size_t i = 0; i < sizeof locks / sizeof *locks; i++) {
        int fd = lock_hold(f, locks[i].name, hello.facts.uuid);
        ask(f->child, "1", locks[i].request);
        wait_for_phase(f->child, PROTOCOL_PHASE_LOCKED);
        assert_int_equal(next(f->child, 0.4, &message),
                         CHILD_QUIET); /* past its timeout_s, which stands still */
        close(fd);
        message = answer(f->child);
        assert_int_equal(message.type, MESSAGE_RESULT);
        protocol_message_free(&message);
    }
    protocol_message_free(&hello);
}

/* Two services with the same directory have an executor each: here one that counts and one that times,
   which do not know of each other. */
static void two_executors_in_one_directory_run_one_after_the_other(void **state)
{
    struct fixture *f = *state;
    f->child = start(f, "cpu");
    greet(f->child);
    f->flag = "--counting";
    f->second = start(f, "cpu");
    greet(f->second);
    ask(f->child, "1", LONG_RUN "600}");
    wait_for_phase(f->child, "cold");
    ask(f->second, "2", locks[0].request);
    wait_for_phase(f->second, PROTOCOL_PHASE_LOCKED);
    assert_int_equal(kill(child_pid(f->child), SIGKILL), 0); /* however it ends, its lock is free */
    struct message result = answer(f->second);
    assert_int_equal(result.type, MESSAGE_RESULT);
    protocol_message_free(&result);
}

static void an_experiment_of_two_gpus_is_refused_by_a_cpu(void **state)
{
    struct fixture *f = *state;
    f->child = start(f, "cpu");
    greet(f->child);
    ask(f->child, "1", "{\"kernel\":\"peer_copy\",\"size\":1024}");
    struct message refusal = answer(f->child);
    assert_int_equal(refusal.failure.kind, ERROR_INVALID);
    assert_non_null(strstr(refusal.failure.text, "two GPUs"));
    protocol_message_free(&refusal);
}

static void rubbish_from_the_server_ends_it(void **state)
{
    struct fixture *f = *state;
    struct message message;
    struct child_exit how;
    f->child = start(f, "cpu");
    greet(f->child);
    assert_int_equal(child_send(f->child, &(struct buffer){.data = "GET / HTTP/1.1\n", .size = 15}), 0);
    assert_int_equal(next(f->child, WITHIN_S, &message), CHILD_ENDED);
    assert_int_equal(child_end(f->child, 1), 0);
    child_exit(f->child, &how);
    assert_non_null(strstr(how.text, "exit status 4"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        TEST(it_says_hello_with_its_devices_facts),
        TEST(it_runs_and_verifies_one_experiment_after_the_other),
        TEST(it_tells_when_it_opens_its_context_and_only_once),
        TEST(a_request_that_cannot_run_is_refused_by_its_field),
        TEST(it_ends_when_its_input_closes),
        TEST(it_ends_when_its_input_closes_in_the_middle_of_a_run),
        TEST(it_ends_at_its_own_deadline),
        TEST(it_waits_until_the_old_executor_is_gone),
        TEST(one_that_counts_does_not_wait_for_one_that_times),
        TEST(without_a_directory_it_locks_in_one_of_its_own),
        TEST(it_counts_what_it_is_asked_for),
        TEST(a_device_in_use_is_named_with_its_holder),
        TEST(a_device_that_is_not_there_is_named),
        TEST(it_waits_for_a_lock_and_says_so_once),
        TEST(two_executors_in_one_directory_run_one_after_the_other),
        TEST(an_experiment_of_two_gpus_is_refused_by_a_cpu),
        TEST(rubbish_from_the_server_ends_it),
    };
    if (argc > 1 && strcmp(argv[1], "--executor") == 0)
        return executor_main(argc, argv);
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
