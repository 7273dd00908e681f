/* Decides what is to be queued for a request that submits, or what is wrong with it: from the request as
   HTTP gave it and the devices of one moment. Knows no HTTP, takes no lock, changes nothing. */
#ifndef COALESCED_SERVER_ROUTES_SUBMISSION_PLAN_H
#define COALESCED_SERVER_ROUTES_SUBMISSION_PLAN_H

#include "api/device_fit.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "api/sweep.h"
#include "server/auth/users.h"
#include "server/routes/sweep_reply.h"

enum { SUBMISSION_KEY_MAX = 255, SUBMISSION_FINGERPRINT_BYTES = 40 };

/* All that is read of the request. Texts are borrowed. */
struct submission_request {
    const char *body;
    size_t length;
    bool sweep;      /* any field may be a list; else it is one experiment's, which may have "repeat" */
    const char *key; /* Idempotency-Key; NULL: none */
    const struct user *user; /* who asks */
    int wait_s;              /* "Prefer: wait=N"; 0: none */
    struct sweep_page page;  /* of the answer of a sweep */
};

/* The devices of one moment, and the choice of a request that makes none. */
struct submission_devices {
    const struct device_offers *offers;
    const char *default_device; /* --default-device; NULL or empty: none */
    int first;                  /* number of the list's first device; -1: none */
};

/* What is to be queued. Not to be moved. */
struct submission_plan {
    bool sweep;
    struct sweep items;  /* of a single experiment: one, which is `single` */
    const char *request; /* of a sweep: its text; owned */
    const char *recipe;  /* of a sweep; NULL: none */
    char fingerprint
        [SUBMISSION_FINGERPRINT_BYTES]; /* with a key: equal requests have equal ones; else empty */
    /* how much it is, also after submission_plan_clear() */
    int points, rounds, runs; /* runs: experiments of all rounds */
    double timeouts_s;        /* sum of the runs' time limits */
    const char *kernel;       /* of a single experiment */
    int device;               /* of a single experiment that names one; else -1 */
    struct sweep_experiment single;
    char *single_text; /* owned */
};

/* What is wrong. */
struct submission_fault {
    enum submission_fault_kind {
        SUBMISSION_MALFORMED, /* `detail` says how */
        SUBMISSION_INVALID,   /* `problems`: fields */
        SUBMISSION_FORBIDDEN, /* `problems`: fields for which the user's role is not enough */
        SUBMISSION_UNKNOWN,   /* `device` may be chosen and has not said hello yet */
        SUBMISSION_NO_MEMORY,
    } kind;
    char detail[JSON_PARTS_DETAIL_BYTES];
    struct problems problems;
    int device;
};

/* 0, then to be given to submission_plan_clear(); or -1 with *fault and nothing to clear. One experiment
   takes some 20 us, a sweep of 10,000 points 200 ms, one of a recipe up to two seconds more. */
int submission_plan_make(struct submission_plan *plan, const struct submission_request *request,
                         const struct submission_devices *devices, struct submission_fault *fault);

/* Frees what is queued by now; the figures stay. */
void submission_plan_clear(struct submission_plan *plan);

#endif
