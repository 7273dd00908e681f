/* How many comparisons are in memory at a time: of all clients, and of one. A further one waits for a slot: that of a client
   with fewer slots gets the next one, else the one that came first. */
#ifndef COALESCED_SERVER_ROUTES_COMPARISON_SLOTS_H
#define COALESCED_SERVER_ROUTES_COMPARISON_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

struct request;

enum { COMPARISON_SLOTS = 8, COMPARISON_SLOTS_EACH = 2, COMPARISONS_WAITING_EACH = 16 };

/* Part of the caller's own struct. Its members are for comparison_slots.c. */
struct comparison_slot {
    struct comparison_slot *next;
    struct request *request; /* to be woken, while it waits */
    uint64_t client;
    bool held;
};

/* Takes a slot, or waits for one: then the request is woken when it has it. False: as many of the client wait as may, and
   comparison_slot_leave() is not to be called. Any thread, as all of them. */
bool comparison_slot_enter(struct comparison_slot *slot, struct request *request);

bool comparison_slot_held(const struct comparison_slot *slot);

/* Gives the slot back, or waits no more. From its return on the request is not woken. */
void comparison_slot_leave(struct comparison_slot *slot);

#endif
