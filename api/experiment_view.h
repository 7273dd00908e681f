/* How an experiment looks in answers: whole, accepted, or as one of a list. */
#ifndef COALESCED_API_EXPERIMENT_VIEW_H
#define COALESCED_API_EXPERIMENT_VIEW_H

#include "base/error.h"
#include "base/json_writer.h"

enum { VIEW_WAITS_BYTES = 512 };

/* All texts are borrowed. */
struct view_experiment {
    const char *id, *state, *kernel;
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
    char waits_for[VIEW_WAITS_BYTES]; /* why it cannot begin, besides other experiments; empty: it can */
};

/* All of it: the state of one that has not ended, or the result. */
void experiment_view_write(struct json_writer *json, const char *key,
                           const struct view_experiment *experiment);

/* What its submission or its cancellation answers: id, state, position, eta_seconds, links. */
void experiment_view_accepted(struct json_writer *json, const char *key,
                              const struct view_experiment *experiment);

/* One of a list: without its result. */
void experiment_view_summary(struct json_writer *json, const char *key,
                             const struct view_experiment *experiment);

/* ---- members of the open object, for what else is about an experiment ---- */

/* device and device_name: null where there is none, negative or empty. */
void experiment_view_device(struct json_writer *json, int device, const char *name);

/* attempt, and repeat_index where the sweep is repeated. */
void experiment_view_attempt(struct json_writer *json, const struct view_experiment *experiment);

void experiment_view_times(struct json_writer *json, const struct view_experiment *experiment);

/* failure: {kind, detail}; nothing where there is none. */
void experiment_view_failure(struct json_writer *json, const struct view_experiment *experiment);

void experiment_view_links(struct json_writer *json, const struct view_experiment *experiment);

#endif
