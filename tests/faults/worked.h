/* A worker with its real queue and store, over fake_executor.c: what test_worker.c and test_sibling.c have
   in common. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "server/devices/supervisor.h"
#include "server/devices/worker.h"
#include "tests/unit/support/service.h"

enum { WITHIN_S = 20 };

struct fixture {
    struct service service;
    struct devices *devices;
    struct worker *worker;
    struct executor_config config;
    struct worker_callbacks callbacks;
    const char *argv[12];
    char starts[SCRATCH_BYTES + 16], work_log[SCRATCH_BYTES + 16];
    /* The first end that is told of keeps the store's writer busy until somebody posts. */
    atomic_bool hold;
    sem_t held, release;
};

static char fake[4096];

static inline void on_change(void *arg, const char *id, enum job_state state)
{
    struct fixture *f = arg;
    (void)id;
    if (job_state_ended(state) && atomic_exchange(&f->hold, false)) {
        sem_post(&f->held);
        sem_wait(&f->release);
    }
}

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    service_init(&f->service, NULL);
    f->service.config.devices = 1;
    f->service.config.changed = on_change;
    f->service.config.changed_arg = f;
    sem_init(&f->held, 0, 0);
    sem_init(&f->release, 0, 0);
    f->devices = devices_new(1);
    f->argv[0] = fake;
    f->argv[1] = "--executor";
    f->argv[2] = "--work-log";
    f->argv[3] = f->work_log;
    f->config = (struct executor_config){.listing = {.own = true, .idle_s = 60, .start_s = 5},
                                         .command = f->argv,
                                         .spec = "auto:0",
                                         .lock_dir = f->service.directory,
                                         .grace_s = 5};
    snprintf(f->work_log, sizeof f->work_log, "%s/work_log", f->service.directory);
    snprintf(f->starts, sizeof f->starts, "%s/starts", f->service.directory);
    *state = f;
    return 0;
}

static inline void stop_worker(struct fixture *f)
{
    if (!f->worker)
        return;
    queue_stop(f->service.queue);
    worker_stop(f->worker);
    f->worker = NULL;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    stop_worker(f);
    service_end(&f->service);
    devices_free(f->devices);
    sem_destroy(&f->held);
    sem_destroy(&f->release);
    free(f);
    return 0;
}

static inline void begin(struct fixture *f)
{
    struct error error = {0};
    service_start(&f->service);
    if (worker_start(&f->worker, &f->config, &f->callbacks, f->service.queue, f->devices, &error) < 0)
        fail_msg("%s", error.text);
}

/* The fake's behaviour from its start. */
static inline void misbehave(struct fixture *f, const char *mode)
{
    f->argv[4] = "--fake";
    f->argv[5] = mode;
    f->argv[6] = "--starts";
    f->argv[7] = f->starts;
}

static inline void submit(struct fixture *f, const char *behaviour, double timeout_s, char id[ID_BYTES])
{
    char request[128];
    struct plain submission = service_request(0, 0);
    snprintf(request, sizeof request, "{\"kernel\":\"copy\",\"labels\":{\"fake\":\"%s\"}}", behaviour);
    submission.request = request;
    submission.timeout_s = timeout_s;
    struct submitted submitted = service_submit(&f->service, &submission);
    if (submitted.outcome != SUBMITTED_NEW)
        fail_msg("not queued: %s", submitted.error.text);
    memcpy(id, submitted.id, ID_BYTES);
}

static inline void pause_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* The job, once it is in that state; to be freed. */
static inline struct job *wait_for(struct fixture *f, const char *id, enum job_state wanted)
{
    int64_t until = clock_monotonic_ns() + WITHIN_S * INT64_C(1000000000);
    for (;;) {
        struct job *job = service_get(&f->service, id);
        if (job->state == wanted)
            return job;
        if (job_state_ended(job->state) || clock_monotonic_ns() > until)
            fail_msg("%s instead of %s: %s", job_state_name(job->state), job_state_name(wanted),
                     job->failure.text);
        job_free(job);
        pause_ms(5);
    }
}

static inline void succeeds(struct fixture *f, const char *id)
{
    struct job *job = wait_for(f, id, JOB_SUCCEEDED);
    assert_int_equal(job->attempt, 1);
    assert_int_equal(job->failure.kind, ERROR_NONE);
    assert_non_null(strstr(job->result, "\"verified\":true"));
    job_free(job);
}

static inline void fails(struct fixture *f, const char *id, enum error_kind kind, const char *text)
{
    struct job *job = wait_for(f, id, JOB_FAILED);
    assert_int_equal(job->attempt, 1);
    if (job->failure.kind != kind || !strstr(job->failure.text, text))
        fail_msg("%s: %s", error_kind_name(job->failure.kind), job->failure.text);
    job_free(job);
}

static inline struct device_status wait_for_health(struct fixture *f)
{
    struct device_status status;
    for (int tries = 0; tries < 1000; tries++, pause_ms(5)) {
        assert_true(devices_get(f->devices, 0, &status));
        if (status.healthy)
            return status;
    }
    fail_msg("the device stayed unhealthy: %s", status.reason);
    return status;
}

#define WORKED(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* First thing in main(): the fake stands beside the program. */
static inline void worked_start(void)
{
    ssize_t length = readlink("/proc/self/exe", fake, sizeof fake - 32);
    assert_true(length > 0);
    strcpy(strrchr(fake, '/'), "/fake_executor");
    log_set_level(getenv("TEST_VERBOSE") ? LOG_DEBUG : LOG_ERROR);
}
