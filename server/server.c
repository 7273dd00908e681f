/* Starts the parts of the service one after the other, waits for signals and stops the parts in the reverse
   order. */
#include "server/server.h"

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "api/device_choice.h"
#include "api/json_parts.h"
#include "base/log.h"
#include "base/notify.h"
#include "kernels/experiment.h"
#include "server/auth/users.h"
#include "server/config.h"
#include "server/devices/device_pool.h"
#include "server/http/http.h"
#include "server/listeners.h"
#include "server/queue/queue_limits.h"
#include "server/queue/queue_open.h"
#include "server/routes/service.h"
#include "server/routes/starting.h"
#include "server/store/retention.h"

enum { START_RETRY_S = 1, KEEP_BYTES_USUAL = 16 << 20 };

/* Lives as long as the service. What is NULL or 0 is not started. */
struct server {
    const struct config *config;
    executor_spec_check spec_check;
    struct service service;
    struct http *http;
    struct retention *retention;
    struct listeners listeners;
    char *lock_dir;
};

/* ---- configuration ---- */

/* The instance's name is sent in headers and in JSON without escaping, hence the short list of characters. */
static int instance_choose(struct server *server, struct error *error)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";
    char *instance = server->service.instance;
    const char *name = server->config->instance;
    size_t length = strlen(name);
    if (length >= sizeof server->service.instance || strspn(name, allowed) < length)
        return error_set(error, ERROR_INVALID,
                         "--instance takes at most %zu letters, digits and -._, not \"%.80s\"",
                         sizeof server->service.instance - 1, name);
    if (length)
        memcpy(instance, name, length + 1);
    else
        id_next(instance);
    return 0;
}

/* ---- starting ---- */

/* Reads the list of devices, unless an earlier attempt did. */
static int pool_begin(struct server *server, struct error *error)
{
    const struct config *config = server->config;
    const struct roster_config roster = {
        .devices = config->devices,
        .device_lines = config->device_lines,
        .file = config->devices_file,
        .executor_command = config->executor_command,
        .idle_s = config->idle_s,
        .lost_s = config->lost_s,
        .hello_s = config->hello_s,
        .lock_dir = server->lock_dir,
        .grace_s = config->grace_s,
        .spec_check = server->spec_check, /* an unknown device would be tried for ever */
    };
    return server->service.pool ? 0 : device_pool_new(&server->service.pool, &roster, error);
}

static int workers_begin(struct server *server, struct error *error)
{
    struct service *service = &server->service;
    bool automatic = strcmp(server->config->calibrate, "auto") == 0;
    readings_watch(service->readings, service->devices, service->queue);
    if (strcmp(server->config->source, "off") != 0 && !(service->sources = source_service_new()))
        return error_set(error, ERROR_MEMORY, "no memory for the sandbox");
    if (calibrations_start(&service->calibrations, service->store, service->queue, service->devices,
                           automatic, error) < 0)
        return -1;
    const struct worker_callbacks callbacks = {
        .progress = event_feed_progress,
        .progress_arg = service->feed,
        .readings = service->readings,
        .calibration = calibrations_text,
        .calibration_arg = service->calibrations,
    };
    return device_pool_start(service->pool, &callbacks, service->queue, error);
}

static int queue_begin(struct server *server, struct error *error)
{
    struct service *service = &server->service;
    service->devices = devices_new(DEVICES_MAX);
    service->events = long_poll_new();
    if (!service->devices || !service->events)
        return error_set(error, ERROR_MEMORY, "no memory for the queue");
    if (readings_new(&service->readings, error) < 0 ||
        device_pool_open(service->pool, service->store, service->devices, error) < 0)
        return -1;
    const struct device_set listed = devices_listed(service->devices);
    struct device_set outliving = {{0}};
    double outlive_s = device_pool_outliving(service->pool, &outliving);
    struct queue_config config = {
        .devices = DEVICES_MAX,
        .listed = &listed,
        .outliving = outlive_s > 0 ? &outliving : NULL,
        .outlive_s = outlive_s,
        .limit = server->config->queue_limit,
        .owner_limit = server->config->owner_limit,
        .owner_seconds = server->config->owner_s,
        .attempts = server->config->attempts,
        .half_life_s = server->config->half_life_s,
        .changed = long_poll_publish,
        .changed_arg = service->events,
        .select = device_snapshot_select,
        .select_arg = service->devices,
    };
    if (event_feed_new(&service->feed, service->store, service->devices, service->readings, error) < 0)
        return -1;
    return queue_open(&service->queue, service->store, &config, error);
}

static void queue_end(struct server *server)
{
    struct service *service = &server->service;
    readings_free(service->readings); /* first: its thread reads the queue */
    queue_close(service->queue);
    calibrations_free(service->calibrations); /* after the queue, which ends what a calibration submits */
    store_close(service->store);
    event_feed_free(service->feed);
    long_poll_free(service->events);
    devices_free(service->devices);
    service->queue = NULL;
    service->store = NULL;
    service->events = NULL;
    service->feed = NULL;
    service->readings = NULL;
    service->calibrations = NULL;
    service->devices = NULL;
}

static int store_begin(struct server *server, struct error *error)
{
    const char *directory = server->config->data_dir;
    if (store_open(&server->service.store, directory, NULL, error) < 0)
        return -1;
    store_reserve(server->service.store, server->config->reserve_bytes);
    if (!server->lock_dir && asprintf(&server->lock_dir, "%s/locks", directory) < 0) {
        server->lock_dir = NULL;
        return error_set(error, ERROR_MEMORY, "no memory for the name of the locks' directory");
    }
    if (mkdir(server->lock_dir, 0700) < 0 && errno != EEXIST)
        return error_set_errno(error, errno, "cannot make %s", server->lock_dir);
    return 0;
}

static struct http_config http_config_of(struct server *server)
{
    struct http_config config = server->listeners.http;
    config.threads = server->config->threads;
    config.request_s = (int)(server->config->request_s + 0.5);
    config.comment_s = server->config->comment_s;
    config.routes = service_routes;
    config.connections_per_address = server->config->connections_per_address;
    config.users = server->service.users;
    config.instance = server->service.instance;
    config.context = &server->service;
    config.completed = service_completed;
    return config;
}

static int http_begin(struct server *server, struct error *error)
{
    struct http_config config = http_config_of(server);
    if (http_start(&server->http, &config, error) < 0)
        return -1;
    event_feed_listen(server->service.feed, http_wake, server->http);
    struct retention_config retention = {.days = server->config->keep_days,
                                         .bytes = server->config->keep_bytes,
                                         .removed = service_forget_experiment,
                                         .arg = server->http};
    return retention_start(&server->retention, server->service.store, &retention, error);
}

/* ---- a disk that is full when the service starts ---- */

/* Opens the store, the list of devices and the queue: all or nothing. -1 with ERROR_UNAVAILABLE: it may work
   later. */
static int server_load(struct server *server, struct error *error)
{
    if (store_begin(server, error) == 0 && pool_begin(server, error) == 0 && queue_begin(server, error) == 0)
        return 0;
    struct store *store = server->service.store;
    /* A disk that failed may work later, so the start is tried again; a damaged file stays damaged. */
    bool disk = error->kind == ERROR_STORE || error->kind == ERROR_STORAGE || error->kind == ERROR_UNCERTAIN;
    if (store && server->service.pool && !store_damaged() && (disk || !store_healthy(store, NULL)))
        error->kind = ERROR_UNAVAILABLE;
    queue_end(server);
    return -1;
}

/* Calls server_load() until the disk works, and answers requests meanwhile. 0; or -1 with *error, or without
   one after the signal *received that ends the service. */
static int server_load_wait(struct server *server, const sigset_t *signals, int *received,
                            struct error *error)
{
    struct error why = {0};
    bool second_look = false;
    while (server_load(server, &why) < 0) {
        /* SQLite calls a page malformed that the disk failed to deliver once. */
        if (why.kind == ERROR_STORE && !second_look) {
            second_look = true;
            why = (struct error){0};
            continue;
        }
        if (why.kind != ERROR_UNAVAILABLE) {
            *error = why;
            return -1;
        }
        if (!server->service.starting) {
            log_error("cannot start yet, trying again each second: %s", why.text);
            struct http_config config = http_config_of(server);
            if (starting_begin(&server->service.starting, &config, why.text, error) < 0 ||
                listeners_announce(&server->listeners, server->service.instance, error) < 0)
                return -1;
        }
        starting_set_reason(server->service.starting, why.text);
        why = (struct error){0};
        *received = sigtimedwait(signals, NULL, &(struct timespec){.tv_sec = START_RETRY_S});
        if (*received > 0 && *received != SIGHUP)
            return -1;
    }
    *received = 0;
    if (server->service.starting)
        log_info("the store is open: the service goes on");
    store_damage_forget(); /* what an earlier look found was not there at the last one */
    notify("STATUS=The store is open");
    starting_end(server->service.starting);
    server->service.starting = NULL;
    return 0;
}

/* Logs a warning if the default device is not in the list. It may be listed later; until then, requests that name
   no device are refused. */
static void default_device_warn(const struct server *server)
{
    const char *text = server->config->default_device;
    struct devices *devices = server->service.devices;
    struct device_set listed = devices_listed(devices);
    if (text[0] && strcmp(text, "any") != 0 && !device_set_has(&listed, service_find_device(devices, text)))
        log_warning("--default-device %s is not in the list of devices: requests that name no device are "
                    "refused until it is",
                    text);
}

/* Logs a warning if --keep-bytes leaves little for results: the events alone take up to 3 MB of it. */
static void keep_bytes_warn(int64_t bytes)
{
    if (bytes > 0 && bytes < KEEP_BYTES_USUAL)
        log_warning(
            "--keep-bytes %lld is little: the service's own records may take most of it, and results are "
            "removed soon after they came",
            (long long)bytes);
}

/* Logs a warning if an owner's limit is never reached, because the queue's own limit leaves one owner less. */
static void owner_limit_warn(const struct config *config)
{
    int most = queue_limits_alone(config->queue_limit);
    if (config->owner_limit > most)
        log_warning("--owner-limit %d has no effect: with --queue-limit %d one owner has at most %d waiting",
                    config->owner_limit, config->queue_limit, most);
}

/* The port is taken before the store is opened, so that a second service fails with that error. Clients that
   connect wait until the store is recovered. */
static int server_start(struct server *server, const sigset_t *signals, int *received, struct error *error)
{
    const struct config *config = server->config;
    if (instance_choose(server, error) < 0 ||
        (config->token_file[0] && users_start(&server->service.users, config->token_file, error) < 0))
        return -1;
    experiment_quiet_default(config->quiet_s);
    server->service.data_dir = config->data_dir;
    server->service.default_device = config->default_device;
    server->service.undo_s = config->undo_s;
    server->service.owner_kernels = config->owner_kernels;
    if (listeners_open(&server->listeners, config, server->service.users, error) < 0 ||
        server_load_wait(server, signals, received, error) < 0 || workers_begin(server, error) < 0)
        return -1;
    default_device_warn(server);
    keep_bytes_warn(config->keep_bytes);
    owner_limit_warn(config);
    return http_begin(server, error);
}

/* ---- ending ---- */

/* In this order: nothing new starts, requests that wait are answered, running experiments get
   --grace-seconds, and what is written is committed. */
static void server_stop(struct server *server)
{
    struct service *service = &server->service;
    if (service->queue)
        queue_stop(service->queue);
    calibrations_stop(service->calibrations); /* before HTTP: requests wait for its answers */
    if (server->http)
        http_quiesce(server->http);
    device_pool_stop(service->pool);
    retention_stop(server->retention);
    if (service->feed)
        event_feed_listen(service->feed, NULL, NULL);
    http_stop(server->http);
    source_service_free(service->sources);
    starting_end(server->service.starting);
    listeners_close(&server->listeners);
    queue_end(server);
    device_pool_free(service->pool);
    users_stop(service->users);
    free(server->lock_dir);
}

/* A second Ctrl-C ends the process at once: the running experiments lose an attempt, and nothing acknowledged
   is lost. */
static void second_interrupt_kills(void)
{
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &interrupt, NULL);
}

/* Checks the log level, the default device and the address before anything is started. 0, or -1 with
   ERROR_INVALID. */
static int options_check(const struct config *config, struct error *error)
{
    return config_set_log_level(config, error) < 0 ||
                   device_choice_check_default(config->default_device, error) < 0 ||
                   listener_check_address(config->address, error) < 0
               ? -1
               : 0;
}

int server_run(const struct config *config, executor_spec_check spec_check)
{
    struct server server = {.config = config, .spec_check = spec_check};
    struct error error = {0};
    sigset_t signals;
    int received = 0;
    if (options_check(config, &error) < 0) {
        log_error("%s", error.text);
        return 2;
    }
    config_warn_variables();
    /* An arena for each thread: what a thread of the worker pool allocates for a comparison then does not
       share pages with queued experiments, which live longer and would keep these pages resident. The worker
       pool trims all arenas. */
    mallopt(M_ARENA_MAX, 64);
    json_parts_start();
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    if (server_start(&server, &signals, &received, &error) == 0 &&
        listeners_announce(&server.listeners, server.service.instance, &error) == 0)
        while (sigwait(&signals, &received) == 0 && received == SIGHUP) {
            log_info("%s: reading the list of devices again", strsignal(received));
            device_pool_reload(server.service.pool);
        }
    if (received > 0) {
        notify("STOPPING=1\nSTATUS=Stopping");
        log_info("%s: stopping", strsignal(received));
        second_interrupt_kills();
    }
    server_stop(&server);
    if (error.kind != ERROR_NONE)
        log_error("%s", error.text);
    else
        log_info("stopped");
    return error.kind == ERROR_NONE ? 0 : 1;
}
