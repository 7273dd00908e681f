/* How experiments, sweeps, points, devices and queues look in answers. All texts are borrowed. */
#ifndef COALESCED_API_VIEW_H
#define COALESCED_API_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "api/device_set.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "kernels/facts.h"
#include "kernels/live.h"

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

/* ---- sweeps ---- */

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
void view_sweep_open(struct json_writer *json, const char *key, const struct view_sweep *sweep);

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

/* ---- devices and queues ---- */

/* What takes no new work until somebody resumes it. */
struct view_hold {
    bool held;
    const char *owner; /* who did it; NULL or empty: nobody by name */
    int64_t since_ms;
};

/* Members of the open object: paused, and where it is true paused_by and paused_since. */
void view_hold_write(struct json_writer *json, const struct view_hold *hold);

struct view_device {
    int index;
    const char *name, *note; /* the operator's; the note may be empty */
    bool listed, release;
    const char *readiness;
    const char *build;                /* its executor's; empty: not known */
    const struct device_facts *facts; /* NULL: not known yet */
    const char *health;               /* "healthy", "starting", "unhealthy" */
    const char *reason;               /* why it is not, or what its start waits for */
    int64_t executor;                 /* process id; 0: none */
    bool context;                     /* it may hold memory on the device */
    int64_t runs, failures;
    struct view_hold hold;
    const struct live_reading *live; /* NULL: leave it out */
    double live_age_s;
};
void view_device_write(struct json_writer *json, const char *key, const struct view_device *device);

struct view_owner {
    const char *name; /* NULL or empty: nobody by name */
    int queued;
    bool running;
    double share;     /* of what all owners used lately */
    const char *next; /* the id of what runs next of it; empty: not known */
    double begins_s;  /* until that begins; negative: not known */
    double ends_s;    /* until all of it has ended; negative: not known */
};

struct view_queue {
    int device, queued;
    const char *name;
    const char *running;   /* id; NULL or empty: none */
    double mean_s;         /* of one experiment; negative: not known */
    double eta_s;          /* until a new one would begin; negative: not known */
    const char *waits_for; /* why nothing of it can begin; NULL or empty: it can */
    struct view_hold hold;
    const struct view_owner *owners;
    int owner_count;
    int owners_in_all; /* of whom `owners` lists some */
};
void view_queue_write(struct json_writer *json, const char *key, const struct view_queue *queue);

#endif
