/* Waiters hang in chains by the hash of their experiment's id. One lock guards all of it and is held while
   waiters are woken, so that a waiter whose cancellation returned can be freed by whoever made it. */
#include "server/events/long_poll.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

enum { CHAINS = 1024 };

struct long_poll_waiter {
    struct long_poll_waiter *next, **link; /* link: what points here */
    char id[ID_BYTES];
    void (*wake)(void *arg, enum job_state state);
    void *arg;
};

struct long_poll {
    pthread_mutex_t lock;
    struct long_poll_waiter *chains[CHAINS];
};

struct long_poll *long_poll_new(void)
{
    struct long_poll *events = calloc(1, sizeof *events);
    if (events)
        pthread_mutex_init(&events->lock, NULL);
    return events;
}

void long_poll_free(struct long_poll *events)
{
    if (!events)
        return;
    for (int i = 0; i < CHAINS; i++)
        for (struct long_poll_waiter *waiter = events->chains[i], *next; waiter; waiter = next) {
            next = waiter->next;
            free(waiter);
        }
    pthread_mutex_destroy(&events->lock);
    free(events);
}

static struct long_poll_waiter **chain_of(struct long_poll *events, const char *id)
{
    return &events->chains[hash_text(id) % CHAINS];
}

struct long_poll_waiter *long_poll_wait(struct long_poll *events, const char *id,
                                        void (*wake)(void *arg, enum job_state state), void *arg)
{
    struct long_poll_waiter *waiter = calloc(1, sizeof *waiter);
    if (!waiter)
        return NULL;
    memcpy(waiter->id, id, strnlen(id, ID_BYTES - 1));
    waiter->wake = wake;
    waiter->arg = arg;

    pthread_mutex_lock(&events->lock);
    waiter->link = chain_of(events, waiter->id);
    waiter->next = *waiter->link;
    if (waiter->next)
        waiter->next->link = &waiter->next;
    *waiter->link = waiter;
    pthread_mutex_unlock(&events->lock);
    return waiter;
}

void long_poll_cancel(struct long_poll *events, struct long_poll_waiter *waiter)
{
    if (!waiter)
        return;
    pthread_mutex_lock(&events->lock);
    *waiter->link = waiter->next;
    if (waiter->next)
        waiter->next->link = waiter->link;
    pthread_mutex_unlock(&events->lock);
    free(waiter);
}

void long_poll_publish(void *arg, const char *id, enum job_state state)
{
    struct long_poll *events = arg;
    pthread_mutex_lock(&events->lock);
    for (struct long_poll_waiter *waiter = *chain_of(events, id); waiter; waiter = waiter->next)
        if (strcmp(waiter->id, id) == 0)
            waiter->wake(waiter->arg, state);
    pthread_mutex_unlock(&events->lock);
}

void long_poll_publish_sweep_ended(void *events, const char *sweep)
{
    long_poll_publish(events, sweep, JOB_SUCCEEDED);
}
