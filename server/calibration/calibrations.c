/* The thread that calibrates, and what others read: calibrations.h. */
#include "server/calibration/calibrations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/calibration_json.h"
#include "base/clock.h"
#include "base/thread.h"
#include "server/calibration/attempt.h"

enum { LOOK_MS = 1000, LOOK_SOON_MS = 250 };

struct calibrations {
    struct attempts common;
    struct attempt attempts[DEVICES_MAX];
    pthread_t thread;
    bool started;
};

/* ---- what others read ---- */

static void view_fill(struct calibrations *calibrations, const struct device_status *status,
                      struct calibrations_view *view)
{
    struct stored_calibration stored;
    bool own =
        stored_calibrations_find(&calibrations->common.stored, status->facts.uuid, NULL, NULL, &stored);
    const struct calibration *shipped = calibration_find(status->facts.name);
    if (own) {
        bool fresh = stored_calibrations_fresh(&stored, status);
        view->state = fresh ? CALIBRATIONS_MADE : CALIBRATIONS_STALE;
        view->calibration = stored.calibration;
        memcpy(view->sweep, stored.sweep, sizeof view->sweep);
        if (!fresh)
            snprintf(view->reason, sizeof view->reason,
                     "it was made with driver %.48s and build %.64s; now they are %.48s and %.64s",
                     stored.calibration.driver, stored.calibration.build, status->facts.driver,
                     status->executor_build);
    } else {
        if (shipped) {
            view->state = CALIBRATIONS_SHIPPED;
            view->calibration = *shipped;
        }
        snprintf(view->reason, sizeof view->reason, "this device has made none%s",
                 shipped ? "; these are another's of the same name" : ", and none is shipped for its name");
    }
    view->given = own || shipped;
}

void calibrations_get(struct calibrations *calibrations, int device, struct calibrations_view *view)
{
    struct device_status status = {0};
    *view = (struct calibrations_view){.automatic = calibrations->common.automatic};
    devices_get(calibrations->common.devices, device, &status);
    if (!status.known || attempt_unfit(&status)) {
        snprintf(view->reason, sizeof view->reason, "%s",
                 status.known ? attempt_unfit(&status) : "its executor has not said hello yet");
        return;
    }
    const struct attempt *attempt = &calibrations->attempts[device];
    pthread_mutex_lock(&calibrations->common.lock);
    view_fill(calibrations, &status, view);
    memcpy(view->failure, attempt->failure, sizeof view->failure);
    if (!SLIST_EMPTY(&attempt->waiters) || attempt->stage != ATTEMPT_NONE) {
        view->state = CALIBRATIONS_RUNNING;
        view->reason[0] = '\0';
        memcpy(view->sweep, attempt->sweep, sizeof view->sweep);
    }
    pthread_mutex_unlock(&calibrations->common.lock);
}

int calibrations_ask(struct calibrations *calibrations, int device, struct calibration_waiter *waiter,
                     struct error *error)
{
    struct attempt *attempt = &calibrations->attempts[device];
    struct device_status status;
    if (attempt_check(attempt, &status, error) < 0)
        return -1;
    pthread_mutex_lock(&calibrations->common.lock);
    bool stopping = calibrations->common.stopping;
    if (!stopping) {
        SLIST_INSERT_HEAD(&attempt->waiters, waiter, entries);
        pthread_cond_signal(&calibrations->common.change);
    }
    pthread_mutex_unlock(&calibrations->common.lock);
    return stopping ? error_set(error, ERROR_UNAVAILABLE, ATTEMPT_STOPPING) : 0;
}

int calibrations_of(struct calibrations *calibrations, const char *device_name,
                    struct calibration *calibration)
{
    struct stored_calibration stored;
    const struct calibration *found = calibration_find(device_name);
    if (stored_calibrations_find(&calibrations->common.stored, NULL, device_name, NULL, &stored))
        found = &stored.calibration;
    if (found)
        *calibration = *found;
    return found ? 0 : -1;
}

char *calibrations_text(void *arg, int device)
{
    struct calibrations *calibrations = arg;
    struct device_status status = {0};
    struct buffer text = {0};
    struct stored_calibration stored;
    devices_get(calibrations->common.devices, device, &status);
    if (!stored_calibrations_find(&calibrations->common.stored, status.facts.uuid, NULL, NULL, &stored))
        return NULL;
    calibration_json_write(&(struct json_writer){.out = &text}, NULL, &stored.calibration);
    return buffer_take(&text);
}

/* ---- the thread ---- */

static void *calibrations_main(void *arg)
{
    struct calibrations *calibrations = arg;
    struct attempts *common = &calibrations->common;
    bool stopping = false;
    while (!stopping) {
        bool soon = false;
        for (int i = 0; i < DEVICES_MAX; i++)
            soon |= attempt_look(&calibrations->attempts[i]);
        int pause_ms = soon ? LOOK_SOON_MS : LOOK_MS;
        pthread_mutex_lock(&common->lock);
        if (!common->stopping)
            thread_wait_until(&common->change, &common->lock, clock_after_ns(pause_ms / 1000.0));
        stopping = common->stopping;
        pthread_mutex_unlock(&common->lock);
    }
    return NULL;
}

int calibrations_start(struct calibrations **out, struct store *store, struct queue *queue,
                       struct devices *devices, bool automatic, struct error *error)
{
    struct calibrations *calibrations = calloc(1, sizeof *calibrations);
    if (!calibrations)
        return error_set(error, ERROR_MEMORY, "no memory for calibrations");
    calibrations->common =
        (struct attempts){.store = store, .queue = queue, .devices = devices, .automatic = automatic};
    pthread_mutex_init(&calibrations->common.lock, NULL);
    thread_condition_init(&calibrations->common.change);
    for (int i = 0; i < DEVICES_MAX; i++) {
        calibrations->attempts[i].attempts = &calibrations->common;
        calibrations->attempts[i].device = i;
    }
    *out = calibrations;
    if (stored_calibrations_open(&calibrations->common.stored, store, error) < 0)
        return -1;
    calibrations->started =
        thread_start(&calibrations->thread, "calibrations", calibrations_main, calibrations, error) == 0;
    return calibrations->started ? 0 : -1;
}

void calibrations_stop(struct calibrations *calibrations)
{
    if (!calibrations || !calibrations->started)
        return;
    struct attempts *common = &calibrations->common;
    thread_stop(calibrations->thread, &common->lock, &common->change, &common->stopping);
    calibrations->started = false;
    struct error stopping = {0};
    error_set(&stopping, ERROR_UNAVAILABLE, ATTEMPT_STOPPING);
    for (int i = 0; i < DEVICES_MAX; i++) {
        struct attempt *attempt = &calibrations->attempts[i];
        pthread_mutex_lock(&common->lock);
        bool submitting = attempt->stage == ATTEMPT_SUBMITTING; /* its commit answers them */
        pthread_mutex_unlock(&common->lock);
        if (!submitting)
            attempt_answer(attempt, &stopping);
    }
}

void calibrations_free(struct calibrations *calibrations)
{
    if (!calibrations)
        return;
    for (int i = 0; i < DEVICES_MAX; i++)
        calibration_plan_free(&calibrations->attempts[i].plan);
    stored_calibrations_close(&calibrations->common.stored);
    pthread_cond_destroy(&calibrations->common.change);
    pthread_mutex_destroy(&calibrations->common.lock);
    free(calibrations);
}
