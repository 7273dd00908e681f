#include "tests/unit/support/service.h"

#include "api/sweep.h"

#include <semaphore.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "server/store/write.h"

void service_init(struct service *service, const char *vfs)
{
    *service = (struct service){.vfs = vfs, .config = {.devices = 2, .limit = 100, .attempts = 3}};
    scratch_make(service->directory);
}

void service_start(struct service *service)
{
    struct error error = {0};
    if (store_open(&service->store, service->directory, service->vfs, &error) < 0 ||
        queue_open(&service->queue, service->store, &service->config, &error) < 0)
        fail_msg("%s", error.text);
}

void service_stop(struct service *service)
{
    queue_close(service->queue);
    store_close(service->store);
    service->queue = NULL;
    service->store = NULL;
}

void service_end(struct service *service)
{
    service_stop(service);
    scratch_remove(service->directory);
}

int service_setup(void **state)
{
    struct service *service = calloc(1, sizeof *service);
    service_init(service, NULL);
    service_start(service);
    *state = service;
    return 0;
}

int service_teardown(void **state)
{
    service_end(*state);
    free(*state);
    return 0;
}

struct plain service_request(int device, int priority)
{
    return (struct plain){
        .device = device, .priority = priority, .timeout_s = 60, .request = "{\"kernel\": \"read_offset\"}"};
}

struct answer {
    sem_t came;
    struct submitted submitted;
    struct error failed;
};

static void answer_submitted(void *arg, const struct submitted *submitted)
{
    struct answer *answer = arg;
    answer->submitted = *submitted;
    sem_post(&answer->came);
}

static void answer_cancelled(void *arg, const struct error *failed)
{
    struct answer *answer = arg;
    if (failed)
        answer->failed = *failed;
    sem_post(&answer->came);
}

struct submitted service_submit_sweep(struct service *service, const struct queue_submission *submission)
{
    struct answer answer = {.submitted = {.outcome = SUBMITTED_FAILED}};
    sem_init(&answer.came, 0, 0);
    if (queue_submit(service->queue, submission, answer_submitted, &answer, &answer.submitted.error) == 0)
        sem_wait(&answer.came);
    sem_destroy(&answer.came);
    return answer.submitted;
}

struct submitted service_submit(struct service *service, const struct plain *plain)
{
    struct sweep_experiment run = {.kernel = "read_offset",
                                   .devices = device_set_of(plain->device),
                                   .priority = plain->priority,
                                   .timeout_s = plain->timeout_s,
                                   .request = plain->request};
    struct sweep alone = {.experiments = &run, .experiment_count = 1, .rounds = 1};
    struct queue_submission submission = {.sweep = &alone,
                                          .owner = plain->owner,
                                          .idempotency_key = plain->idempotency_key,
                                          .fingerprint = plain->fingerprint};
    return service_submit_sweep(service, &submission);
}

void service_sweep(struct service *service, const char *const requests[], int count, double timeout_s,
                   char id[ID_BYTES])
{
    struct sweep_experiment runs[64];
    struct sweep_point points[64];
    assert_in_range(count, 1, 64);
    for (int i = 0; i < count; i++) {
        runs[i] = (struct sweep_experiment){.kernel = "copy",
                                            .devices = device_set_of(0),
                                            .timeout_s = timeout_s,
                                            .request = requests[i],
                                            .points = 1};
        points[i] = (struct sweep_point){.experiment = i, .values = "{}"};
    }
    struct sweep sweep = {
        .experiments = runs, .experiment_count = count, .rounds = 1, .points = points, .point_count = count};
    struct submitted submitted = service_submit_sweep(
        service, &(struct queue_submission){.sweep = &sweep, .request = "{}", .fingerprint = ""});
    if (submitted.outcome != SUBMITTED_NEW)
        fail_msg("not queued: %s", submitted.error.text);
    memcpy(id, submitted.id, ID_BYTES);
}

struct submitted service_submit_unbound(struct service *service, const struct unbound_plain *unbound)
{
    struct sweep_experiment runs[64];
    struct sweep_point points[64];
    int count = unbound->count ? unbound->count : 1;
    assert_in_range(count, 1, 64);
    for (int i = 0; i < count; i++) {
        runs[i] = (struct sweep_experiment){.kernel = "copy",
                                            .devices = unbound->devices,
                                            .open = unbound->open,
                                            .priority = unbound->priority,
                                            .timeout_s = 60,
                                            .request = unbound->request ? unbound->request : "{}",
                                            .points = 1};
        points[i] = (struct sweep_point){.experiment = i, .values = "{}"};
    }
    const struct sweep sweep = {.experiments = runs,
                                .experiment_count = count,
                                .rounds = 1,
                                .points = points,
                                .point_count = count,
                                .spread = unbound->spread};
    struct submitted submitted =
        service_submit_sweep(service, &(struct queue_submission){.sweep = &sweep,
                                                                 .owner = unbound->owner,
                                                                 .request = unbound->count ? "{}" : NULL,
                                                                 .fingerprint = ""});
    if (submitted.outcome != SUBMITTED_NEW)
        fail_msg("not queued: %s", submitted.error.text);
    return submitted;
}

void service_queue(struct service *service, int device, int priority, char id[ID_BYTES])
{
    struct plain plain = service_request(device, priority);
    struct submitted submitted = service_submit(service, &plain);
    if (submitted.outcome != SUBMITTED_NEW)
        fail_msg("not queued: %s", submitted.error.text);
    memcpy(id, submitted.id, ID_BYTES);
}

int service_cancel(struct service *service, const char *id, struct error *error)
{
    struct answer answer = {0};
    sem_init(&answer.came, 0, 0);
    int status = queue_cancel(service->queue, id, "", answer_cancelled, &answer, error);
    if (status == 0)
        sem_wait(&answer.came);
    sem_destroy(&answer.came);
    if (answer.failed.kind != ERROR_NONE)
        status = error_set(error, answer.failed.kind, "%s", answer.failed.text);
    return status;
}

struct write_wait {
    struct store_write write; /* first: a write is cast to it */
    sem_t done;
    struct error failed;
};

static void write_done(struct store_write *write, const struct error *failed)
{
    struct write_wait *wait = (struct write_wait *)write;
    wait->failed = failed ? *failed : (struct error){0};
    sem_post(&wait->done);
}

static void write_commit(struct service *service, struct write_wait *wait)
{
    store_hand_over(service->store, &wait->write);
    while (sem_wait(&wait->done) < 0)
        ;
    assert_string_equal(wait->failed.text, "");
}

void service_remove(struct service *service, bool sweep, const char *id, bool deleted)
{
    struct store_mark mark = {.sweep = sweep, .now_ms = 1, .until_ms = 1};
    struct store_removal removal = {.now_ms = 1};
    struct write_wait wait = {.write = {.done = write_done, .mark = &mark}};
    sem_init(&wait.done, 0, 0);
    memcpy(mark.id, id, ID_BYTES);
    write_commit(service, &wait);
    wait.write = (struct store_write){.done = write_done, .removal = &removal};
    while (deleted) {
        write_commit(service, &wait);
        deleted = removal.more;
    }
    sem_destroy(&wait.done);
}

struct job *service_get(struct service *service, const char *id)
{
    struct error error = {0};
    struct job *job = NULL;
    store_flush(service->store);
    if (store_get(service->store, id, &job, &error) < 0)
        fail_msg("%s", error.text);
    return job;
}

enum job_state service_state(struct service *service, const char *id)
{
    struct job *job = service_get(service, id);
    enum job_state state = job->state;
    job_free(job);
    return state;
}

bool database_whole(const char *directory)
{
    char path[SCRATCH_BYTES + 32];
    snprintf(path, sizeof path, "%s/coalesced.db", directory);
    sqlite3 *db = NULL;
    sqlite3_stmt *statement = NULL;
    bool whole = sqlite3_open(path, &db) == SQLITE_OK &&
                 sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL) == SQLITE_OK &&
                 sqlite3_step(statement) == SQLITE_ROW &&
                 strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return whole;
}
