/* Two lists of slots under one lock: held, and waiting. */
#include "server/routes/comparison_slots.h"

#include <pthread.h>
#include <stddef.h>

#include "server/http/request.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards what follows, and all slots */
static struct comparison_slot *held, *waiting, **waiting_end = &waiting;

static int slots_in(const struct comparison_slot *list)
{
    int count = 0;
    for (; list; list = list->next)
        count++;
    return count;
}

static int slots_of(const struct comparison_slot *list, uint64_t client)
{
    int count = 0;
    for (; list; list = list->next)
        count += list->client == client;
    return count;
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

bool comparison_slot_enter(struct comparison_slot *slot, struct request *request)
{
    bool entered = true;
    *slot = (struct comparison_slot){.request = request, .client = request_client(request)};
    pthread_mutex_lock(&lock);
    if (slots_in(held) < COMPARISON_SLOTS && slots_of(held, slot->client) < COMPARISON_SLOTS_EACH) {
        slot_hold(slot);
    } else if (slots_of(waiting, slot->client) == COMPARISONS_WAITING_EACH) {
        entered = false;
    } else {
        *waiting_end = slot;
        waiting_end = &slot->next;
    }
    pthread_mutex_unlock(&lock);
    return entered;
}

bool comparison_slot_held(const struct comparison_slot *slot)
{
    pthread_mutex_lock(&lock);
    bool is_held = slot->held;
    pthread_mutex_unlock(&lock);
    return is_held;
}

/* The next one of those that wait to get a free slot; NULL: none may have one. */
static struct comparison_slot *slot_next(void)
{
    struct comparison_slot *next = NULL;
    int fewest = COMPARISON_SLOTS_EACH;
    for (struct comparison_slot *slot = waiting; slot && fewest > 0; slot = slot->next) {
        int own = slots_of(held, slot->client);
        if (own < fewest) {
            next = slot;
            fewest = own;
        }
    }
    return next;
}

void comparison_slot_leave(struct comparison_slot *slot)
{
    pthread_mutex_lock(&lock);
    list_remove(slot->held ? &held : &waiting, slot);
    struct comparison_slot *next = slots_in(held) < COMPARISON_SLOTS ? slot_next() : NULL;
    if (next) {
        list_remove(&waiting, next);
        slot_hold(next);
        request_wake(next->request);
    }
    pthread_mutex_unlock(&lock);
}
