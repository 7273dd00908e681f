/* What all endpoints work with: the service, the tables of routes, names of devices, and replies that several
   endpoints give. */
#pragma once

#include "base/json_writer.h"
#include "server/auth/users.h"
#include "server/calibration/calibrations.h"
#include "server/devices/device_pool.h"
#include "server/devices/devices.h"
#include "server/devices/readings.h"
#include "server/events/event_feed.h"
#include "server/events/long_poll.h"
#include "server/http/http.h"
#include "server/http/reply.h"
#include "server/http/request.h"
#include "api/source_service.h"
#include "server/store/experiment_reads.h"
#include "server/store/retention.h"
#include "server/store/startup_reads.h"
#include "server/store/store.h"

/* The tables of routes, one a resource: each stands on top of the file of its name and ends with an empty
   route. */
extern const struct route comparison_routes[], device_routes[], event_routes[], experiment_routes[],
    health_routes[], kernel_routes[], metrics_routes[], occupancy_routes[], prediction_routes[],
    queue_routes[], recipe_routes[], removal_routes[], sweep_routes[], ui_routes[];

/* All of them, ended by NULL, for http_config.routes. */
extern const struct route *const service_routes[];

/* Made and ended by main. Its members outlive all requests, and lock themselves. */
struct service {
    struct store *store;
    struct queue *queue;
    struct long_poll *events;
    struct event_feed *feed;
    struct devices *devices;
    struct device_pool *pool;
    struct readings *readings;
    struct calibrations *calibrations;
    struct source_service *sources; /* NULL: no source is taken */
    struct users *users;            /* NULL: no tokens are asked for, everybody may do everything */
    const char *data_dir;
    /* The device of a request that names none: a number, a name or "any"; NULL or empty: the first of the
       list. */
    const char *default_device;
    int owner_kernels; /* that one owner may have stored */
    double undo_s;     /* what was removed can be restored for so long */
    char instance[64];
    /* Not NULL while the store cannot be opened: a handler then uses only data_dir, instance and this. */
    struct starting *starting;
};

/* The service that the request was sent to. */
struct service *service_of(const struct request *request);

/* Fits http_config.completed: counts the request for /metrics. */
void service_completed(void *arg, const struct http_completed *completed);

/* Drops the cached answer about an experiment that was removed; with id NULL all cached answers, for a sweep.
   Fits the `removed` of the store's retention; `http` is the struct http. */
void service_forget_experiment(void *http, const char *id);

/* ---- devices ---- */

/* The number of the device that a path or a query names by its number or its name, be it in the list or
   not; -1: no device ever had that number or name. */
int service_find_device(struct devices *devices, const char *text);

/* The same for the device that the path names; -1: *handled is the 404. */
int service_path_device(struct request *request, enum handled *handled);

/* The devices to show: those of the list, and those that left it and still run something or have something
   bound to them. */
struct device_set service_shown_devices(const struct service *service);

/* ---- replies ---- */

/* Ends what is open and the line. Returns the writer's buffer, for reply_body() or reply_immutable(). */
struct buffer *service_line(struct json_writer *json);

/* Answers 503: nothing is known of the device yet, because its executor has not said hello. */
enum handled service_reply_unknown_device(struct request *request, int device);

/* Answers 503 for want of memory; `what` as in "there is no memory for a list". */
enum handled service_reply_no_memory(struct request *request, const char *what);

/* Answers 400 with the sentence. */
enum handled service_reply_wrong(struct request *request, const char *wrong);
