/* What endpoints work with, and what several of them do alike. */
#ifndef COALESCED_SERVER_SERVICE_H
#define COALESCED_SERVER_SERVICE_H

#include "api/views.h"
#include "server/devices.h"
#include "server/events.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "server/queue.h"
#include "server/readings.h"
#include "server/store.h"

struct service {
    struct store *store;
    struct queue *queue;
    struct events *events;
    struct devices *devices;
    struct readings *readings;
    char instance[64];
};

struct service *request_service(const struct request *request);

/* A job as it is shown; borrows from the job. Its place in the queue is left to place_find(). */
void view_of_job(const struct job *job, struct view_experiment *view);

/* Fills in position, time and cancellation of one that has not ended. False: it is neither queued nor running
   any more. *running: it runs. */
bool place_find(struct service *service, struct view_experiment *view, bool *running);

/* Answers with that view: whole, with an entity tag (and 304) once it ended; or the short form. */
enum handled reply_experiment(struct request *request, const struct view_experiment *view);
enum handled reply_accepted(struct request *request, unsigned status, const struct view_experiment *view);

/* Seconds that the query's or the preferred wait asks for, within the limit; -1: the query makes no sense. */
int wait_wanted(const struct request *request);

/* Says that the preferred wait, if there was one, was honoured. */
void reply_preference_applied(struct request *request);

/* The same request gives the same text, so its hash tells a repetition from another request. */
enum { KEY_MAX = 255, FINGERPRINT_BYTES = 40 };
void fingerprint_make(const char *text, char fingerprint[FINGERPRINT_BYTES]);

/* A 200 with a line of JSON, which is freed; NULL becomes a 503: no memory. */
enum handled reply_text(struct request *request, char *text);

/* Wakes the request when that experiment or sweep has ended, from now until await_free(), which request_keep() may be
   given. NULL: no memory. */
struct await;
struct await *await_new(struct request *request, const char *id);
void await_free(void *await);

/* Appends a device's limits and how it is; with readings, unless NULL, how it is at this moment. */
void device_write(struct buffer *out, struct devices *devices, struct readings *readings, int index);

/* A whole number of at most 9 digits within the limits; false: the text is none. */
bool number_parse(const char *text, int min, int max, int *number);

#endif
