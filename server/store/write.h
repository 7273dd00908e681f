/* What is handed to the store's writer with store_hand_over(): by the queue, by the pool of devices, by
   calibrations, and within the store by what removes. All other code reads. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/error.h"
#include "server/store/job.h"

struct sweep_point; /* api/sweep.h */
struct source_definition;

enum { STORE_KEY_MS = 24 * 3600 * 1000, STORE_CHANGES = 2, STORE_REMOVED_MAX = 128 };

/* What an event says of an experiment beside its state. Texts here and below are borrowed until done(). */
struct store_about {
    const char *sweep, *owner; /* NULL or empty: none, nobody by name */
    const char *request;       /* for the kernel's name; NULL: there is no event */
    int device;                /* -1: not bound to one yet */
};

/* One experiment of a submission. */
struct store_experiment {
    char id[ID_BYTES];
    const char *kernel;
    const char *request;                     /* JSON object with every default filled in; stored as it is */
    const struct source_definition *sources; /* kernels that users bring and that it uses: stored with it */
    int source_count;
    int device; /* -1: it may run on several, and none has taken it */
    int priority;
    int points;       /* of its sweep that it stands for; 0 without a sweep */
    int repeat_index; /* of a sweep that is repeated: the round, from 0; -1: of none */
    double timeout_s;
};

/* New experiments, queued: all of a sweep, or one by itself. */
struct store_submission {
    const struct store_experiment *experiments; /* of a sweep round by round, as many in each */
    int count;                                  /* in all rounds */
    const char *owner;                          /* NULL or empty: nobody by name */
    const char *sweep;                          /* the sweep's id; NULL: one experiment by itself */

    /* Of a sweep. */
    const char *request;
    const char *recipe; /* NULL: none */
    const struct sweep_point *points;
    int point_count; /* of one round */
    int rounds;
    bool spread; /* its experiments may go to different devices */

    int64_t submitted_ms;
    const char *key; /* idempotency key of that owner or NULL: looked up first, remembered for STORE_KEY_MS */
    const char *fingerprint; /* with a key */
    bool known_only;         /* the queue is full: ERROR_FULL unless the key is known */
};

/* A run that was lost: appended to the experiment's list. */
struct store_lost {
    int attempt, device;
    int64_t at_ms; /* wall clock */
    const char *why;
};

/* Binds to this device whatever of a sweep waits and is bound to none. */
struct store_bind {
    char sweep[ID_BYTES];
    int device;
};

struct store_cancelled {
    char id[ID_BYTES];
    int attempt;
    struct store_about about;
};

/* Cancels what of a sweep is queued. */
struct store_cancel {
    char sweep[ID_BYTES];
    int64_t finished_ms;
    const struct error *failure;
    const struct store_cancelled *experiments; /* those that are queued, for their events */
    int count;
};

/* Removes what has ended, or restores it: its rows stay as they are, and readers do not see them. */
struct store_mark {
    char id[ID_BYTES];
    bool sweep, restore;
    char by[USER_NAME_BYTES]; /* who removes it; empty: nobody by name */
    int64_t now_ms, until_ms; /* wall clock: now, and when its rows may be deleted */
};

/* One step of deleting rows: as much as takes a few milliseconds. */
struct store_removal {
    /* Wall clock: what was removed is deleted when its time is over; 0: only what is half deleted. */
    int64_t now_ms;
    /* Further what has ended, while it did so before that moment or the database has more bytes in use; 0:
       neither. Free pages are given back to the disk. */
    int64_t ended_before_ms, keep_bytes;

    /* For done(). */
    bool more; /* not all is removed, or was not before this step: hand it over again; false at first */
    int count;
    char removed[STORE_REMOVED_MAX][ID_BYTES]; /* experiments that are gone with this step */
};

/* The new state of an experiment. All columns that change are absolute, so that a change which follows a lost
   one makes up for it. */
struct store_change {
    char id[ID_BYTES];
    enum job_state state;
    int attempt;
    int64_t started_ms, finished_ms;
    const char *result;            /* JSON, stored as it is; NULL: none */
    const struct samples *samples; /* api/samples.h; empty or NULL: none */
    const struct error *failure;   /* NULL: none */
    bool moved;                    /* the device (about) is another than before: from -1, or back to it */
    const struct store_lost *lost; /* NULL: none was */
    struct store_about about;
};

/* What an owner has used of the devices; replaces what is stored. */
struct store_share {
    const char *owner;
    double used_s; /* as of at_ms */
    int64_t at_ms; /* wall clock */
};

/* Holds a device, or resumes it. One that is held stays as it is. */
struct store_hold {
    int device; /* -1: all of them */
    bool held;
    const char *owner; /* who holds it */
    int64_t since_ms;
};

/* A device by its number: its name, when that is new, and its executor's last hello. */
struct store_device {
    int number;
    bool replaces_old_device; /* takes the number of another; REFUSED when an experiment or a hold has it */
    const char *name;
    const char *hello; /* NULL: the stored one stays */
    int64_t hello_ms; /* when it said that or was last used; an earlier time than is stored changes nothing */
};

/* The constants of a device's times, from a calibration that ended. */
struct store_calibration {
    int device;
    int64_t made_ms; /* wall clock */
    const char *uuid, *driver, *build;
    const char *sweep;       /* of its experiments */
    const char *calibration; /* JSON object */
};

/* A kernel that a user brings, stored for an owner or not any more. */
struct store_kernel {
    const char *name;    /* made of the content */
    const char *owner;   /* empty: nobody by name */
    bool remove, of_all; /* of_all: with `remove`, of every owner */

    /* Of one that is stored. The same content again replaces title and is_public (WRITE_AGAIN). */
    const char *entry, *definition; /* as in the table sources */
    const char *title;              /* NULL: none */
    bool is_public;
    int64_t stored_ms; /* wall clock */
    int limit;         /* of kernels of one owner: ERROR_CONFLICT beyond it */
};

/* One unit: all of it is committed or none. */
struct store_write {
    const struct store_submission *submission; /* NULL: none, as the others */
    const struct store_cancel *cancel;
    const struct store_share *share;
    const char *const *forgotten_owners; /* whose shares are removed */
    int forgotten_count;
    const struct store_hold *hold;
    const struct store_bind *bind; /* before the changes */
    const struct store_device *devices;
    int device_count;
    const struct store_calibration *calibration;
    const struct store_kernel *kernel;
    const struct store_mark *mark; /* ERROR_NOT_FOUND, or ERROR_CONFLICT: it has not ended */
    struct store_removal *removal;
    struct store_change changes[STORE_CHANGES];
    int change_count;
    /* A patient write outlives a failing disk: it is tried again until it is committed or the store is
       flushed. Any other is answered with the failure. */
    bool patient;

    /* Called once, from the writer's thread: after the commit with NULL, or with the reason why it failed.
       ERROR_UNCERTAIN: the disk failed, and after a crash the write may be found to be committed. The write
       is its owner's again from here. It must not block; it may hand over another. */
    void (*done)(struct store_write *write, const struct error *failed);

    /* For done(), with a submission; the outcome also with a kernel. */
    enum { WRITE_NEW, WRITE_AGAIN, WRITE_MISMATCH } outcome;
    char known_id[ID_BYTES]; /* AGAIN: the earlier one's */

    /* The writer's. */
    struct error refusal; /* of this write alone, in the present transaction */
    STAILQ_ENTRY(store_write) entries;
};
