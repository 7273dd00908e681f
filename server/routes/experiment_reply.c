/* Experiments as the endpoints show them, and why one waits: the queue or its device is paused, starts, cannot
   be used, or is not listed. */
#include "server/routes/experiment_reply.h"

#include <stdio.h>
#include <string.h>

#include "server/devices/devices.h"
#include "server/queue/queue_admin.h"
#include "server/queue/queue_view.h"
#include "server/store/id.h"

void experiment_reply_init(struct service *service, const struct job *job, struct view_experiment *view)
{
    *view = (struct view_experiment){
        .id = job->id,
        .state = job_state_name(job->state),
        .kernel = job->kernel,
        .entry = job->entry,
        .ended = job_state_ended(job->state),
        .device = job->device,
        .attempt = job->attempt,
        .submitted_ms = job->submitted_ms,
        .started_ms = job->started_ms,
        .finished_ms = job->finished_ms,
        .request = job->request,
        .result = job->result,
        .failure = &job->failure,
        .lost = job->lost,
        .sweep = job->sweep,
        .owner = job->owner,
        .repeated = job->repeat_index >= 0,
        .repeat_index = job->repeat_index,
        .position = -1,
        .eta_s = -1,
        .running = job->state == JOB_RUNNING,
    };
    devices_name(service->devices, job->device, view->device_name);
}

void experiment_reply_now(struct service *service, const struct job *job, struct view_experiment *view)
{
    experiment_reply_init(service, job, view);
    if (!view->ended)
        experiment_reply_place(service, view);
}

void experiment_reply_row(struct service *service, const struct job *job, struct view_experiment *view)
{
    experiment_reply_init(service, job, view);
    if (!view->ended && !store_healthy(service->store, &(struct error){0}))
        experiment_reply_place(service, view);
}

static void place_set(struct service *service, const struct queue_position *place,
                      struct view_experiment *view)
{
    view->position = place->position;
    view->eta_s = place->ahead_s >= 0 && place->own_s >= 0 ? place->ahead_s + place->own_s : -1;
    view->paused = place->paused;
    view->running = place->running;
    view->cancelling = place->cancelled;
    view->waits_for[0] = '\0';
    if (place->ended) {
        experiment_reply_unwritten_reason(service, view->waits_for, sizeof view->waits_for);
        view->unwritten = view->waits_for[0] != '\0';
    } else if (place->running)
        view->device = place->device; /* also of one that was unbound when the view was made */
    else if (view->position >= 0 && experiment_reply_block_reason(service, view->device, view->request,
                                                                  view->waits_for, sizeof view->waits_for))
        view->eta_s = -1;
    devices_name(service->devices, view->device, view->device_name);
}

bool experiment_reply_place(struct service *service, struct view_experiment *view)
{
    struct queue_position place;
    queue_view_position(service->queue, view->id, &place);
    place_set(service, &place, view);
    return view->position >= 0;
}

void experiment_reply_entry(struct service *service, const struct queue_entry *entry,
                            struct view_experiment *view)
{
    *view = (struct view_experiment){
        .id = entry->id,
        .state = job_state_name(entry->position.running ? JOB_RUNNING : JOB_QUEUED),
        .device = entry->position.device,
        .submitted_ms = id_ms(entry->id),
        .request = entry->request,
        .sweep = entry->sweep,
        .owner = entry->owner,
        .sweep_left = entry->sweep_left,
    };
    place_set(service, &entry->position, view);
}

enum handled experiment_reply_send(struct request *request, const struct view_experiment *view)
{
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    view_experiment_write(&json, NULL, view);
    buffer_text(&body, "\n");
    return view->ended ? reply_immutable(request, &body, view->id) : reply_body(request, 200, &body);
}

enum handled experiment_reply_accepted(struct request *request, unsigned status,
                                       const struct view_experiment *view)
{
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    view_experiment_accepted(&json, NULL, view);
    buffer_text(&body, "\n");
    return reply_accepted(request, status, view->eta_s, &body);
}

/* ---- why it waits ---- */

/* Of several devices the one with the lowest reason counts. */
enum block_reason { BLOCK_NONE, BLOCK_STARTING, BLOCK_UNHEALTHY, BLOCK_HELD, BLOCK_UNLISTED };

static enum block_reason block_reason_of(struct service *service, int device, char *text, size_t size)
{
    struct device_status status = {0};
    struct queue_hold hold;
    struct device_set listed = devices_listed(service->devices);
    char name[DEVICE_NAME_BYTES];
    devices_name(service->devices, device, name);
    devices_get(service->devices, device, &status);
    const char *colon = status.reason[0] ? ": " : "";
    if (!device_set_has(&listed, device)) {
        snprintf(text, size, "%s is not in the list", name);
        return BLOCK_UNLISTED;
    }
    queue_admin_get_hold(service->queue, device, &hold);
    if (hold.held) {
        snprintf(text, size, "%s is paused%s%s", name, hold.owner[0] ? " by " : "", hold.owner);
        return BLOCK_HELD;
    }
    if (status.readiness == DEVICE_STARTING) {
        snprintf(text, size, "%s is being started%s%s", name, colon, status.reason);
        return BLOCK_STARTING;
    }
    if (status.readiness == DEVICE_UNHEALTHY && !status.healthy) {
        snprintf(text, size, "%s cannot be used now, and is tried again%s%s", name, colon, status.reason);
        return BLOCK_UNHEALTHY;
    }
    return BLOCK_NONE;
}

/* Adds another device that the request allows. An experiment that is bound although its request allows
   others is of a sweep that is not spread. */
static void alternative_add(struct service *service, int device, const char *request, char *text, size_t size)
{
    struct queue_selection others = {.request = request};
    char found[VIEW_WAITS_BYTES], name[DEVICE_NAME_BYTES];
    size_t length = strlen(text);
    device_snapshot_select(service->devices, &others, 1);
    device_set_remove(&others.devices, device);
    for (int i = -1; (i = device_set_next(&others.devices, i + 1)) >= 0;) {
        if (block_reason_of(service, i, found, sizeof found) != BLOCK_NONE)
            continue;
        devices_name(service->devices, i, name);
        snprintf(text + length, size - length,
                 "; its sweep stays on one device: cancelled and submitted again, or with \"spread\": true, "
                 "it may run on %s",
                 name);
        return;
    }
}

void experiment_reply_unwritten_reason(struct service *service, char *text, size_t size)
{
    struct error error = {0};
    text[0] = '\0';
    if (!store_healthy(service->store, &error))
        snprintf(text, size, "it has ended, and the service %s", error.text);
}

enum { UNWRITTEN_MAX = 256 }; /* of one sweep; on each device it is one or two */

int experiment_reply_take_unwritten(struct service *service, const struct sweep_row *row,
                                    int states[JOB_STATES])
{
    char ended[UNWRITTEN_MAX][ID_BYTES];
    int unwritten = 0;
    if (sweep_row_ended(row) || store_healthy(service->store, &(struct error){0}))
        return 0;
    int count = queue_view_sweep_ended(service->queue, row->id, ended, UNWRITTEN_MAX);
    for (int i = 0; i < count; i++) {
        struct job *job;
        if (store_get(service->store, ended[i], &job, &(struct error){0}) < 0)
            continue;
        if (!job_state_ended(job->state) && states[job->state] > 0) {
            states[job->state]--;
            unwritten++;
        }
        job_free(job);
    }
    return unwritten;
}

bool experiment_reply_block_reason(struct service *service, int device, const char *request, char *text,
                                   size_t size)
{
    struct device_set set = device_set_of(device);
    struct queue_hold hold;
    struct error error = {0};
    enum block_reason least = BLOCK_UNLISTED + 1;
    if (!store_healthy(service->store, &error)) {
        snprintf(text, size, "the service %s", error.text);
        return true;
    }
    queue_admin_get_hold(service->queue, QUEUE_ALL_DEVICES, &hold);
    if (hold.held) {
        char found[VIEW_WAITS_BYTES];
        bool both = device >= 0 && block_reason_of(service, device, found, sizeof found) == BLOCK_HELD;
        snprintf(text, size, "the queue is paused%s%s%s%s", hold.owner[0] ? " by " : "", hold.owner,
                 both ? ", and " : "", both ? found : "");
        return true;
    }
    if (device < 0) {
        struct queue_selection fitting = {.request = request, .devices = devices_listed(service->devices)};
        if (request)
            device_snapshot_select(service->devices, &fitting, 1);
        set = fitting.devices;
    }
    snprintf(text, size, "no device of the list fits now");
    for (int i = device_set_next(&set, 0); i >= 0 && least; i = device_set_next(&set, i + 1)) {
        char found[VIEW_WAITS_BYTES];
        enum block_reason block_reason = block_reason_of(service, i, found, sizeof found);
        if (block_reason >= least)
            continue;
        least = block_reason;
        snprintf(text, size, "%s", found);
    }
    if (!least)
        text[0] = '\0';
    else if (device >= 0 && request && (least == BLOCK_UNHEALTHY || least == BLOCK_UNLISTED))
        alternative_add(service, device, request, text, size);
    return least > BLOCK_STARTING;
}
