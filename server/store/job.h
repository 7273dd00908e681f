/* What the store holds, as its readers return it: experiments, sweeps, points, events; and which of them a
   list has. Requests and results are JSON texts that the store neither parses nor prints: api/ writes them
   and composes the views. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/device_set.h"
#include "base/error.h"
#include "server/auth/tokens.h"
#include "server/store/id.h"

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED, JOB_STATES };

/* "queued", "running" ...; static. */
const char *job_state_name(enum job_state state);

/* -1 when there is none of that name. */
int job_state_of(const char *name);

static inline int job_state_ended(enum job_state state)
{
    return state >= JOB_SUCCEEDED;
}

/* An experiment; every field is on disk. Free with job_free(). */
struct job {
    char id[ID_BYTES];
    enum job_state state;
    int device;   /* number; -1: it may run on several, and none has taken it yet */
    int priority; /* the higher the sooner */
    int attempt;  /* runs begun and not handed back uncounted: 0 before the first */
    double timeout_s;
    int64_t submitted_ms, started_ms, finished_ms; /* wall clock; 0: not yet */
    char sweep[ID_BYTES];                          /* that it belongs to; empty: none */
    char owner[USER_NAME_BYTES];                   /* who submitted it; empty: nobody by name */
    int repeat_index;     /* the round of its sweep, from 0; -1: it is not repeated */
    char *kernel;         /* owned, as all below */
    char *entry;          /* the function of a kernel that a user brought; NULL: the kernel is the suite's */
    char *request;        /* JSON object with every default filled in */
    char *result;         /* JSON object, or NULL */
    char *lost;           /* JSON list of {attempt, device, at (ms), why}: runs that were lost; NULL: none */
    struct error failure; /* kind ERROR_NONE unless failed or cancelled */
};

/* NULL is allowed. */
void job_free(struct job *job);

/* A sweep, with its progress, which is counted when it is read; the other fields are on disk. Free what it
   owns with sweep_row_clear(). */
struct sweep_row {
    char id[ID_BYTES];
    char owner[USER_NAME_BYTES]; /* as a job's */
    int64_t submitted_ms;
    int64_t finished_ms; /* counted: of the last one that ended; 0: none did */
    bool cancelled;      /* somebody cancelled it */
    bool spread;         /* its experiments may go to different devices */
    int rounds;          /* over all points; 1: it is not repeated */
    int total;           /* runs: points in all rounds */
    int states
        [JOB_STATES]; /* counted: runs by the state of their experiment; failed if they cannot be launched */
    int refused;      /* runs that cannot be launched: they have no experiment */
    struct device_set devices; /* counted: those that have its experiments, or had */
    int removed;               /* counted: runs whose experiment was removed from the store */
    char *request;             /* as it came; owned, as the next */
    char *recipe;              /* NULL: none */
    char *entry;               /* as a job's, where the request names one kernel */
};

/* True when every run has ended. */
static inline bool sweep_row_ended(const struct sweep_row *row)
{
    return row->states[JOB_QUEUED] + row->states[JOB_RUNNING] == 0;
}

enum sweep_state { SWEEP_RUNNING, SWEEP_SUCCEEDED, SWEEP_FINISHED, SWEEP_CANCELLED, SWEEP_STATES };

/* running: a run has not ended; then cancelled: somebody cancelled it, or each run that was not removed; succeeded: every run that was not removed
   did, and one at least; else finished. */
enum sweep_state sweep_row_state(const struct sweep_row *row);

const char *sweep_state_name(enum sweep_state state);

/* -1 when there is none of that name. */
int sweep_state_of(const char *name);

void sweep_row_clear(struct sweep_row *row);

/* One run of a point of a sweep; all is on disk, and borrowed. Without a job it cannot be launched (there is a
   reason), or its experiment was removed from the store. */
struct point_row {
    int place;        /* of the run: the rounds of a point follow each other */
    char *axes;       /* JSON object: the axes' values */
    char *experiment; /* its id; NULL: it cannot be launched */
    struct job *job;  /* NULL: there is none, or not any more */
    char *reference;  /* JSON object: what a recipe published and predicts; NULL: none */
    char *request;    /* of one that cannot be launched, as the next: what was asked for */
    char *reason;     /* {kind, detail, errors} */
};

enum { STORE_EVENTS_MAX = 16384 }; /* so many are stored, about */

/* The events of one transaction, numbered last - count + 1 to last: a line "KIND JSON\n" each, KIND is state,
   sweep or queue (api/openapi.yaml). */
struct store_events {
    int64_t last;
    int count;
    const char *lines;
    size_t size;
};

/* Which experiments, or sweeps, a list has. */
struct store_filter {
    const char *kernel;              /* NULL: any */
    int state;                       /* an enum job_state, of sweeps an enum sweep_state; -1: any */
    int device;                      /* -1: any */
    const char *sweep;               /* NULL: any */
    const char *owner;               /* NULL: any; empty: nobody by name */
    const char *label, *label_value; /* a label that the request has, with that value; NULL: any */
    const char *without_label;       /* of sweeps: a label that the request does not have; NULL: any */
    const char *device_uuid;         /* of the device that its result names; NULL: any */
    int64_t since_ms;                /* submitted then or later; 0: whenever */
    int64_t until_ms;                /* submitted before then; 0: whenever */
    const char *before;              /* an id: older ones only; NULL: from the newest */
    int limit;                       /* rows at most */
    int within_ms; /* for a page, else ERROR_UNAVAILABLE; 0: two seconds; negative: no limit */
};
