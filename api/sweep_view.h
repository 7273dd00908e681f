/* How a sweep and its points look in answers. */
#ifndef COALESCED_API_SWEEP_VIEW_H
#define COALESCED_API_SWEEP_VIEW_H

#include "api/device_set.h"
#include "api/experiment_view.h"

struct view_ran {
    int device;
    char name[64]; /* empty: no longer known */
};

struct view_sweep {
    const char *id, *state;
    const char *request; /* JSON object; NULL: leave it out */
    const char *recipe;  /* NULL: none */
    const char *owner;   /* as an experiment's */
    bool spread;
    struct view_ran devices[DEVICE_SET_MOST]; /* where its experiments run or ran */
    int device_count;
    int64_t submitted_ms, finished_ms; /* 0: not yet */
    int repeat;                        /* rounds over all points; 1: it is not repeated */
    int total, queued, running, succeeded, failed, cancelled; /* runs: points in all rounds */
    int removed;             /* runs whose experiment was removed from the store */
    double eta_s;            /* until the last has ended; negative: not known */
    bool cancelling, paused; /* as an experiment's, as the next */
    char waits_for[VIEW_WAITS_BYTES];
};

/* Leaves the object open: members may follow. */
void sweep_view_open(struct json_writer *json, const char *key, const struct view_sweep *sweep);

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
};
void sweep_view_point(struct json_writer *json, const char *key, const struct view_point *point);

/* Why a point has neither an experiment nor a reason: JSON object, {kind, detail}. */
#define VIEW_REMOVED "{\"kind\":\"not_found\",\"detail\":\"the experiment was removed from the store\"}"

#endif
