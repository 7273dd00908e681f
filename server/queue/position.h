/* Where an experiment stands in the queue, and when it begins, as queue_view.h says it. Private to server/queue; called with
   the queue's lock held. */
#pragma once

#include "server/queue/queue_state.h"

/* The devices that serve what waits: the listed ones of a set, or all of it when none is listed. */
struct position_servers {
    struct device_set devices;
    int count;
    int only; /* the number of the device when it is one; else -1 */
};
struct position_servers position_servers(const struct queue *queue, const struct device_set *devices);

/* What of an owner waits for the same devices. */
struct position_load {
    struct device_share share;
    int overrides; /* besides share.waiting */
    double part;   /* of each, the part that falls to these devices */
};
struct position_load position_load(const struct queue *queue, const struct owner *owner,
                                   const struct position_servers *servers, int64_t now_ns);

/* These seconds; negative while no duration is known on that device (-1: on any). */
double position_if_known(const struct queue *queue, int device, double expected_s);

/* The expected duration of an entry that waits, by the bytes of its arrays; of one that runs, what is left of it. Seconds;
   negative: not known. */
double position_own_s(const struct queue *queue, const struct entry *entry);

/* The position of an experiment of that owner (NULL: one whom the queue does not know yet) that has `before` others of the
   owner before it and is not an override. mean_bytes: of the arrays of one of these; negative: as of all that the owner
   has waiting. own_s is the expected duration in the mean of the owner's waiting experiments. */
struct queue_position position_by_share(struct queue *queue, const struct owner *owner,
                                        const struct position_servers *servers, int before,
                                        double mean_bytes);

/* The position of an experiment in the queue. While it waits, own_s is not its own duration but the expected one of
   a run with the mean array size of its owner's waiting experiments; position_own() tells of its own. */
struct queue_position position_of_entry(struct queue *queue, const struct entry *entry);

/* As position_of_entry(), but own_s is the expected duration of this experiment or, while it runs, what is left of it. Also
   sets `running`, `cancelled` and `device`. */
struct queue_position position_own(struct queue *queue, const struct entry *entry);
