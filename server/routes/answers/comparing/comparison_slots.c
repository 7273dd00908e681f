#include "server/routes/answers/comparing/comparison_slots.h"

#include <pthread.h>
#include <stddef.h>

#include "server/http/request.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, and all slots */
static struct comparison_slot *held, *waiting, **waiting_end = &waiting;

static bool client_may(uint64_t client)
{
    int all = 0, own = 0;
    for (const struct comparison_slot *slot = held; slot; slot = slot->next) {
        all++;
        own += slot->client == client;
    }
    return all < COMPARISON_SLOTS && own < COMPARISON_SLOTS_EACH;
}

static void list_remove(struct comparison_slot **at, const struct comparison_slot *slot)
{
    while (*at != slot)
        at = &(*at)->next;
    *at = slot->next;
    if (!slot->held && !slot->next)
        waiting_end = at;
}

static void slot_hold(struct comparison_slot *slot)
{
    slot->held = true;
    slot->next = held;
    held = slot;
}

void comparison_slot_enter(struct comparison_slot *slot, struct request *request)
{
    *slot = (struct comparison_slot){.request = request, .client = request_client(request)};
    pthread_mutex_lock(&lock);
    if (client_may(slot->client)) {
        slot_hold(slot);
    } else {
        *waiting_end = slot;
        waiting_end = &slot->next;
    }
    pthread_mutex_unlock(&lock);
}

bool comparison_slot_held(const struct comparison_slot *slot)
{
    pthread_mutex_lock(&lock);
    bool is_held = slot->held;
    pthread_mutex_unlock(&lock);
    return is_held;
}

void comparison_slot_leave(struct comparison_slot *slot)
{
    pthread_mutex_lock(&lock);
    list_remove(slot->held ? &held : &waiting, slot);
    struct comparison_slot *next = waiting;
    while (next && !client_may(next->client))
        next = next->next;
    if (next) {
        list_remove(&waiting, next);
        slot_hold(next);
        request_wake(next->request);
    }
    pthread_mutex_unlock(&lock);
}
