/* The queue's face: other rooms include this alone. Who runs next, and the only changer of an experiment's state: queued, running, then succeeded, failed or
   cancelled. What waits is in memory once, in its owner's owner queue for the device group on which it may run, oldest first
   within a priority; whose turn it is says entries/turn.h. Every change is handed
   to the store's one writer, which commits all that waits in one transaction (store.h).

   What names a device is bound to it from the beginning. What may run on whatever fits, be that one or several now, is
   bound to none (device -1, in memory and on disk) until one takes it; handed back, it is bound to none again. A sweep that is not spread goes
   whole to the device that takes the first of it, and stays there.

   Functions may be called from any thread unless they say otherwise; callbacks come from the writer's thread
   after the commit, must not block, and must not take a lock that is held by anybody who calls the queue.
   They may call the queue, except for queue_close(). */
#ifndef COALESCED_SERVER_QUEUE_QUEUE_H
#define COALESCED_SERVER_QUEUE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/device_set.h"
#include "api/protocol.h"
#include "base/error.h"
#include "server/store/job.h"

struct queue;
struct store;
struct sweep; /* api/sweep.h */

/* A request whose devices are wanted (queue_config.select). */
struct queue_selection {
    const char *request; /* JSON object, borrowed */
    struct device_set
        /* set by select(): those of the present devices on which it may run; empty: none is known now */
        devices;
    bool open; /* set by select(): it is open (sweep_experiment.open) */
};

struct queue_config {
    int devices;                      /* numbers of devices are below it, whether there is a device or not */
    const struct device_set *present; /* those that there are when it opens; NULL: all below `devices` */
    int limit;                        /* experiments that may wait, all devices together */
    /* of one owner; 0: no bound but `limit`, of which else a 64th is always each owner's own */
    int owner_limit;
    double owner_seconds; /* sum of the time limits of what an owner has waiting; 0: no bound */
    double half_life_s;   /* of used device time; 0: an hour */
    /* runs that an experiment may lose, to the end of the service or a kill of the executor, until it fails */
    int attempts;
    /* An experiment's state changed and is committed. May be NULL. */
    void (*changed)(void *arg, const char *id, enum job_state state);
    /* All of a sweep's experiments have ended, and that is committed; after the last one's `changed`. May be NULL. */
    void (*sweep_ended)(void *arg, const char *sweep);
    void *changed_arg; /* of both */
    /* Selects the devices of all these requests, as the devices are at one moment. Called when the queue opens, and when devices
       come, leave or are ready for the first time and so tell what they are (queue_present(), queue_readiness()); from one thread
       at a time, without the queue's lock: it may take long. An experiment for which no device is known waits for the next
       selection. What was running when the service died and is open is bound to no device again.
       NULL: devices stay as they were submitted, and are all that are present after a restart. */
    void (*select)(void *arg, struct queue_selection *selections, int count);
    void *select_arg;
    /* What ran on these devices when the service before this one died may run on for so long, out of everybody's reach:
       so long nothing begins where that could begin again. NULL, 0: on none. */
    const struct device_set *outliving;
    double outlive_s;
    int64_t (*now_ns)(void); /* for runs and usage; NULL: the monotonic clock */
};

/* Takes up what the store holds: what was running is queued again, or failed as ERROR_ABANDONED when its
   attempts are spent; an experiment that is bound to a device that is not present is failed as ERROR_DEVICE_LOST. What is
   bound to none is selected anew. The store stays
   the caller's and must outlive the queue. Returns 0 or -1. */
int queue_open(struct queue **queue, struct store *store, const struct queue_config *config,
               struct error *error);

/* Waits until what was handed to the store is committed, or given up after a few tries; every done() has been
   called when it returns. What still waits or runs stays so in the store, for the next queue_open(). Nobody
   may be inside any more. NULL is allowed. */
void queue_close(struct queue *queue);

/* ---- whoever submits ---- */

/* A sweep with all of its experiments; or one experiment by itself, which is a sweep of one point. */
struct submission {
    const struct sweep *sweep;   /* the runs are copied, but for their kernels' names */
    const char *owner;           /* who submits: its name; NULL or empty: nobody by name */
    const char *request;         /* the sweep's, JSON object as it came; NULL: one experiment by itself */
    const char *recipe;          /* of a sweep; NULL: none */
    const char *idempotency_key; /* the owner's own; NULL: none */
    const char *fingerprint;     /* with a key: what must be equal when it comes again */
};

struct submitted {
    enum {
        SUBMITTED_NEW,      /* queued and on disk */
        SUBMITTED_AGAIN,    /* the key is known with the same fingerprint: id is the earlier one's */
        SUBMITTED_MISMATCH, /* the key is known with another */
        SUBMITTED_FAILED    /* error says why; nothing was queued */
    } outcome;
    char id[ID_BYTES];
    struct error error;
};

/* All or nothing, in one transaction. *submission itself is copied; what it points to is borrowed until done(), but
   for the runs. Returns 0 and calls done(arg, ...) exactly once, later, after the commit, with the id of the sweep or
   of the experiment; or -1 and never calls it: ERROR_FULL, ERROR_UNAVAILABLE (stopping), ERROR_INVALID (no such
   device, or more than may ever wait), ERROR_MEMORY. A full queue still looks up an idempotency key: its
   SUBMITTED_FAILED is then ERROR_FULL. Those of a sweep that is not spread and that may run on several devices may run on
   what is common to all of them; ERROR_INVALID when there is none. */
int queue_submit(struct queue *queue, const struct submission *submission,
                 void (*done)(void *arg, const struct submitted *), void *arg, struct error *error);

/* Cancels. Queued: it is ended and done(arg, NULL) comes after the commit. Running: the `cancelled` flag that
   queue_cancelled() reads is set, the device's worker is woken, done comes at once from this thread, and its end
   follows in time. Returns 0; or -1 and never calls done: ERROR_NOT_FOUND (not known here: it ended, the store tells
   how, or never was), ERROR_CONFLICT (it ended just now and the store does not tell yet), ERROR_MEMORY. When
   the store cannot write, done(arg, failed) comes and it waits as before. */
int queue_cancel(struct queue *queue, const char *id, void (*done)(void *arg, const struct error *failed),
                 void *arg, struct error *error);

/* Cancels all that has not ended: what is queued in one transaction, after whose commit what runs is told as by
   queue_cancel(), and done() comes. When the store cannot write, done(arg, failed) comes and all goes on. Returns and fails as queue_cancel(). */
int queue_cancel_sweep(struct queue *queue, const char *id,
                       void (*done)(void *arg, const struct error *failed), void *arg, struct error *error);

struct queue_place {
    int position; /* 0 is running or next when nothing runs; -1: it is neither queued nor running */
    double
        ahead_s; /* how long what is before it will take; 0: nothing is; negative: not known, or it is held */
    double
        /* how long it takes itself, by its owner's or else the device's last ones; negative: not known */
        own_s;
    bool paused; /* it does not begin before somebody resumes one of its devices, or all of them */
};

/* As it will be when nothing more is submitted and usage is not forgotten meanwhile: exact for one device and runs of
   equal length, logarithmic in what waits and linear in the owners and their owner queues. With sets of several devices an
   estimate: the position counts all that is before it and may take one of its devices; ahead_s is that work, as far as it
   falls to these devices, over how many of them there are. Returns the position. */
int queue_position(struct queue *queue, const char *id, struct queue_place *place);

/* How long until the last of a sweep has ended; negative: not known, held, or nothing of it is queued or runs. *paused:
   some of it waits for devices that are held. */
double queue_sweep_eta(struct queue *queue, const char *id, bool *paused);

/* What of a sweep comes next when nothing of it runs: its device (-1: it is bound to none), and its request, to be freed.
   NULL: something runs, nothing waits, or no memory. */
char *queue_sweep_next(struct queue *queue, const char *id, int *device);

/* How long until one more of that owner would begin on the device; negative: not known, or held. */
double queue_next_s(struct queue *queue, int device, const char *owner);

struct queue_hold {
    bool held;
    char owner[USER_NAME_BYTES]; /* who did it; empty: nobody by name */
    int64_t since_ms;            /* wall clock */
};

struct queue_depth {
    int queued;             /* what waits and may run there */
    int bound;              /* of that, what may run there alone */
    char running[ID_BYTES]; /* empty: none */
    double mean_s;          /* of the last experiments on that device; negative: none yet */
    struct queue_hold hold; /* of this device alone */
    double oldest_s;        /* since the submission of the one that waits longest; 0: none waits */
    double busy_s;          /* so long did experiments have the device since queue_open() */
};
void queue_depth(struct queue *queue, int device, struct queue_depth *depth);

/* How many wait, each once, on however many devices it may run. */
int queue_waiting(struct queue *queue);

struct queue_owner {
    char name[USER_NAME_BYTES]; /* empty: nobody by name */
    int queued;                 /* that may run on this device */
    bool running;               /* on it */
    double share;               /* of what all owners used of all devices lately, 0 to 1 */
    /* Of the first few owners, as queue_position() tells it; else empty and negative. */
    char next
        /* that runs next of what waits; empty: none does, but for an admin's before everybody's */
        [ID_BYTES];
    double begins_s; /* how long until it begins; negative: not known, or held */
    double ends_s;   /* how long until all that waits of it has ended; the same */
};

enum { QUEUE_OWNERS_PLACED = 20 };

/* Who has something queued or running on the device, whose turn is next first. *owners is to be freed. Returns how many;
   -1: no memory. */
int queue_owners(struct queue *queue, int device, struct queue_owner **owners);

/* How long until that owner may have `count` more waiting, of `timeouts_s` seconds in sum, when nobody else submits: what
   waits gets less as fast as it did lately, each owner's by its share. 0: now; a minute: nothing of it
   gets less while a device is held; negative: not known yet, or never. */
double queue_room_s(struct queue *queue, const char *owner, int count, double timeouts_s);

/* ---- holds ---- */

enum { QUEUE_ALL_DEVICES = -1 };

/* Holds a device (or QUEUE_ALL_DEVICES): what runs there ends, what waits waits, and that outlives the service; or
   resumes it. What is so already stays as it is, with whoever did it first: then *changed (which may be NULL) is false,
   before done() is called. That comes after the commit. Returns 0;
   or -1 and never calls it: ERROR_INVALID (no such device), ERROR_MEMORY. */
int queue_hold(struct queue *queue, int device, bool held, const char *owner, bool *changed,
               void (*done)(void *arg, const struct error *failed), void *arg, struct error *error);

/* Of all devices together. */
void queue_hold_all(struct queue *queue, struct queue_hold *hold);

/* Does the device take nothing new, for either reason? */
bool queue_held(struct queue *queue, int device);

/* ---- which devices there are, and how ready ---- */

/* From here on these take work, and no others: what runs on one that left ends there, what waits for it alone waits on, and
   what may go elsewhere goes elsewhere. When one came that was not there, or left, the devices of what is bound to none are
   selected anew before this returns; or, when another thread is selecting already, by that thread, once more when it has
   ended. */
void queue_present(struct queue *queue, const struct device_set *now);

/* The number is another device's from here on, to which nothing stored refers: forgets how long experiments took there. */
void queue_reset_device(struct queue *queue, int device);

/* How soon a device could begin. */
enum queue_readiness {
    QUEUE_OUT,      /* not usable now: unhealthy, backing off */
    QUEUE_AWAY,     /* there is no executor, and to start one may take long or cost an allocation */
    QUEUE_STARTING, /* one is being started */
    QUEUE_COLD,     /* there is an executor without a context; so each begins, until it is said otherwise */
    QUEUE_WARM,     /* there is one with a context */
    QUEUE_READINESS
};

/* Told by the device's worker whenever it changes. When the device is ready for the first time since it came, or again and
   something waits for which no present device is known, devices are selected as in queue_present(). */
void queue_readiness(struct queue *queue, int device, enum queue_readiness readiness);

/* For the worker of a device that is QUEUE_STARTING: is there still work for it, which nobody takes who is idle and ready,
   or was started before it? */
bool queue_needs(struct queue *queue, int device);

/* ---- the one worker of each device ---- */

/* What a worker holds while it runs one. Borrowed from the queue until queue_turn() or queue_hand_back(). */
struct task {
    char id[ID_BYTES];
    int device, attempt; /* device: -1 while it waits and is bound to none */
    double timeout_s;
    const char *request;
    const char *sweep, *owner; /* while a worker holds it; NULL or empty: none, nobody by name */
};

/* How a task ended. */
struct ending {
    enum job_state state;          /* JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED */
    const char *result;            /* JSON object; may be NULL */
    const struct samples *samples; /* to be kept with it; empty or NULL: none */
    const struct error *failure;   /* NULL when it succeeded */
};

/* Ends the task that the device's worker holds (when `ending` is not NULL) and takes the next one (NULL when
   none waits now, or held, or stopping, or the store cannot write: what ran then would only be kept in memory): one transaction, whose commit is not waited for. An end that cannot be
   committed is kept in memory and tried again until queue_close(). All of *ending is copied. */
const struct task *queue_turn(struct queue *queue, int device, const struct ending *ending);

/* Waits until it is committed that the task which the worker holds runs. False: the service stops before. */
bool queue_begun(struct queue *queue, int device);

/* Puts the task that the worker holds back at its place; `counted`: an attempt was spent. It ends instead
   when its cancellation was asked for, or when that was its last attempt (ERROR_ABANDONED). It is bound to no device again
   unless it may run here alone or is of a sweep that is not spread. */
void queue_hand_back(struct queue *queue, int device, bool counted);

/* The same, counted, because its executor is gone. `how` is kept with the experiment (job.h: lost), and goes into the reason
   when that was its last attempt. */
void queue_hand_back_lost(struct queue *queue, int device, const char *how);

/* The same, uncounted: the reason is kept with the experiment. */
void queue_give_back(struct queue *queue, int device, const char *how);

/* The experiments that would run next of the same owner on the device, as far as they are of the same sweep as the one
   that its worker holds (of a spread sweep other devices may take them first); to be freed. None when that is of no sweep. Few while others wait: what is done for them
   now, others wait for. */
void queue_ahead(struct queue *queue, int device, struct ahead *ahead);

/* Sleeps until queue_turn() would find something for the device, queue_stop() was called, or timeout_ms passed (-1:
   no limit). True: it would.

   A device that is not WARM leaves what another may run that is WARM and idle to that one, for a moment. One that is AWAY
   leaves it to those that are idle or STARTING, as long as there is one for each piece of work (a sweep that is bound to no
   device and not spread is one piece); else this is true, and it is STARTING from here on. One that is OUT, or is not
   present, finds nothing. */
bool queue_wait(struct queue *queue, int device, int timeout_ms);

/* Was the cancellation of the task that this device's worker holds asked for? */
bool queue_cancelled(struct queue *queue, int device);

/* A file descriptor (eventfd) that becomes readable when the worker of this device should look at
   queue_cancelled() or queue_stopping() again; the worker reads it empty. Owned by the queue. */
int queue_wake_fd(struct queue *queue, int device);

/* ---- the end ---- */

/* From here on nothing is taken and submissions are refused; wakes every worker. */
void queue_stop(struct queue *queue);
bool queue_stopping(struct queue *queue);

#endif
