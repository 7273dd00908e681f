/* Decides what is to be queued for a request that submits, or what is wrong with it: from the request as
   HTTP gave it and the devices of one moment. Knows no HTTP, takes no lock, changes nothing. */
#pragma once

#include "api/device_fit.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "api/experiment_request.h"
#include "api/sweep.h"
#include "server/auth/users.h"
#include "server/routes/sweep_reply.h"

enum { SUBMISSION_KEY_MAX = 255, SUBMISSION_FINGERPRINT_BYTES = 40, SUBMISSION_SOURCE_NAME_BYTES = 24 };

/* Where kernels that users bring come from. NULL in a request: none is taken. */
struct submission_sources {
    source_find *find;
    /* Has it compiled; what is wrong is added at "#/source". 0; or -1: *error. Blocks. */
    int (*compile)(void *arg, const struct source_kernel *kernel, struct problems *problems,
                   struct error *error);
    void *arg;
};

/* All that is read of the request. Texts are borrowed. */
struct submission_request {
    const char *body;
    size_t length;
    bool sweep;      /* any field may be a list; else it is one experiment's, which may have "repeat" */
    const char *key; /* Idempotency-Key; NULL: none */
    const struct user *user; /* who asks */
    int wait_s;              /* "Prefer: wait=N"; 0: none */
    struct sweep_page page;  /* of the answer of a sweep */
    const struct submission_sources *sources;
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
    char *single_text;                              /* owned */
    struct request_kernels kernels;                 /* that users bring; owned, `items` borrows from them */
    char source_name[SUBMISSION_SOURCE_NAME_BYTES]; /* of a single experiment of such a kernel */
};

/* What is wrong. */
struct submission_fault {
    enum submission_fault_kind {
        SUBMISSION_MALFORMED, /* `detail` says how */
        SUBMISSION_INVALID,   /* `problems`: fields */
        SUBMISSION_FORBIDDEN, /* `problems`: fields for which the user's role is not enough */
        SUBMISSION_UNKNOWN,   /* `device` may be chosen and has not said hello yet */
        SUBMISSION_FAILED,    /* `error` says why it cannot be decided */
        SUBMISSION_NO_MEMORY,
    } kind;
    char detail[JSON_PARTS_DETAIL_BYTES];
    struct problems problems;
    struct error error;
    int device;
};

/* True: the body may ask for a user's own kernel. Planning it may read the database and compile a source: use the worker
   pool. */
bool submission_plan_may_compile(const char *body, size_t length);

/* 0, then to be given to submission_plan_clear(); or -1 with *fault and nothing to clear. One experiment
   takes some 20 us, a sweep of 10,000 points 200 ms, one of a recipe up to two seconds more. */
int submission_plan_make(struct submission_plan *plan, const struct submission_request *request,
                         const struct submission_devices *devices, struct submission_fault *fault);

/* Frees what is queued by now; the figures stay. */
void submission_plan_clear(struct submission_plan *plan);
