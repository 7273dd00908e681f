/* How experiments and points of sweeps look in answers. All texts are borrowed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/json_writer.h"

enum { VIEW_WAITS_BYTES = 512 };

struct view_experiment {
    const char *id, *state, *kernel;
    const char *entry; /* the function of a kernel that a user brought; NULL: the kernel is the suite's */
    bool ended;
    int device; /* number; -1: none yet */
    int attempt;
    char device_name[64];                          /* empty: none yet, or no longer known */
    int64_t submitted_ms, started_ms, finished_ms; /* wall clock; 0: not yet */
    const char *request;                           /* JSON object */
    const char *result;                            /* JSON object, or NULL */
    const struct error *failure;                   /* kind ERROR_NONE: none */
    const char *lost;  /* JSON list of {attempt, device, at (ms), why}; NULL: none */
    const char *sweep; /* it belongs to; NULL or empty: none */
    bool repeated;     /* that sweep is: then repeat_index is its round, from 0 */
    int repeat_index;
    const char *owner; /* its name; NULL or empty: nobody by name */
    /* while it has not ended */
    int position;    /* 0: running or next; -1: not known */
    double eta_s;    /* until its end; negative: not known */
    bool cancelling; /* somebody asked for its end */
    bool paused;     /* it does not begin before somebody resumes its device, or the queue */
    bool running;
    int sweep_left; /* of one that runs: how many of its sweep have not ended, with this one; 0: not told */
    bool unwritten; /* it has ended, and the service cannot write that, as waits_for says */
    char waits_for[VIEW_WAITS_BYTES]; /* why it cannot begin, besides other experiments; empty: it can */
};

/* One that waits or runs, with its position. */
void view_experiment_queued(struct json_writer *json, const char *key,
                            const struct view_experiment *experiment);

/* All of it: the state of one that has not ended, or the result. */
void view_experiment_write(struct json_writer *json, const char *key,
                           const struct view_experiment *experiment);

/* What its submission or its cancellation answers: id, state, position, eta_seconds, links. */
void view_experiment_accepted(struct json_writer *json, const char *key,
                              const struct view_experiment *experiment);

/* One of a list: without its result. */
void view_experiment_summary(struct json_writer *json, const char *key,
                             const struct view_experiment *experiment);

/* Writes device and device_name as members of the open object: null where there is none, negative or empty. */
void view_device_name(struct json_writer *json, int device, const char *name);

/* Writes a link: the path, and what follows it. */
void view_link(struct json_writer *json, const char *key, const char *path, const char *id);

/* ---- points of sweeps ---- */

struct view_point {
    int index;
    bool repeated; /* its sweep is: then this run of it is of round repeat_index, from 0 */
    int repeat_index;
    const char *values;                       /* JSON object */
    const struct view_experiment *experiment; /* NULL: it cannot be launched, or was removed */
    const char *request,
        *failure;   /* of one that cannot be launched: JSON objects, what was asked for and what is wrong */
    const char *id; /* of one that was removed */
    const char *reference; /* JSON object whose members are shown with it; NULL: none */
    const char *notes; /* on the published table of its recipe: JSON; a table alone has them; NULL: none */
};
void view_point_write(struct json_writer *json, const char *key, const struct view_point *point);

/* Why a point has neither an experiment nor a reason: JSON object, {kind, detail}. */
#define VIEW_REMOVED "{\"kind\":\"not_found\",\"detail\":\"the experiment was removed from the store\"}"
