/* Puts the service together, waits for a signal (SIGHUP: reads the list of devices again), takes it apart in the reverse
   order. `coalesced --executor` is the other program in here: the child that runs experiments. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/text.h"
#include "base/log.h"
#include "base/notify.h"
#include "base/streams.h"
#include "executor/executor.h"
#include "kernels/experiment.h"
#include "server/announce.h"
#include "server/commands.h"
#include "server/config.h"
#include "server/devices/pool/pool.h"
#include "server/entrance.h"
#include "server/http/http.h"
#include "server/people/people.h"
#include "server/routes/answers/choosing/choosing.h"
#include "server/routes/remove.h"
#include "server/routes/service.h"
#include "server/routes/starting.h"
#include "server/store/keep/keeper.h"
#include "version.h"

/* Everything that lives as long as the service; what is NULL (-1 for a descriptor) was not reached. */
struct house {
    struct config config;
    struct service service;
    struct http *http;
    struct keeper *keeper;
    struct starting *starting; /* while the store cannot be opened */
    bool announced;
    struct entrance entrance;
    char *lock_dir;
};

/* ---- what is asked for ---- */

/* It goes into headers and JSON as it is. */
static int instance_choose(struct house *house, struct error *error)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";
    char made_up[ID_BYTES];
    const char *name = house->config.instance;
    if (!name[0]) {
        id_next(made_up);
        name = made_up;
    }
    size_t length = strlen(name);
    if (length >= sizeof house->service.instance || strspn(name, allowed) < length)
        return error_set(error, ERROR_INVALID,
                         "--instance takes at most %zu letters, digits and -._, not \"%.80s\"",
                         sizeof house->service.instance - 1, name);
    memcpy(house->service.instance, name, length + 1);
    return 0;
}

static int people_choose(struct house *house, struct error *error)
{
    const char *path = house->config.token_file;
    return path[0] ? people_start(&house->service.people, path, error) : 0;
}

/* ---- putting together ---- */

/* Reads the list of devices, once; its file is looked at again while the service runs. */
static int pool_choose(struct house *house, struct error *error)
{
    struct config *config = &house->config;
    const struct roster_config roster = {
        .devices = config->devices,
        .device_lines = config->device_lines,
        .file = config->devices_file,
        .executor_command = config->executor_command,
        .idle_s = config->idle_s,
        .hello_s = config->hello_s,
        .lock_dir = house->lock_dir,
        .grace_s = config->grace_s,
        /* A name that our own executors do not know would be tried for ever. */
        .spec_check = executor_check,
    };
    return house->service.pool ? 0 : pool_new(&house->service.pool, &roster, error);
}

static int workers_start(struct house *house, struct error *error)
{
    struct service *service = &house->service;
    const struct calibrations_config calibrating = {
        .store = service->store,
        .queue = service->queue,
        .devices = service->devices,
        .automatic = strcmp(house->config.calibrate, "auto") == 0,
    };
    readings_watch(service->readings, service->devices, service->queue);
    if (calibrations_start(&service->calibrations, &calibrating, error) < 0)
        return -1;
    const struct worker_told told = {
        .progress = feed_progress,
        .progress_arg = service->feed,
        .readings = service->readings,
        .calibration = calibrations_text,
        .calibration_arg = service->calibrations,
    };
    return pool_start(service->pool, &told, service->queue, error);
}

static int queue_start(struct house *house, struct error *error)
{
    struct service *service = &house->service;
    service->devices = devices_new(DEVICES_MAX);
    service->events = events_new();
    if (!service->devices || !service->events)
        return error_set(error, ERROR_MEMORY, "no memory for the queue");
    if (readings_new(&service->readings, DEVICES_MAX, error) < 0 ||
        pool_open(service->pool, service->store, service->devices, error) < 0)
        return -1;
    const struct device_set present = devices_present(service->devices);
    struct device_set outliving = {{0}};
    double outlive_s = pool_outliving(service->pool, &outliving);
    struct queue_config config = {
        .devices = DEVICES_MAX,
        .present = &present,
        .outliving = outlive_s > 0 ? &outliving : NULL,
        .outlive_s = outlive_s,
        .limit = house->config.queue_limit,
        .owner_limit = house->config.owner_limit,
        .owner_seconds = house->config.owner_s,
        .attempts = house->config.attempts,
        .half_life_s = house->config.half_life_s,
        .changed = events_publish,
        .sweep_ended = events_publish_sweep_ended,
        .changed_arg = service->events,
        .select = service_select,
        .select_arg = service,
    };
    if (feed_new(&service->feed, service->store, error) < 0)
        return -1;
    feed_watch(service->feed, service->devices, service->readings);
    return queue_open(&service->queue, service->store, &config, error);
}

static void queue_end(struct house *house)
{
    struct service *service = &house->service;
    readings_free(service->readings); /* it looks at the queue */
    queue_close(service->queue);
    calibrations_free(service->calibrations); /* what was being submitted has ended with the queue */
    store_close(service->store);
    feed_free(service->feed);
    events_free(service->events);
    devices_free(service->devices);
    service->queue = NULL;
    service->store = NULL;
    service->events = NULL;
    service->feed = NULL;
    service->readings = NULL;
    service->calibrations = NULL;
    service->devices = NULL;
}

static int store_start(struct house *house, struct error *error)
{
    const char *directory = house->config.data_dir;
    if (store_open(&house->service.store, directory, NULL, error) < 0)
        return -1;
    store_reserve(house->service.store, house->config.reserve_bytes);
    if (!house->lock_dir && asprintf(&house->lock_dir, "%s/locks", directory) < 0) {
        house->lock_dir = NULL;
        return error_set(error, ERROR_MEMORY, "no memory for the locks' name");
    }
    if (mkdir(house->lock_dir, 0700) < 0 && errno != EEXIST)
        return error_set_errno(error, errno, "cannot make %s", house->lock_dir);
    return 0;
}

static struct http_config http_config_of(struct house *house)
{
    struct http_config config = {
        .threads = house->config.threads,
        .request_s = (int)(house->config.request_s + 0.5),
        .comment_s = house->config.comment_s,
        .routes = routes,
        .connections_per_address = house->config.connections_per_address,
        .people = house->service.people,
        .instance = house->service.instance,
        .context = &house->service,
        .completed = service_completed,
    };
    entrance_use(&house->entrance, &config);
    return config;
}

static int http_begin(struct house *house, struct error *error)
{
    struct http_config config = http_config_of(house);
    if (http_start(&house->http, &config, error) < 0)
        return -1;
    feed_listen(house->service.feed, http_wake, house->http);
    struct keeper_config keep = {.days = house->config.keep_days,
                                 .bytes = house->config.keep_bytes,
                                 .removed = remove_forget,
                                 .arg = house->http};
    return keeper_start(&house->keeper, house->service.store, &keep, error);
}

/* ---- a disk that is full when the service starts ---- */

enum { START_AGAIN_S = 1 };

static int house_announce(struct house *house, struct error *error)
{
    if (house->announced)
        return 0;
    house->announced = true;
    return announce(&house->config, house->entrance.port, house->service.instance, error);
}

/* Store, devices and queue: all of it or nothing. ERROR_UNAVAILABLE: it may work later. */
static int foundation_lay(struct house *house, struct error *error)
{
    if (store_start(house, error) == 0 && pool_choose(house, error) == 0 && queue_start(house, error) == 0)
        return 0;
    struct store *store = house->service.store;
    if (store && house->service.pool && !store_healthy(store, NULL))
        error->kind = ERROR_UNAVAILABLE; /* the queue could not write what it took up */
    queue_end(house);
    return -1;
}

/* Tries until the disk works. 0; or -1 with *error, or without one when a signal asked for the end: *received. */
static int foundation_wait(struct house *house, const sigset_t *ends, int *received, struct error *error)
{
    struct error why = {0};
    while (foundation_lay(house, &why) < 0) {
        if (why.kind != ERROR_UNAVAILABLE) {
            *error = why;
            return -1;
        }
        if (!house->starting) {
            log_error("cannot start yet, trying again each second: %s", why.text);
            struct http_config config = http_config_of(house);
            if (starting_begin(&house->starting, &config, why.text, error) < 0 ||
                house_announce(house, error) < 0)
                return -1;
        }
        starting_set_reason(house->starting, why.text);
        why = (struct error){0};
        *received = sigtimedwait(ends, NULL, &(struct timespec){.tv_sec = START_AGAIN_S});
        if (*received > 0 && *received != SIGHUP)
            return -1;
    }
    *received = 0;
    notify("STATUS=The store is open");
    starting_end(house->starting);
    house->starting = NULL;
    return 0;
}

/* The port is taken before the store is opened, so that a second service says that first; connections wait
   until the store is recovered. */
static int house_open(struct house *house, const sigset_t *ends, int *received, struct error *error)
{
    struct config *config = &house->config;
    if (config_set_log_level(config, error) < 0 || instance_choose(house, error) < 0 ||
        people_choose(house, error) < 0)
        return -1;
    experiment_quiet_default(config->quiet_s);
    house->service.data_dir = config->data_dir;
    house->service.default_device = config->default_device;
    if (choosing_check(config->default_device, error) < 0)
        return -1;
    if (entrance_open(&house->entrance, config, house->service.people, error) < 0 ||
        foundation_wait(house, ends, received, error) < 0 || workers_start(house, error) < 0)
        return -1;
    return http_begin(house, error);
}

/* Each step leaves what the next one needs: nothing new is taken, whoever waits is let go, what runs gets its
   grace, what is written is committed. */
static void house_close(struct house *house)
{
    struct service *service = &house->service;
    if (service->queue)
        queue_stop(service->queue);
    calibrations_stop(service->calibrations); /* it tells whoever waits in a request */
    if (house->http)
        http_quiesce(house->http);
    pool_stop(service->pool);
    keeper_stop(house->keeper);
    if (service->feed)
        feed_listen(service->feed, NULL, NULL);
    http_stop(house->http);
    starting_end(house->starting);
    entrance_close(&house->entrance);
    queue_end(house);
    pool_free(service->pool);
    people_stop(house->service.people);
    free(house->lock_dir);
}

/* A second Ctrl-C ends the process at once: that costs an attempt of what runs, and nothing that was
   acknowledged. */
static void impatience_allow(void)
{
    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &interrupt, NULL);
}

static int serve(struct house *house, const sigset_t *ends)
{
    struct error error = {0};
    int received = 0;
    if (house_open(house, ends, &received, &error) == 0 && house_announce(house, &error) == 0)
        while (sigwait(ends, &received) == 0 && received == SIGHUP) {
            log_info("%s: reading the list of devices again", strsignal(received));
            pool_reload(house->service.pool);
        }
    if (received > 0) {
        notify("STOPPING=1\nSTATUS=Stopping");
        log_info("%s: stopping", strsignal(received));
        impatience_allow();
    }
    house_close(house);
    if (error.kind != ERROR_NONE)
        log_error("%s", error.text);
    else
        log_info("stopped");
    return error.kind == ERROR_NONE ? 0 : 1;
}

int main(int argc, char **argv)
{
    streams_open_standard();
    if (argc > 1 && strcmp(argv[1], "--executor") == 0) {
        prctl(PR_SET_NAME, "coalesced-exec");
        return executor_main(argc, argv);
    }
    int status = 0;
    if (commands_run(argc, argv, &status))
        return status;
    /* Few arenas: what threads free is used again by others instead of staying with each of them. */
    mallopt(M_ARENA_MAX, 2);
    api_start();
    signal(SIGPIPE, SIG_IGN);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);

    struct house house = {.entrance = {.listener = -1, .socket.listener = -1}};
    struct error error = {0};
    if (config_read(&house.config, argc, argv, &error) < 0) {
        fprintf(stderr, "coalesced: %s\n", error.text);
        status = 2;
    } else if (house.config.help) {
        config_help(stdout);
        commands_help(stdout);
    } else if (house.config.version) {
        printf("coalesced %s (%s)\n", COALESCED_VERSION, coalesced_commit);
    } else {
        status = serve(&house, &ends);
    }
    config_free(&house.config);
    return status;
}
