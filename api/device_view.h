/* How a device and its queue look in answers. */
#ifndef COALESCED_API_DEVICE_VIEW_H
#define COALESCED_API_DEVICE_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json_writer.h"
#include "kernels/facts.h"
#include "kernels/live.h"

/* What takes no new work until somebody resumes it. */
struct view_hold {
    bool held;
    const char *owner; /* who did it; NULL or empty: nobody by name */
    int64_t since_ms;
};

/* Members of the open object: paused, and where it is true paused_by and paused_since. */
void device_view_hold(struct json_writer *json, const struct view_hold *hold);

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
void device_view_write(struct json_writer *json, const char *key, const struct view_device *device);

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
void device_view_queue(struct json_writer *json, const char *key, const struct view_queue *queue);

#endif
