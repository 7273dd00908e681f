/* How many comparisons are in memory at a time: of all clients, and of one. A further one waits for a slot, in the order in
   which they came. */
#ifndef COALESCED_SERVER_ROUTES_ANSWERS_COMPARING_COMPARISON_SLOTS_H
#define COALESCED_SERVER_ROUTES_ANSWERS_COMPARING_COMPARISON_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

struct request;

enum { COMPARISON_SLOTS = 8, COMPARISON_SLOTS_EACH = 2 };

/* Part of the caller's own struct. Its members are for comparison_slots.c. */
struct comparison_slot {
    struct comparison_slot *next;
    struct request *request; /* to be woken, while it waits */
    uint64_t client;
    bool held;
};

/* Takes a slot, or waits for one: then the request is woken when it has it. Any thread, as all of them. */
void comparison_slot_enter(struct comparison_slot *slot, struct request *request);

bool comparison_slot_held(const struct comparison_slot *slot);

/* Gives the slot back, or waits no more. From its return on the request is not woken. */
void comparison_slot_leave(struct comparison_slot *slot);

#endif
