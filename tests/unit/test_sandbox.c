/* A sealed process can do its work and nothing else; how it ends is told; the parent serves on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/sandbox.h"
#include "tests/unit/support/sandbox_attempts.h"
#include "tests/unit/support/sandbox_process.h"

static const double patience_s = 300;
enum { SAID_BYTES = 600 };

/* ---- the sandbox ---- */

static int run_sandbox(void *children)
{
    struct buffer hello = sandbox_protocol_write_hello(&(struct sandbox_hello){.compiler = "none"});
    struct sandbox_kind kinds[SANDBOX_ATTEMPTS_KINDS];
    struct sandbox sandbox = {kinds, SANDBOX_ATTEMPTS_KINDS, *(int *)children, STDIN_FILENO, STDOUT_FILENO};
    struct error error = {0};
    sandbox_attempts_list(kinds);
    if (write(STDOUT_FILENO, hello.data, hello.size) != (ssize_t)hello.size)
        return 1;
    buffer_free(&hello);
    return sandbox_serve(&sandbox, &error) == 0 ? 0 : 1;
}

static struct sandbox_process box;

static int start(void **state)
{
    int children = 2;
    (void)state;
    *sandbox_attempts_shared = (struct sandbox_attempts_shared){0};
    sandbox_process_start(&box, run_sandbox, &children);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    return sandbox_process_stop(&box);
}

/* "answered 17", or "INVALID: text". */
static void ask(const char *kind, const char *request, char said[SAID_BYTES])
{
    struct buffer answer = {0};
    struct error error = {0};
    if (sandbox_client_ask(box.client, kind, request, strlen(request), patience_s, &answer, &error) == 0)
        snprintf(said, SAID_BYTES, "answered %s", answer.data);
    else
        snprintf(said, SAID_BYTES, "%s: %s", error.kind == ERROR_INVALID ? "stopped" : "failed", error.text);
    buffer_free(&answer);
}

static void still_serves(void)
{
    char said[SAID_BYTES];
    ask("echo", "next", said);
    assert_string_equal(said, "answered next");
}

/* ---- tests ---- */

static void an_answer_comes_back_byte_for_byte(void **state)
{
    enum { BYTES = 5 << 20 };
    char *request = malloc(BYTES);
    struct buffer answer = {0};
    (void)state;
    for (int i = 0; i < BYTES; i++)
        request[i] = (char)(i * 2654435761u >> 13);
    assert_int_equal(sandbox_client_ask(box.client, "echo", request, BYTES, patience_s, &answer, NULL), 0);
    assert_int_equal(answer.size, BYTES);
    assert_memory_equal(answer.data, request, BYTES);
    buffer_free(&answer);
    assert_int_equal(sandbox_client_ask(box.client, "echo", "", 0, patience_s, &answer, NULL), 0);
    assert_int_equal(answer.size, 0);
    buffer_free(&answer);
    free(request);
}

static void every_end_is_told_and_the_next_request_is_served(void **state)
{
    static const struct {
        const char *kind, *request, *said;
    } rows[] = {
        {"open_file", "", "answered -13 "}, /* EACCES */
        {"look_at_file", "", "answered -13 "},
        {"make_code", "", "answered -13 "},
        {"raise_limit", "", "answered -13 "},
        {"limit_parent", "", "answered -13 "},
        {"count_descriptors", "", "answered 1 "}, /* the pipe */
        {"connect_out", "", "stopped: the work was stopped: it tried to open a connection"},
        {"start_process", "", "stopped: the work was stopped: it tried to start a process"},
        {"run_program", "", "stopped: the work was stopped: it tried to start a process"},
        {"signal_parent", "", "stopped: the work was stopped: it tried to signal a process"},
        {"signal_parent_thread", "", "answered -13 "},
        {"trace_parent", "", "stopped: the work was stopped: it tried to look into a process"},
        {"crash", "", "stopped: the work crashed (Segmentation fault)"},
        {"call_deeply", "", "stopped: the work needed too much stack: what was sent is nested too deeply"},
        {"give_up", "", "stopped: the work crashed (Aborted)"},
        {"spin", "", "stopped: the work took more than 1 s of processor time"},
        {"close_and_spin", "", "stopped: the work took more than 1 s of processor time"},
        {"wait_for_ever", "", "stopped: the work took more than 0.5 s"},
        {"eat_memory", "", "stopped: the work needed more than 512 MB of memory"},
        {"flood", "", "stopped: the work answered with more than 32 MB"},
        {"fail_so", "1" /* ERROR_INVALID */, "stopped: line 7 is at fault"},
        {"fail_so", "6" /* ERROR_MEMORY */, "stopped: the work needed more than 512 MB of memory"},
        {"fail_so", "7" /* ERROR_SYSTEM */, "failed: line 7 is at fault"},
        {"unheard_of", "", "failed: the sandbox does not do this kind of work"},
    };
    _Static_assert(ERROR_INVALID == 1 && ERROR_MEMORY == 6 && ERROR_SYSTEM == 7, "the numbers above");
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char said[SAID_BYTES];
        ask(rows[i].kind, rows[i].request, said);
        if (strcmp(said, rows[i].said) != 0)
            fail_msg("%s: \"%s\" is not \"%s\"", rows[i].kind, said, rows[i].said);
        still_serves();
    }
}

static void many_requests_leave_nothing_behind(void **state)
{
    static const char *const turns[] = {"echo", "crash", "connect_out", "open_file", "fail_so"};
    char said[SAID_BYTES];
    (void)state;
    for (int i = 0; i < 10; i++)
        ask(turns[i % 5], "warm", said);
    sandbox_process_rest(box.pid);
    int descriptors = sandbox_process_descriptors(box.pid);
    long kib = sandbox_process_memory(box.pid);
    for (int i = 0; i < 200; i++)
        ask(turns[i % 5], "more", said);
    sandbox_process_rest(box.pid);
    assert_int_equal(sandbox_process_descriptors(box.pid), descriptors);
    long more = sandbox_process_memory(box.pid) - kib;
    if (more > 200) /* less than a KiB a request */
        fail_msg("%ld KiB more after 200 requests", more);
}

/* One has warmed up before each request but the first, and one waits for the next. */
static void a_process_is_ready_before_its_request_is_there(void **state)
{
    (void)state;
    for (int asked = 1; asked <= 5; asked++) {
        still_serves();
        for (int i = 0; atomic_load(&sandbox_attempts_shared->warm) < asked && i < 30000; i++)
            usleep(1000);
        assert_int_equal(atomic_load(&sandbox_attempts_shared->warm), asked);
    }
}

static void *ask_often(void *arg)
{
    for (int i = 0; i < 10; i++) {
        char request[32], said[SAID_BYTES], wanted[64];
        snprintf(request, sizeof request, "%d of %d", i, *(int *)arg);
        snprintf(wanted, sizeof wanted, "answered 1 %s", request);
        ask("meet", request, said);
        if (strcmp(said, wanted) != 0)
            return "another one's answer";
    }
    return NULL;
}

static void threads_get_their_own_answers_and_no_more_than_two_work_at_a_time(void **state)
{
    enum { THREADS = 6 };
    pthread_t threads[THREADS];
    int numbers[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *wrong;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_in_range(atomic_load(&sandbox_attempts_shared->most), 1, 2);
}

static void *ask_hold(void *arg)
{
    ask("hold", "", arg);
    return NULL;
}

static void one_that_takes_long_does_not_hold_up_another(void **state)
{
    pthread_t thread;
    char said[SAID_BYTES] = "";
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, ask_hold, said), 0);
    while (!atomic_load(&sandbox_attempts_shared->begun))
        sched_yield();
    for (int i = 0; i < 5; i++)
        still_serves();
    atomic_store(&sandbox_attempts_shared->release, true);
    pthread_join(thread, NULL);
    assert_string_equal(said, "answered 1 ");
}

/* Waits until that process is gone, or is a zombie. */
static bool is_gone(pid_t pid)
{
    for (int i = 0; i < 30000; i++) {
        char path[64], line[256] = "", state = 'Z';
        snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
        FILE *file = fopen(path, "re");
        if (!file)
            return true;
        if (fgets(line, sizeof line, file) && strrchr(line, ')'))
            state = strrchr(line, ')')[2];
        fclose(file);
        if (state == 'Z')
            return true;
        usleep(1000);
    }
    return false;
}

static void a_late_answer_is_nobodys_and_the_end_of_the_input_ends_everything(void **state)
{
    struct buffer answer = {0};
    struct error error = {0};
    (void)state;
    assert_int_equal(sandbox_client_ask(box.client, "hold", "", 0, 0.2, &answer, &error), -1);
    assert_int_equal(error.kind, ERROR_TIMED_OUT);
    still_serves();
    while (!atomic_load(&sandbox_attempts_shared->begun))
        sched_yield();
    pid_t worker = atomic_load(&sandbox_attempts_shared->pid);
    assert_int_equal(sandbox_process_stop(&box), 0);
    assert_true(is_gone(worker));
    start(NULL);
}

static void what_works_dies_with_a_parent_that_was_killed(void **state)
{
    struct buffer answer = {0};
    struct error error = {0};
    (void)state;
    assert_int_equal(sandbox_client_ask(box.client, "hold", "", 0, 0.2, &answer, &error), -1);
    while (!atomic_load(&sandbox_attempts_shared->begun))
        sched_yield();
    kill(box.pid, SIGKILL);
    assert_true(is_gone(atomic_load(&sandbox_attempts_shared->pid)));
    error_clear(&error);
    assert_int_equal(sandbox_client_ask(box.client, "echo", "x", 1, patience_s, &answer, &error), -1);
    assert_int_equal(error.kind, ERROR_UNAVAILABLE);
    assert_int_equal(WTERMSIG(sandbox_process_stop(&box)), SIGKILL);
    start(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_answer_comes_back_byte_for_byte, start, stop),
        cmocka_unit_test_setup_teardown(every_end_is_told_and_the_next_request_is_served, start, stop),
        cmocka_unit_test_setup_teardown(many_requests_leave_nothing_behind, start, stop),
        cmocka_unit_test_setup_teardown(a_process_is_ready_before_its_request_is_there, start, stop),
        cmocka_unit_test_setup_teardown(threads_get_their_own_answers_and_no_more_than_two_work_at_a_time,
                                        start, stop),
        cmocka_unit_test_setup_teardown(one_that_takes_long_does_not_hold_up_another, start, stop),
        cmocka_unit_test_setup_teardown(a_late_answer_is_nobodys_and_the_end_of_the_input_ends_everything,
                                        start, stop),
        cmocka_unit_test_setup_teardown(what_works_dies_with_a_parent_that_was_killed, start, stop),
    };
    sandbox_attempts_shared = mmap(NULL, sizeof *sandbox_attempts_shared, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
