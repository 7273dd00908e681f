/* Reads the queue: positions, estimates, holds, figures of devices and owners. Any thread; takes the queue's lock. */
#pragma once

#include "server/queue/queue_types.h"

struct queue;

/* The queue does not change between these two calls, so that several of the reads below agree with each other. The caller
   takes no other lock and does not block in between. */
void queue_view_lock(struct queue *queue);
void queue_view_unlock(struct queue *queue);

/* Where an experiment stands when nothing more is submitted and usage does not decay. Exact for one device and runs of
   equal length. For several devices the position counts all that is before it and may take one of them; ahead_s is
   what of that falls to these devices, divided by their number. Logarithmic in what waits, linear in the owners and
   their owner queues. Returns the position. */
int queue_view_position(struct queue *queue, const char *id, struct queue_position *position);

/* Seconds until all of a sweep has ended; negative: not known, held, or nothing of it is queued or runs. *paused: some
   of it waits for devices that are held. */
double queue_view_sweep_eta_s(struct queue *queue, const char *id, bool *paused);

/* Returns the request of the sweep's next experiment, to be freed; *device is its device (-1: unbound). NULL: one of
   the sweep runs (*runs is true), none waits, or no memory. */
char *queue_view_sweep_next(struct queue *queue, const char *id, int *device, bool *runs);

/* Copies the ids of the sweep's experiments whose end is not committed yet, at most `most`, and returns their number. */
int queue_view_sweep_ended(struct queue *queue, const char *id, char ended[][ID_BYTES], int most);

/* Seconds until one more experiment of that owner would begin on the device; negative: not known, or held. */
double queue_view_wait_s(struct queue *queue, int device, const char *owner);

struct device_stats {
    int queued;             /* experiments that wait and may run on the device */
    int bound;              /* of these, those that may run only there */
    char running[ID_BYTES]; /* empty: none */
    double mean_s;          /* duration of the device's recent experiments; negative: none yet */
    struct queue_hold hold; /* of this device alone */
    double oldest_s;        /* age of the experiment that waits longest; 0: none waits */
    double busy_s;          /* time for which experiments had the device since queue_open() */
};

/* QUEUE_ALL_DEVICES: the hold of all together, and `queued` counts each experiment that waits once; the rest is
   zero and mean_s negative, as all is for a number that no device has. */
void queue_view_device(struct queue *queue, int device, struct device_stats *stats);

struct queue_owner {
    char name[USER_NAME_BYTES]; /* empty: without a name */
    int queued;                 /* experiments that wait and may run on the device */
    bool running;               /* on the device */
    double share;               /* as in struct queue_share */
    int overrides;              /* those of `queued` that are overrides */
    /* For the first QUEUE_OWNERS_PLACED owners; for others empty and negative. */
    char next[ID_BYTES]; /* of its waiting experiments the next one; empty: none */
    double begins_s;     /* seconds until that begins; negative: not known, or held */
    double ends_s;       /* seconds until all of its waiting ones have ended; likewise */
};

enum { QUEUE_OWNERS_PLACED = 20 };

/* The owners that have something queued or running on the device: those with an override in their order, then the
   others by increasing share. *owners is to be freed. Returns how many; -1: no memory. */
int queue_view_owners(struct queue *queue, int device, struct queue_owner **owners);

/* One owner's part of the recent device time of all owners, on all devices. A running experiment counts with its whole
   expected duration. */
struct queue_share {
    char name[USER_NAME_BYTES]; /* empty: without a name */
    double share;               /* 0 to 1 */
};

enum { QUEUE_SHARES_MOST = 20 };

/* The owners who used most, the largest share first. *shares is to be freed. Returns how many, QUEUE_SHARES_MOST at most;
   -1: no memory. */
int queue_view_shares(struct queue *queue, struct queue_share **shares);

/* Is the device held, alone or together with all devices? */
bool queue_view_held(struct queue *queue, int device);

/* Was cancellation requested for the experiment that the device runs? */
bool queue_view_cancelled(struct queue *queue, int device);

/* Was queue_stop() called? */
bool queue_view_stopping(struct queue *queue);
