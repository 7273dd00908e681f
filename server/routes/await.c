#include "server/routes/await.h"

#include <stdlib.h>
#include <string.h>

struct await {
    struct request *request;
    struct long_poll *events;
    struct long_poll_waiter *waiter;
};

static void await_wake(void *arg, enum job_state state)
{
    struct await *await = arg;
    if (job_state_ended(state))
        request_wake(await->request);
}

struct await *await_new(struct request *request, const char *id)
{
    struct await *await = calloc(1, sizeof *await);
    if (!await)
        return NULL;
    await->request = request;
    await->events = request_service(request)->events;
    await->waiter = long_poll_wait(await->events, id, await_wake, await);
    if (!await->waiter) {
        free(await);
        return NULL;
    }
    return await;
}

void await_free(void *arg)
{
    struct await *await = arg;
    if (!await)
        return;
    long_poll_cancel(await->events, await->waiter);
    free(await);
}

int await_seconds(const struct request *request)
{
    const char *text = request_query(request, "wait");
    if (!text)
        return request_prefer_wait(request);
    if (!text[0] || text[strspn(text, "0123456789")])
        return -1;
    unsigned long seconds = strtoul(text, NULL, 10); /* the largest there is when it is too long for one */
    return seconds < REQUEST_WAIT_MAX_S ? (int)seconds : REQUEST_WAIT_MAX_S;
}
