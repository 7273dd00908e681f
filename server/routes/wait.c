/* Waiting within a handler: for a commit, and for an end. */
#include "server/routes/wait.h"

#include <stdlib.h>

/* ---- for a commit ---- */

void *wait_commit_new(struct request *request, size_t size, void (*release)(void *state),
                      enum handled *handled)
{
    struct commit_wait *wait = calloc(1, size);
    if (!wait) {
        *handled = service_reply_no_memory(request, "for this request");
        return NULL;
    }
    wait->request = request;
    wait->changed = true;
    request_set_state(request, wait, release);
    return wait;
}

void wait_commit_done(void *state, const struct error *failed)
{
    struct commit_wait *wait = state;
    struct request *request = wait->request;
    if (failed)
        wait->failed = *failed;
    else if (!wait->changed)
        request_unchanged(request);
    atomic_store(&wait->done, true);
    request_wake(request);
}

bool wait_commit_over(struct commit_wait *wait, enum handled *handled)
{
    if (!atomic_load(&wait->done))
        *handled = HANDLED_WAIT;
    else if (wait->failed.kind != ERROR_NONE)
        *handled = reply_error(wait->request, &wait->failed);
    else
        return true;
    return false;
}

/* ---- for an end ---- */

struct end_wait {
    struct request *request;
    struct long_poll *events;
    struct long_poll_waiter *waiter;
};

static void on_state(void *arg, enum job_state state)
{
    struct end_wait *wait = arg;
    if (job_state_ended(state))
        request_wake(wait->request);
}

struct end_wait *wait_end_new(struct request *request, const char *id)
{
    struct end_wait *wait = calloc(1, sizeof *wait);
    if (!wait)
        return NULL;
    wait->request = request;
    wait->events = service_of(request)->events;
    wait->waiter = long_poll_wait(wait->events, id, on_state, wait);
    if (wait->waiter)
        return wait;
    free(wait);
    return NULL;
}

void wait_end_free(void *end_wait)
{
    struct end_wait *wait = end_wait;
    if (!wait)
        return;
    long_poll_cancel(wait->events, wait->waiter);
    free(wait);
}
