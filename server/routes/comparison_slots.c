/* The places of comparisons in memory, and the list of those that wait for one, under one lock. */
#include "server/routes/comparison_slots.h"

#include <pthread.h>
#include <stddef.h>

#include "server/http/request.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, and all slots */
static struct comparison_slot *held[COMPARISON_SLOTS];
static TAILQ_HEAD(, comparison_slot) waiting = TAILQ_HEAD_INITIALIZER(waiting); /* the first came first */

/* How many places the client holds. *place: a free one; NULL: there is none. */
static int places_of(uint64_t client, struct comparison_slot ***place)
{
    int count = 0;
    *place = NULL;
    for (int i = 0; i < COMPARISON_SLOTS; i++) {
        if (!held[i])
            *place = &held[i];
        else
            count += held[i]->client == client;
    }
    return count;
}

bool comparison_slot_enter(struct comparison_slot *slot, struct request *request)
{
    const struct comparison_slot *one;
    int waits = 0;
    *slot = (struct comparison_slot){.request = request, .client = request_client(request)};
    pthread_mutex_lock(&lock);
    TAILQ_FOREACH (one, &waiting, next)
        waits += one->client == slot->client;
    if (places_of(slot->client, &slot->place) >= COMPARISON_SLOTS_EACH)
        slot->place = NULL;
    if (slot->place)
        *slot->place = slot;
    else if (waits < COMPARISONS_WAITING_EACH)
        TAILQ_INSERT_TAIL(&waiting, slot, next);
    bool entered = slot->place || waits < COMPARISONS_WAITING_EACH;
    pthread_mutex_unlock(&lock);
    return entered;
}

bool comparison_slot_held(const struct comparison_slot *slot)
{
    pthread_mutex_lock(&lock);
    bool is_held = slot->place;
    pthread_mutex_unlock(&lock);
    return is_held;
}

void comparison_slot_leave(struct comparison_slot *slot)
{
    struct comparison_slot *one, *next = NULL, **place, **given = NULL;
    int fewest = COMPARISON_SLOTS_EACH;
    pthread_mutex_lock(&lock);
    if (slot->place)
        *slot->place = NULL;
    else
        TAILQ_REMOVE(&waiting, slot, next);
    TAILQ_FOREACH (one, &waiting, next) {
        int own = places_of(one->client, &place);
        if (place && own < fewest) {
            next = one;
            given = place;
            fewest = own;
        }
    }
    if (next) {
        TAILQ_REMOVE(&waiting, next, next);
        next->place = given;
        *given = next;
        request_wake(next->request);
    }
    pthread_mutex_unlock(&lock);
}
