/* Which experiment a device takes next (the first one of the owner that is next), and which device's worker is woken for
   what waits. Called with the queue's lock held. */
#pragma once

#include "server/queue/queue_state.h"

/* The device groups whose experiments the device may take, its own first: the one after `group`. NULL: the
   first; returns NULL after the last. */
struct device_group *schedule_group_after(struct queue *queue, int device, struct device_group *group);

/* The experiment that the device runs next; NULL: none waits. Linear in the device groups, and in the
   owners that have something in the groups of the device. */
struct entry *schedule_next(struct queue *queue, int device);

/* Does nothing begin on this device before it, or all devices, are resumed? */
bool schedule_held(const struct queue *queue, int device);

/* How a device stands to what waits. */
enum schedule_need {
    NEED_NONE,      /* nothing waits that may run there */
    NEED_ELSEWHERE, /* enough other devices are readier for it */
    NEED_HERE
};
enum schedule_need schedule_need(struct queue *queue, int device);

/* Wakes the readiest worker that sleeps and may take what waits for these devices. It prefers devices in
   the same order as schedule_need(), so a worker never leaves work to one that stays asleep. */
void schedule_wake(struct queue *queue, const struct device_set *devices);

/* The same for each unbound group of the device in which something waits. */
void schedule_wake_groups(struct queue *queue, int device);

void schedule_set_readiness(struct queue *queue, int device, enum queue_readiness readiness);

/* Duration to expect, in seconds, on that device (-1: on any) of an owner's experiment (NULL: of a new owner's) whose arrays
   have that many bytes (0: not known): from the owner's recent ones there, or where there are none from those of all owners;
   when nothing is known, a second. */
double schedule_bytes_s(const struct queue *queue, const struct owner *owner, int device, double bytes);

/* The expected duration, in seconds, of a run with the mean array size of the owner's waiting experiments. */
double schedule_mean_s(const struct queue *queue, const struct owner *owner, int device);

/* The expected duration, in seconds, of an experiment that is waiting or running, on its device. */
double schedule_entry_s(const struct queue *queue, const struct entry *entry);

/* How long what a device runs will have had it at its end: what is expected of one of its size; where it has outlived that, half as long
   again as it has run, so that nobody is told that the next one begins at once for as long as it goes on. */
double schedule_run_s(const struct queue *queue, const struct entry *running, int64_t now_ns);

/* Usage of the owner, including what runs now as if it had ended, so that two devices do not both take
   from one owner. */
double schedule_used_s(const struct queue *queue, const struct owner *owner, int64_t now_ns);
