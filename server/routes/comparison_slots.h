/* Limits how many comparisons are in memory at a time, of all clients and of one. A further one waits for
   a slot; the next free slot goes to the client with the fewest slots, among those to the one that came
   first. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

struct request;

enum { COMPARISON_SLOTS = 8, COMPARISON_SLOTS_EACH = 2, COMPARISONS_WAITING_EACH = 16 };

/* Part of the caller's own struct. Its members are for comparison_slots.c. */
struct comparison_slot {
    TAILQ_ENTRY(comparison_slot) next; /* while it waits */
    struct request *request;           /* to be woken then */
    uint64_t client;
    struct comparison_slot **place; /* where it is held; NULL: it waits */
};

/* Takes a slot, or waits for one: the request is woken when it has it. False: COMPARISONS_WAITING_EACH of
   the client wait already, and comparison_slot_leave() is not to be called. These functions are for any
   thread. */
bool comparison_slot_enter(struct comparison_slot *slot, struct request *request);

bool comparison_slot_held(const struct comparison_slot *slot);

/* Gives the slot back, or stops waiting. The request is not woken after its return. */
void comparison_slot_leave(struct comparison_slot *slot);
