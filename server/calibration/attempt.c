/* One attempt from its sweep to its constants: attempt.h. */
#include "server/calibration/attempt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/calibration_json.h"
#include "base/clock.h"
#include "base/log.h"
#include "server/queue/queue_submit.h"
#include "server/queue/queue_view.h"
#include "server/store/experiment_reads.h"
#include "server/store/write.h"

static const int64_t idle_ns = 3000000000;
enum { SWEEPS_SEARCHED = 1024 };

/* What a calibration is made for: the device, its driver and its executor's build. */
static void identity_make(const struct device_status *status, char identity[ATTEMPT_IDENTITY_BYTES])
{
    snprintf(identity, ATTEMPT_IDENTITY_BYTES, "%s %s %s", status->facts.uuid, status->facts.driver,
             status->executor_build);
}

/* sweep, failure: NULL: as they were. True: the attempts are stopping. */
static bool stage_set(struct attempt *attempt, enum attempt_stage stage, const char *sweep,
                      const char *failure)
{
    pthread_mutex_lock(&attempt->attempts->lock);
    attempt->stage = stage;
    if (sweep)
        snprintf(attempt->sweep, sizeof attempt->sweep, "%s", sweep);
    if (failure)
        snprintf(attempt->failure, sizeof attempt->failure, "%s", failure);
    bool stopping = attempt->attempts->stopping;
    pthread_cond_signal(&attempt->attempts->change);
    pthread_mutex_unlock(&attempt->attempts->lock);
    return stopping;
}

/* After a restart the key is empty, so the failure of a resumed sweep does not prevent an automatic
   attempt. why NULL: it is set. */
static void failure_set(struct attempt *attempt, const char *why)
{
    stage_set(attempt, ATTEMPT_NONE, NULL, why);
    memcpy(attempt->failed_for, attempt->key, sizeof attempt->failed_for);
    log_warning("device %d: no calibration: %s", attempt->device, attempt->failure);
}

void attempt_answer(struct attempt *attempt, const struct error *failed)
{
    struct calibration_waiters waiters;
    pthread_mutex_lock(&attempt->attempts->lock);
    waiters = attempt->waiters;
    SLIST_INIT(&attempt->waiters);
    pthread_mutex_unlock(&attempt->attempts->lock);
    for (struct calibration_waiter *waiter; (waiter = SLIST_FIRST(&waiters));) {
        SLIST_REMOVE_HEAD(&waiters, entries); /* done() may free it */
        waiter->done(waiter, failed);
    }
}

/* ---- submitting ---- */

/* On the writer's thread. The sweep that the key found again may have ended long ago, so the waiters are not
   answered here: the next look answers that it runs, or submits a new one. */
static void on_submitted(void *arg, const struct submitted *submitted)
{
    struct attempt *attempt = arg;
    bool again = submitted->outcome == SUBMITTED_AGAIN, known = again || submitted->outcome == SUBMITTED_NEW;
    struct error failed = submitted->error;
    if (submitted->outcome == SUBMITTED_MISMATCH)
        error_set(&failed, ERROR_CONFLICT, "its key is that of another submission");
    bool stopping =
        stage_set(attempt, ATTEMPT_SUBMITTED, known ? submitted->id : "", known ? NULL : failed.text);
    if (again && stopping)
        error_set(&failed, ERROR_UNAVAILABLE, ATTEMPT_STOPPING);
    if (!again || stopping)
        attempt_answer(attempt, submitted->outcome == SUBMITTED_NEW ? NULL : &failed);
}

/* `asked`: by a waiter. An automatic attempt has an idempotency key, so that a sweep that failed is not run
   again after each restart. */
static void attempt_submit(struct attempt *attempt, const struct device_status *status, bool asked)
{
    const struct device_offer device = {
        .number = attempt->device, .name = attempt->name, .facts = &status->facts, .listed = true};
    struct error error = {0};
    stage_set(attempt, ATTEMPT_SUBMITTING, "", "");
    calibration_plan_free(&attempt->plan);
    int made = calibration_plan_make(&attempt->plan, &device, status->executor_build, &error);
    identity_make(status, attempt->key);
    const struct queue_submission submission = {
        .sweep = &attempt->plan.sweep,
        .owner = CALIBRATION_RECIPE,
        .request = attempt->plan.request,
        .recipe = CALIBRATION_RECIPE,
        .idempotency_key = asked ? NULL : attempt->key,
        .fingerprint = CALIBRATION_RECIPE,
    };
    if (made < 0 || queue_submit(attempt->attempts->queue, &submission, on_submitted, attempt, &error) < 0) {
        failure_set(attempt, error.text);
        attempt_answer(attempt, &error);
    }
}

/* ---- what the last run of the server left unfinished ---- */

struct sweep_search {
    int device;
    char sweep[ID_BYTES]; /* empty: none */
};

static int sweep_match(void *arg, const struct sweep_row *row)
{
    struct sweep_search *search = arg;
    bool ours = row->recipe && strcmp(row->recipe, CALIBRATION_RECIPE) == 0;
    if (!ours || !device_set_has(&row->devices, search->device))
        return 0;
    memcpy(search->sweep, row->id, sizeof search->sweep);
    return 1;
}

/* Takes up the device's last sweep unless constants were made from it. The sweep itself is the record that a
   calibration is to be made: it is on disk before a waiter is answered. */
static void attempt_resume(struct attempt *attempt)
{
    struct attempts *attempts = attempt->attempts;
    const struct store_filter filter = {
        .state = -1, .device = -1, .owner = CALIBRATION_RECIPE, .limit = SWEEPS_SEARCHED, .within_ms = -1};
    struct sweep_search search = {.device = attempt->device};
    struct stored_calibration stored;
    struct error error = {0};
    if (store_sweeps(attempts->store, &filter, sweep_match, &search, &error) < 0) {
        attempt_answer(attempt, &error); /* the disk may come back */
        return;
    }
    attempt->resumed = true;
    if (search.sweep[0] && !stored_calibrations_find(&attempts->stored, NULL, NULL, search.sweep, &stored))
        stage_set(attempt, ATTEMPT_SUBMITTED, search.sweep, NULL);
}

/* ---- when its experiments have ended ---- */

struct sweep_times {
    struct fit_row *rows;
    int count;
    int failed;      /* experiments without a time */
    char first[192]; /* why the first of them failed */
};

static int time_add(void *arg, const struct point_row *point)
{
    struct sweep_times *times = arg;
    const struct job *job = point->job;
    bool timed = job && job->state == JOB_SUCCEEDED && job->result &&
                 calibration_plan_row(&times->rows[times->count], job->request, job->result) == 0;
    if (timed)
        return ++times->count == FIT_ROWS_MOST;
    if (!times->failed++)
        snprintf(times->first, sizeof times->first, "%.40s: %.140s", job ? job->kernel : "removed",
                 job && job->failure.text[0] ? job->failure.text : "it was not timed");
    return 0;
}

static int constants_make(const struct attempt *attempt, const struct device_status *status,
                          struct calibration *calibration, struct error *error)
{
    struct sweep_times times = {.rows = calloc(FIT_ROWS_MOST, sizeof *times.rows)};
    int made = -1;
    if (!times.rows)
        return error_set(error, ERROR_MEMORY, "no memory for the experiments of a calibration");
    if (store_points(attempt->attempts->store, attempt->sweep, 0, FIT_ROWS_MOST, time_add, &times, error) <
            0 ||
        fit_begin(calibration, &status->facts, error) < 0)
        goto out;
    if (times.count < FIT_ROWS_LEAST)
        error_set(error, ERROR_INVALID, "%d of its experiments have no time, %d have one: %s", times.failed,
                  times.count, times.first);
    else
        made = fit_rows(calibration, times.rows, times.count, error);
    snprintf(calibration->build, sizeof calibration->build, "%s", status->executor_build);
    calibration->made_ms = clock_wall_ms();
out:
    free(times.rows);
    return made;
}

/* A calibration on its way to the store, which frees itself. */
struct calibration_save {
    struct store_write write; /* first: a write is cast to it */
    struct store_calibration row;
    struct buffer text;
    struct stored_calibration stored;
};

static void on_saved(struct store_write *write, const struct error *failed)
{
    struct calibration_save *save = (struct calibration_save *)write;
    if (failed)
        log_error("the calibration of device %d is not stored: %s", save->row.device, failed->text);
    buffer_free(&save->text);
    free(save);
}

/* The constants are used from here on, also when they cannot be written. */
static void constants_save(const struct attempt *attempt, const struct stored_calibration *stored)
{
    struct calibration_save *save = calloc(1, sizeof *save);
    if (save)
        calibration_json_write(&(struct json_writer){.out = &save->text}, NULL, &stored->calibration);
    if (!save || save->text.failed || stored_calibrations_put(&attempt->attempts->stored, stored) < 0) {
        log_error("no memory to store the calibration of device %d", attempt->device);
        if (save)
            buffer_free(&save->text);
        free(save);
        return;
    }
    save->stored = *stored;
    save->row = (struct store_calibration){
        .device = attempt->device,
        .made_ms = stored->calibration.made_ms,
        .uuid = save->stored.uuid,
        .driver = save->stored.calibration.driver,
        .build = save->stored.calibration.build,
        .sweep = save->stored.sweep,
        .calibration = save->text.data,
    };
    save->write = (struct store_write){.calibration = &save->row, .patient = true, .done = on_saved};
    store_hand_over(attempt->attempts->store, &save->write);
}

static void attempt_end(struct attempt *attempt, const struct device_status *status,
                        const struct sweep_row *row)
{
    struct stored_calibration stored = {0};
    const struct calibration *made = &stored.calibration;
    struct error error = {0};
    char *request = calibration_plan_request(attempt->device, &status->facts, status->executor_build);
    bool stale = request && strcmp(request, row->request) != 0;
    free(request);
    if (stale)
        error_set(&error, ERROR_CONFLICT,
                  "the device, its driver or its build changed while it was calibrated");
    if (stale || constants_make(attempt, status, &stored.calibration, &error) < 0) {
        failure_set(attempt, error.text);
        return;
    }
    memcpy(stored.uuid, status->facts.uuid, sizeof stored.uuid);
    memcpy(stored.sweep, attempt->sweep, sizeof stored.sweep);
    constants_save(attempt, &stored);
    stage_set(attempt, ATTEMPT_NONE, NULL, NULL);
    log_info("device %d: calibrated by %d experiments of sweep %s: %.0f GB/s, %.3f ns a block",
             attempt->device, made->experiments, stored.sweep, made->constant[CALIBRATION_BANDWIDTH].value,
             made->constant[CALIBRATION_LAUNCH].value);
}

/* ---- what is due ---- */

/* True when an attempt is to begin unasked: the device's queue has been empty for idle_ns. Not without an
   executor: starting one may cost an allocation of a cluster. What failed is not tried again before the device
   changes, or somebody asks. */
static bool attempt_due(struct attempt *attempt, const struct device_status *status)
{
    struct attempts *attempts = attempt->attempts;
    char identity[ATTEMPT_IDENTITY_BYTES];
    struct stored_calibration stored;
    struct device_stats depth;
    if (!attempts->automatic || status->readiness != DEVICE_READY)
        return false;
    identity_make(status, identity);
    bool fresh = stored_calibrations_find(&attempts->stored, status->facts.uuid, NULL, NULL, &stored) &&
                 stored_calibrations_fresh(&stored, status);
    if (fresh || strcmp(attempt->failed_for, identity) == 0)
        return false;
    queue_view_device(attempts->queue, attempt->device, &depth);
    int64_t now = clock_monotonic_ns();
    if (depth.queued || depth.running[0] || queue_view_held(attempts->queue, attempt->device))
        attempt->idle_since_ns = 0;
    else if (!attempt->idle_since_ns)
        attempt->idle_since_ns = now;
    return attempt->idle_since_ns && now - attempt->idle_since_ns >= idle_ns;
}

static void submitted_look(struct attempt *attempt, const struct device_status *status)
{
    struct sweep_row row;
    struct error error = {0};
    calibration_plan_free(&attempt->plan);
    if (!attempt->sweep[0]) {
        failure_set(attempt, NULL);
        return;
    }
    if (store_sweep(attempt->attempts->store, attempt->sweep, &row, &error) < 0) {
        if (error.kind == ERROR_NOT_FOUND)
            failure_set(attempt, "its sweep was removed"); /* the next look submits for a waiter */
        else
            attempt_answer(attempt, &error); /* the disk may come back */
        return;
    }
    if (sweep_row_ended(&row))
        attempt_end(attempt, status, &row);
    else
        attempt_answer(attempt, NULL);
    sweep_row_clear(&row);
}

const char *attempt_unfit(const struct device_status *status)
{
    bool gpu = strcmp(status->facts.backend, "cuda") == 0;
    return gpu ? NULL : "the model of time is for GPUs, and this device is none";
}

/* Forgets the state of the device that had the number before. Not while the writer borrows the plan and the
   key. */
static void attempt_renew(struct attempt *attempt)
{
    struct device_listing listing = {0};
    devices_listing(attempt->attempts->devices, attempt->device, &listing);
    pthread_mutex_lock(&attempt->attempts->lock);
    if (strcmp(attempt->name, listing.name) != 0 && attempt->stage != ATTEMPT_SUBMITTING) {
        attempt->stage = ATTEMPT_NONE;
        attempt->sweep[0] = attempt->failure[0] = attempt->key[0] = attempt->failed_for[0] = '\0';
        attempt->resumed = false;
        memcpy(attempt->name, listing.name, sizeof attempt->name);
    }
    pthread_mutex_unlock(&attempt->attempts->lock);
}

int attempt_check(const struct attempt *attempt, struct device_status *status, struct error *error)
{
    struct devices *devices = attempt->attempts->devices;
    struct device_set listed = devices_listed(devices);
    if (!device_set_has(&listed, attempt->device))
        return error_set(error, ERROR_CONFLICT, "device %d was taken out of the list", attempt->device);
    if (!devices_get(devices, attempt->device, status) || !status->known)
        return error_set(error, ERROR_UNAVAILABLE, "device %d has not said hello yet", attempt->device);
    const char *unfit = attempt_unfit(status);
    return unfit ? error_set(error, ERROR_CONFLICT, "%s", unfit) : 0;
}

bool attempt_look(struct attempt *attempt)
{
    struct attempts *attempts = attempt->attempts;
    struct device_status status;
    struct error error = {0};
    attempt_renew(attempt);
    if (attempt_check(attempt, &status, &error) < 0) {
        attempt_answer(attempt, &error);
        return false;
    }
    if (!attempt->resumed)
        attempt_resume(attempt);
    if (!attempt->resumed)
        return true;
    pthread_mutex_lock(&attempts->lock);
    enum attempt_stage stage = attempt->stage;
    bool asked = !SLIST_EMPTY(&attempt->waiters);
    pthread_mutex_unlock(&attempts->lock);
    if (stage == ATTEMPT_SUBMITTED)
        submitted_look(attempt, &status);
    else if (stage == ATTEMPT_NONE && (asked || attempt_due(attempt, &status)))
        attempt_submit(attempt, &status, asked);
    else
        return stage == ATTEMPT_SUBMITTING;
    return true;
}
