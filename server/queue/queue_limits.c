#include "server/queue/queue_limits.h"

#include <math.h>

#include "server/queue/schedule.h"

enum {
    GUARANTEED_PART = 64, /* of the queue's limit, for each owner */
    FREE_FACTOR = 2,      /* what an owner may have, as a multiple of what is free */
    OWNER_REQUEST_BYTES = 64 << 20,
    REQUEST_BYTES = 256 << 20,
    HELD_WAIT_S = 60, /* the wait while a device is held, because its end is not known */
};

/* What an owner may always have waiting. */
static int limit_guaranteed(int limit)
{
    return limit >= GUARANTEED_PART ? limit / GUARANTEED_PART : 1;
}

int queue_limits_alone(int limit)
{
    int alone = (int)((int64_t)limit * FREE_FACTOR / (FREE_FACTOR + 1));
    return alone < limit_guaranteed(limit) ? limit_guaranteed(limit) : alone;
}

/* What an owner may have waiting when no other owner has anything. */
static int limit_alone(const struct queue_config *config)
{
    if (!config->owner_limit)
        return config->limit;
    int alone = queue_limits_alone(config->limit);
    return config->owner_limit < alone ? config->owner_limit : alone;
}

/* How many more experiments that owner may have waiting now; may be negative. Solves
   waiting + remaining <= FREE_FACTOR (limit - queued - remaining) for `remaining`. */
static int limit_remaining(const struct queue *queue, const struct owner *owner)
{
    const struct queue_config *config = &queue->config;
    int left = config->limit - queue->queued;
    if (!config->owner_limit)
        return left;
    int by_free = FREE_FACTOR * left - owner->waiting;
    by_free = by_free > 0 ? by_free / (FREE_FACTOR + 1) : 0;
    int by_guarantee = limit_guaranteed(config->limit) - owner->waiting;
    int by_limit = limit_alone(config) - owner->waiting;
    int remaining = by_free > by_guarantee ? by_free : by_guarantee;
    return remaining < by_limit ? remaining : by_limit;
}

static int timeouts_check(const struct queue *queue, const struct owner *owner, double timeouts_s,
                          struct error *error)
{
    double limit_s = queue->config.owner_seconds, has_s = (double)owner->timeouts_ms / 1e3;
    if (limit_s > 0 && timeouts_s > limit_s)
        return error_set(error, ERROR_INVALID,
                         "timeout_s adds up to %.0f s, and what an owner has waiting may ask for %.0f s: a "
                         "shorter timeout_s or fewer experiments would do",
                         timeouts_s, limit_s);
    if (limit_s > 0 && has_s + timeouts_s > limit_s)
        return error_set(error, ERROR_FULL,
                         "the timeout_s of what you have waiting adds up to %.0f s and this to %.0f s more; "
                         "an owner may have %.0f s",
                         has_s, timeouts_s, limit_s);
    return 0;
}

int queue_limits_check(const struct queue *queue, const struct owner *owner, int count, double timeouts_s,
                       struct error *error)
{
    const struct queue_config *config = &queue->config;
    int remaining = limit_remaining(queue, owner), most = limit_alone(config);
    const char *plural = count == 1 ? "" : "s";
    if (count > most)
        return error_set(error, ERROR_INVALID,
                         "these are %d experiments, and no more than %d may ever wait%s", count, most,
                         config->owner_limit ? " of one owner" : "");
    if (timeouts_check(queue, owner, timeouts_s, error) < 0)
        return -1;
    if (count <= remaining)
        return 0;
    if (!config->owner_limit)
        return error_set(error, ERROR_FULL, "the queue has no room for %d experiment%s: %d wait and %d may",
                         count, plural, queue->queued, config->limit);
    if (owner->waiting + count > most)
        return error_set(error, ERROR_FULL,
                         "you have %d waiting, and there is no room for %d more: an owner may have %d",
                         owner->waiting, count, most);
    return error_set(
        error, ERROR_FULL,
        "you have %d waiting and may have %d more now, not %d: of all owners %d wait, and each may "
        "have %d of %d at the most, fewer while others fill the queue",
        owner->waiting, remaining > 0 ? remaining : 0, count, queue->queued, most, config->limit);
}

int queue_limits_never(int64_t bytes, struct error *error)
{
    if (bytes <= OWNER_REQUEST_BYTES)
        return 0;
    return error_set(
        error, ERROR_INVALID,
        "these requests hold %lld bytes with the sources of their kernels, and an owner may have "
        "%d waiting",
        (long long)bytes, OWNER_REQUEST_BYTES);
}

int queue_limits_check_bytes(const struct queue *queue, const struct owner *owner, int64_t bytes,
                             struct error *error)
{
    if (owner->request_bytes + bytes > OWNER_REQUEST_BYTES)
        return error_set(
            error, ERROR_FULL,
            "the requests that you have waiting hold %lld bytes and this one %lld more; an owner may "
            "have %d",
            (long long)owner->request_bytes, (long long)bytes, OWNER_REQUEST_BYTES);
    if (queue->request_bytes + bytes > REQUEST_BYTES)
        return error_set(
            error, ERROR_FULL,
            "the requests that wait hold %lld bytes and this one %lld more; there is room for %d",
            (long long)queue->request_bytes, (long long)bytes, REQUEST_BYTES);
    return 0;
}

/* How many experiments end in a second, of the owner and of all; 0: not known, or held. An owner shares each device for
   which it has something waiting equally with the other owners that have. */
struct end_rates {
    double own, all;
    bool held; /* a device is */
};

static struct end_rates rates_of(struct queue *queue, const struct owner *owner)
{
    int sharing[DEVICE_SET_MOST] = {0};
    struct end_rates rates = {0};
    const struct owner *other;
    LIST_FOREACH (other, &queue->owners.all, next) {
        struct device_set devices = owner_devices(other);
        for (int i = -1; (i = device_set_next(&devices, i + 1)) >= 0;)
            sharing[i]++;
    }
    struct device_set own = owner_devices(owner);
    for (int i = -1; (i = device_set_next(&queue->listed, i + 1)) >= 0;) {
        struct device_group *group = NULL;
        bool waits = false, held = schedule_held(queue, i);
        rates.held |= held;
        if (held || !queue->devices[i].run_mean.count)
            continue;
        while (!waits && (group = schedule_group_after(queue, i, group)))
            waits = group->ages;
        if (waits)
            rates.all += 1 / schedule_mean_s(queue, NULL, i);
        if (device_set_has(&own, i))
            rates.own += 1 / (schedule_mean_s(queue, owner, i) * sharing[i]);
    }
    return rates;
}

/* A wait that is not known. */
static const double never_s = 1e300;

static double until_s(double excess, double per_s)
{
    if (excess <= 0)
        return 0;
    return per_s > 0 ? excess / per_s : never_s;
}

/* As limit_remaining() and timeouts_check(), with what waits now less what ends until then. */
static double until_allowed_s(const struct queue *queue, const struct owner *owner,
                              const struct end_rates *rates, int count, double timeouts_s)
{
    const struct queue_config *config = &queue->config;
    double left = config->limit - queue->queued, has_s = (double)owner->timeouts_ms / 1e3;
    if (!config->owner_limit)
        return until_s(count - left, rates->all);
    int then = owner->waiting + count;
    double free_s = until_s((FREE_FACTOR + 1.0) * count + owner->waiting - FREE_FACTOR * left,
                            FREE_FACTOR * rates->all + rates->own);
    double guarantee_s = until_s(then - limit_guaranteed(config->limit), rates->own);
    double limit_s = until_s(then - limit_alone(config), rates->own);
    double seconds_s = 0;
    if (config->owner_seconds > 0)
        seconds_s = until_s(has_s + timeouts_s - config->owner_seconds,
                            owner->waiting ? rates->own * has_s / owner->waiting : 0);
    return fmax(fmax(fmin(free_s, guarantee_s), limit_s), seconds_s);
}

double queue_limits_wait_s(struct queue *queue, const char *name, int count, double timeouts_s)
{
    static const struct owner unknown;
    double wait_s = never_s;
    pthread_mutex_lock(&queue->lock);
    const struct owner *owner = owner_find(&queue->owners, name ? name : "");
    if (!owner)
        owner = &unknown;
    struct end_rates rates = rates_of(queue, owner);
    if (count <= limit_alone(&queue->config))
        wait_s = until_allowed_s(queue, owner, &rates, count, timeouts_s);
    pthread_mutex_unlock(&queue->lock);
    if (wait_s < never_s)
        return wait_s;
    return rates.held ? HELD_WAIT_S : -1;
}
