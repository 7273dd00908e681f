/* A store with a queue in a scratch directory, and their functions without the callbacks. */
#pragma once

#include "server/queue/queue_admin.h"
#include "server/queue/queue_limits.h"
#include "server/queue/queue_open.h"
#include "server/queue/queue_submit.h"
#include "server/queue/queue_view.h"
#include "server/queue/queue_worker.h"
#include "server/store/experiment_reads.h"
#include "server/store/retention.h"
#include "server/store/startup_reads.h"
#include "server/store/store.h"
#include "tests/unit/support/scratch.h"

struct service {
    char directory[SCRATCH_BYTES];
    const char *vfs;
    struct queue_config config;
    struct store *store;
    struct queue *queue;
};

/* For two devices, 100 waiting and 3 attempts; `vfs` may be NULL. The config may be changed before. */
void service_init(struct service *service, const char *vfs);

/* Opens what is in the directory; fails the test when it cannot. */
void service_start(struct service *service);
void service_stop(struct service *service);

/* Stops, and removes the directory. */
void service_end(struct service *service);

/* A test's fixture: one of its own, started; and its end. */
int service_setup(void **state);
int service_teardown(void **state);

/* A single experiment. */
struct plain {
    int device, priority;
    double timeout_s;
    const char *request, *idempotency_key, *fingerprint, *owner;
};
struct plain service_request(int device, int priority);

/* Submits and waits for the answer; a refusal is SUBMITTED_FAILED with its error. Any thread. */
struct submitted service_submit(struct service *service, const struct plain *plain);

/* Submits a plain one and writes its id; fails the test when it is not queued. */
void service_queue(struct service *service, int device, int priority, char id[ID_BYTES]);

/* The same for a sweep. */
struct submitted service_submit_sweep(struct service *service, const struct queue_submission *submission);

/* A sweep of `count` experiments (0: a single experiment) that may run on these devices; fails the test
   when it is not queued. Returns its id. */
struct unbound_plain {
    const char *owner, *request; /* request: NULL: "{}" */
    struct device_set devices;
    int count, priority;
    bool spread, open;
};
struct submitted service_submit_unbound(struct service *service, const struct unbound_plain *unbound);

/* A sweep of so many of the requests' experiments on device 0; writes its id. Fails the test when it is
   not queued. */
void service_sweep(struct service *service, const char *const requests[], int count, double timeout_s,
                   char id[ID_BYTES]);

/* Cancels and waits; 0, or -1 with *error. */
int service_cancel(struct service *service, const char *id, struct error *error);

/* Hides what has ended; `deleted`: and deletes its rows. Fails the test when it cannot. */
void service_remove(struct service *service, bool sweep, const char *id, bool deleted);

/* The job as stored, when all that was handed over is committed; to be freed. Fails the test without one. */
struct job *service_get(struct service *service, const char *id);
enum job_state service_state(struct service *service, const char *id);

/* Does SQLite find the database of a closed store whole? */
bool database_whole(const char *directory);
