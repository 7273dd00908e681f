/* Waiters are in chains, by the hash of their experiment's id. One lock guards everything and is held while
   waiters are woken, so that a waiter can be freed when its cancellation has returned. */
#include "server/events/long_poll.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "base/hash.h"

enum { CHAINS = 1024 };

struct long_poll_waiter {
    LIST_ENTRY(long_poll_waiter) of_chain;
    char id[ID_BYTES];
    void (*wake)(void *arg, enum job_state state);
    void *arg;
};

struct long_poll {
    pthread_mutex_t lock;
    LIST_HEAD(waiters, long_poll_waiter) chains[CHAINS];
};

struct long_poll *long_poll_new(void)
{
    struct long_poll *long_poll = calloc(1, sizeof *long_poll);
    if (long_poll)
        pthread_mutex_init(&long_poll->lock, NULL);
    return long_poll;
}

void long_poll_free(struct long_poll *long_poll)
{
    if (!long_poll)
        return;
    for (int i = 0; i < CHAINS; i++)
        for (struct long_poll_waiter *waiter; (waiter = LIST_FIRST(&long_poll->chains[i])); free(waiter))
            LIST_REMOVE(waiter, of_chain);
    pthread_mutex_destroy(&long_poll->lock);
    free(long_poll);
}

static struct waiters *chain_of(struct long_poll *long_poll, const char *id)
{
    return &long_poll->chains[hash_text(id) % CHAINS];
}

struct long_poll_waiter *long_poll_wait(struct long_poll *long_poll, const char *id,
                                        void (*wake)(void *arg, enum job_state state), void *arg)
{
    struct long_poll_waiter *waiter = calloc(1, sizeof *waiter);
    if (!waiter)
        return NULL;
    memcpy(waiter->id, id, strnlen(id, ID_BYTES - 1));
    waiter->wake = wake;
    waiter->arg = arg;
    pthread_mutex_lock(&long_poll->lock);
    LIST_INSERT_HEAD(chain_of(long_poll, waiter->id), waiter, of_chain);
    pthread_mutex_unlock(&long_poll->lock);
    return waiter;
}

void long_poll_cancel(struct long_poll *long_poll, struct long_poll_waiter *waiter)
{
    if (!waiter)
        return;
    pthread_mutex_lock(&long_poll->lock);
    LIST_REMOVE(waiter, of_chain);
    pthread_mutex_unlock(&long_poll->lock);
    free(waiter);
}

void long_poll_publish(void *arg, const char *id, enum job_state state)
{
    struct long_poll *long_poll = arg;
    struct long_poll_waiter *waiter;
    pthread_mutex_lock(&long_poll->lock);
    LIST_FOREACH (waiter, chain_of(long_poll, id), of_chain)
        if (strcmp(waiter->id, id) == 0)
            waiter->wake(waiter->arg, state);
    pthread_mutex_unlock(&long_poll->lock);
}
