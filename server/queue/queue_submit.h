/* Submits experiments: for the routes and the calibrations. Any thread. */
#pragma once

#include "base/error.h"
#include "server/store/id.h"

struct queue;
struct sweep; /* api/sweep.h */

/* A sweep with all of its experiments; or a single experiment, which is a sweep of one point. */
struct queue_submission {
    /* Its experiments are copied, but for names and definitions of kernels. */
    const struct sweep *sweep;
    const char *owner;           /* name of the user who submits; NULL or empty: without a name */
    const char *request;         /* the sweep's JSON object as it came; NULL: a single experiment */
    const char *recipe;          /* of a sweep; NULL: none */
    const char *idempotency_key; /* unique for the owner; NULL: none */
    const char *fingerprint;     /* with a key: must be equal when the key comes again */
};

struct submitted {
    enum {
        SUBMITTED_NEW,      /* queued and on disk */
        SUBMITTED_AGAIN,    /* the key is known with the same fingerprint: id is the earlier one's */
        SUBMITTED_MISMATCH, /* the key is known with another fingerprint */
        SUBMITTED_FAILED    /* error says why; nothing was queued */
    } outcome;
    char id[ID_BYTES];
    struct error error;
};

/* Queues all of it or nothing, in one transaction. *submission is copied; what it points to, but for the
   experiments, is borrowed until done(). Returns 0, and calls done(arg, ...) exactly once after the
   commit, with the id of the sweep or of the single experiment; or -1 and never calls done(): ERROR_FULL,
   ERROR_UNAVAILABLE (stopping), ERROR_INVALID (no such device, or more than may ever wait), ERROR_MEMORY.
   A full queue still looks up an idempotency key, and an unknown key is then SUBMITTED_FAILED with
   ERROR_FULL. The experiments of a sweep that is not spread and that may run on several devices may run on
   the devices that they have in common; ERROR_INVALID when there is none. */
int queue_submit(struct queue *queue, const struct queue_submission *submission,
                 void (*done)(void *arg, const struct submitted *), void *arg, struct error *error);
