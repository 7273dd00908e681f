/* Lists experiments that wait or run, with their positions. Any thread; takes the queue's lock. */
#pragma once

#include "server/queue/queue_types.h"

struct queue;

struct queue_entry {
    char id[ID_BYTES], sweep[ID_BYTES]; /* sweep: that it is of; empty: none */
    char owner[USER_NAME_BYTES];        /* empty: without a name */
    char *request;                      /* JSON object */
    /* Of one that runs: how many of its sweep have not ended, with this one; else 0. */
    int sweep_left;
    struct queue_position position; /* with own_s, running, cancelled and device */
};

/* Lists the experiments with these ids that wait or run, and the first `most` of the owner's that wait: each once, by
   position. *entries is for queue_view_free_entries(). Returns how many; -1: no memory, and *entries is
   NULL. Costs as much as that many calls of queue_view_position(); also linear in the sweeps of what runs. */
int queue_view_entries(struct queue *queue, const char *const *ids, int id_count, const char *owner, int most,
                       struct queue_entry **entries);
void queue_view_free_entries(struct queue_entry *entries, int count);
