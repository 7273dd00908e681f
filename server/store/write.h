/* How the queue hands its changes to the store's writer. Between those two alone: everybody else reads. */
#ifndef COALESCED_SERVER_STORE_WRITE_H
#define COALESCED_SERVER_STORE_WRITE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "server/store/job.h"

struct store;
struct sweep; /* api/sweep.h */

enum { STORE_KEY_MS = 24 * 3600 * 1000, STORE_CHANGES = 2 };

/* A new experiment, queued. All is borrowed until done(). */
struct store_insert {
    const char *id, *kernel, *request;
    int device, priority;
    double timeout_s;
    int64_t submitted_ms;
    const char *key;         /* idempotency key or NULL: looked up first, kept for STORE_KEY_MS */
    const char *fingerprint; /* with a key */
    bool known_only;         /* there is no room for a new one: ERROR_FULL unless the key is known */
};

/* A new sweep with all its experiments, queued. All is borrowed until done(). */
struct store_sweep {
    const char *id, *request;
    const char *recipe; /* NULL: none */
    const struct sweep *sweep;
    const char (*run_ids)[ID_BYTES]; /* of the sweep's runs */
    int64_t submitted_ms;
    const char *key, *fingerprint; /* as of an experiment */
    bool known_only;
};

/* Cancels what of a sweep is queued. */
struct store_cancel {
    char sweep[ID_BYTES];
    int64_t finished_ms;
    const struct error *failure;
};

/* The new state of one that is there. All columns that change are absolute, so that a change which follows a
   lost one makes up for it. The pointers are borrowed until done(). */
struct store_change {
    char id[ID_BYTES];
    enum job_state state;
    int attempt;
    int64_t started_ms, finished_ms;
    const char *result;          /* NULL: none */
    const struct error *failure; /* NULL: none */
};

/* One unit: all of it is committed or none. */
struct store_write {
    const struct store_insert *insert; /* NULL: none, as the next two */
    const struct store_sweep *sweep;
    const struct store_cancel *cancel;
    struct store_change changes[STORE_CHANGES];
    int change_count;
    /* A patient one outlives a failing disk: it is kept and tried again until it is committed or the store is
       flushed. Any other is answered with the failure. */
    bool patient;

    /* Called once, from the writer's thread: after the commit with NULL, or with why it is not to be. The
       write is its owner's again from here. It must not block; it may hand over another. */
    void (*done)(struct store_write *write, const struct error *failed);

    /* For done(), with an insert. */
    enum { WRITE_NEW, WRITE_AGAIN, WRITE_MISMATCH } outcome;
    char known_id[ID_BYTES]; /* AGAIN: the earlier one's */

    struct store_write *next; /* the writer's */
};

/* Any thread; never blocks for long. Writes are applied in the order in which they come. */
void store_hand_over(struct store *store, struct store_write *write);

/* Returns when done() has returned for all that was handed over before. What still cannot be committed after
   a few tries is given up, patient or not. */
void store_flush(struct store *store);

#endif
