/* A supervisor over fake_executor.c: what test_supervisor.c and test_faults.c have in common. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/devices/supervisor.h"

static char fake[4096], starts_path[64];

struct fixture {
    const char *argv[8];
    struct executor_config config;
    struct executor_callbacks callbacks;
    struct devices *devices;
    struct supervisor *supervisor;
    atomic_int interrupt;
    int descriptors; /* open before the test */
};

static inline int count_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static inline enum interrupt interrupt_of(void *arg)
{
    return (enum interrupt)atomic_load(&((struct fixture *)arg)->interrupt);
}

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->descriptors = count_descriptors();
    f->argv[0] = fake;
    f->argv[1] = "--executor";
    f->config = (struct executor_config){
        .listing = {.own = true, .idle_s = 60, .start_s = 5},
        .command = f->argv,
        .spec = "auto:0",
        .grace_s = 5,
    };
    f->callbacks = (struct executor_callbacks){
        .arg = f,
        .interrupt = interrupt_of,
        .wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
    };
    f->devices = devices_new(1);
    unlink(starts_path);
    *state = f;
    return 0;
}

/* Nothing may be left behind: no process, no descriptor. */
static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    supervisor_free(f->supervisor);
    devices_free(f->devices);
    close(f->callbacks.wake_fd);
    int left = count_descriptors() - f->descriptors;
    bool children = waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
    free(f);
    if (left || children)
        print_error("left behind: %d descriptors%s\n", left, children ? ", a process" : "");
    return left || children ? -1 : 0;
}

/* The fake's behaviour from its start. */
static inline void misbehave(struct fixture *f, const char *mode)
{
    f->argv[2] = "--fake";
    f->argv[3] = mode;
    f->argv[4] = "--starts";
    f->argv[5] = starts_path;
    f->argv[6] = NULL;
}

static inline void begin(struct fixture *f)
{
    assert_int_equal(supervisor_new(&f->supervisor, false, &f->config, &f->callbacks, f->devices, NULL), 0);
}

static inline struct device_status status_of(struct fixture *f)
{
    struct device_status status;
    assert_true(devices_get(f->devices, 0, &status));
    return status;
}

static inline struct executor_outcome run(struct fixture *f, const char *behaviour, double timeout_s)
{
    static int runs;
    char request[256], id[32];
    struct executor_outcome outcome;
    snprintf(request, sizeof request, "{\"kernel\":\"copy\",\"labels\":{\"fake\":\"%s\"}}", behaviour);
    snprintf(id, sizeof id, "01TEST%d", runs++);
    struct buffer frame = protocol_write_run(id, 0, request, NULL);
    const struct executor_question question = {MESSAGE_RESULT, id, &frame, timeout_s, false};
    supervisor_ask(f->supervisor, &question, &outcome);
    buffer_free(&frame);
    return outcome;
}

static inline void runs_well(struct fixture *f)
{
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    struct executor_outcome outcome = run(f, "nothing", 5);
    assert_string_equal(outcome.failure.text, "");
    assert_int_equal(outcome.end, OUTCOME_RESULT);
    assert_non_null(strstr(outcome.answer.result, "\"verified\":true"));
    protocol_message_free(&outcome.answer);
}

static inline void fails(struct fixture *f, const char *behaviour, enum error_kind kind, const char *text)
{
    assert_int_equal(supervisor_start(f->supervisor, true), 0);
    /* What does not end by itself has little time; what does, enough of it on a busy machine. */
    struct executor_outcome outcome = run(f, behaviour, kind == ERROR_TIMED_OUT ? 0.3 : 5);
    assert_int_equal(outcome.end, OUTCOME_FAILED);
    if (outcome.failure.kind != kind || !strstr(outcome.failure.text, text))
        fail_msg("%s: %s, \"%s\"", behaviour, error_kind_name(outcome.failure.kind), outcome.failure.text);
    protocol_message_free(&outcome.answer);
}

static inline double since(int64_t ns)
{
    return (double)(clock_monotonic_ns() - ns) / 1e9;
}

static inline void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Is there nobody in that process group? What only waits to be buried by init does not count. */
static inline bool group_is_gone(pid_t group)
{
    bool gone = true;
    struct dirent *entry;
    DIR *directory = opendir("/proc");
    while (gone && (entry = readdir(directory))) {
        char path[300], state;
        int member;
        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%*d (%*[^)]) %c %*d %d", &state, &member) == 2)
            gone = member != group || state == 'Z';
        if (file)
            fclose(file);
    }
    closedir(directory);
    return gone;
}

#define SUPERVISED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* First thing in main(): the fake stands beside the program. */
static inline void supervised_start(void)
{
    ssize_t length = readlink("/proc/self/exe", fake, sizeof fake - 32);
    assert_true(length > 0);
    strcpy(strrchr(fake, '/'), "/fake_executor");
    snprintf(starts_path, sizeof starts_path, "/tmp/fake-executor-starts-%ld", (long)getpid());
    signal(SIGPIPE, SIG_IGN);
    log_set_level(getenv("TEST_VERBOSE") ? LOG_DEBUG : LOG_ERROR);
}
