#include "server/queue/queue_limits.h"

#include "server/queue/place.h"

enum {
    GUARANTEED = 64,
    FREE_TIMES = 2,
    HELD_S = 60, /* somebody resumes it, nobody knows when */
};

/* What an owner may always have waiting. */
static int bound_least(const struct queue_config *config)
{
    return config->limit >= GUARANTEED ? config->limit / GUARANTEED : 1;
}

/* What an owner may have waiting when nobody else has anything. */
static int bound_most(const struct queue_config *config)
{
    if (!config->owner_limit)
        return config->limit;
    int alone = (int)((int64_t)config->limit * FREE_TIMES / (FREE_TIMES + 1));
    if (alone < bound_least(config))
        alone = bound_least(config);
    return config->owner_limit < alone ? config->owner_limit : alone;
}

/* How many more that owner may have waiting now; may be negative. From waiting + more <= 2 (limit - queued - more). */
static int bound_more(const struct queue *queue, const struct owner *owner)
{
    const struct queue_config *config = &queue->config;
    int left = config->limit - queue->queued;
    if (!config->owner_limit)
        return left;
    int by_free = FREE_TIMES * left - owner->waiting;
    by_free = by_free > 0 ? by_free / (FREE_TIMES + 1) : 0;
    int by_least = bound_least(config) - owner->waiting;
    int by_limit = bound_most(config) - owner->waiting;
    int more = by_free > by_least ? by_free : by_least;
    return more < by_limit ? more : by_limit;
}

static int seconds_check(const struct queue *queue, const struct owner *owner, double timeouts_s,
                         struct error *error)
{
    double may_s = queue->config.owner_seconds, has_s = (double)owner->asked_ms / 1e3;
    if (may_s > 0 && timeouts_s > may_s)
        return error_set(error, ERROR_INVALID,
                         "timeout_s adds up to %.0f s, and what an owner has waiting may ask for %.0f s: a "
                         "shorter timeout_s or fewer experiments would do",
                         timeouts_s, may_s);
    if (may_s > 0 && has_s + timeouts_s > may_s)
        return error_set(error, ERROR_FULL,
                         "the timeout_s of what you have waiting adds up to %.0f s and this to %.0f s more; "
                         "an owner may have %.0f s",
                         has_s, timeouts_s, may_s);
    return 0;
}

int queue_limits_check(const struct queue *queue, const struct owner *owner, int count, double timeouts_s,
                       struct error *error)
{
    const struct queue_config *config = &queue->config;
    int more = bound_more(queue, owner), most = bound_most(config);
    const char *plural = count == 1 ? "" : "s";
    if (count > most)
        return error_set(error, ERROR_INVALID,
                         "these are %d experiments, and no more than %d may ever wait%s", count, most,
                         config->owner_limit ? " of one owner" : "");
    if (seconds_check(queue, owner, timeouts_s, error) < 0)
        return -1;
    if (count <= more)
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
        owner->waiting, more > 0 ? more : 0, count, queue->queued, most, config->limit);
}

/* ---- rates ---- */

static struct device_set present_devices(const struct queue *queue, const struct owner *owner)
{
    struct device_set devices = owner_devices(owner);
    return device_set_both(&devices, &queue->present);
}

static bool rate_known(const struct queue *queue, int device)
{
    return queue->devices[device].pace.count && !place_held(queue, device);
}

/* How many experiments end in a second, of all owners together; 0: not known, or held. */
static double rate_all(const struct queue *queue)
{
    double per_s = 0;
    for (int i = -1; (i = device_set_next(&queue->present, i + 1)) >= 0;) {
        const struct device_group *device_group;
        bool waits = queue->devices[i].own.waiting;
        LIST_FOREACH (device_group, &queue->device_groups, next)
            waits |= device_group->waiting && device_set_has(&device_group->devices, i);
        if (waits && rate_known(queue, i))
            per_s += 1 / place_mean_s(queue, NULL, i);
    }
    return per_s;
}

/* The same of one, on all devices for which some of it waits, as long as all who have something waiting share them. */
static double rate_of(const struct queue *queue, const struct owner *owner)
{
    int sharing[DEVICE_SET_MOST] = {0};
    double per_s = 0;
    const struct owner *other;
    LIST_FOREACH (other, &queue->owners.all, next) {
        struct device_set devices = present_devices(queue, other);
        for (int i = -1; (i = device_set_next(&devices, i + 1)) >= 0;)
            sharing[i]++;
    }
    struct device_set devices = present_devices(queue, owner);
    for (int i = -1; (i = device_set_next(&devices, i + 1)) >= 0;)
        if (rate_known(queue, i))
            per_s += 1 / (place_mean_s(queue, owner, i) * sharing[i]);
    return per_s;
}

/* ---- until there is room ---- */

/* For a wait that is not known. */
static const double never_s = 1e300;

static double until_s(double excess, double per_s)
{
    if (excess <= 0)
        return 0;
    return per_s > 0 ? excess / per_s : never_s;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double room_s(struct queue *queue, const struct owner *owner, int count, double timeouts_s)
{
    const struct queue_config *config = &queue->config;
    double own_per_s = rate_of(queue, owner), all_per_s = rate_all(queue);
    double left = config->limit - queue->queued, has_s = (double)owner->asked_ms / 1e3;
    if (!config->owner_limit)
        return until_s(count - left, all_per_s);
    double free_s = until_s((FREE_TIMES + 1.0) * count + owner->waiting - FREE_TIMES * left,
                            FREE_TIMES * all_per_s + own_per_s);
    double least_s = until_s(owner->waiting + count - bound_least(config), own_per_s);
    double most_s = until_s(owner->waiting + count - bound_most(config), own_per_s);
    double seconds_s = 0;
    if (config->owner_seconds > 0)
        seconds_s = until_s(has_s + timeouts_s - config->owner_seconds,
                            owner->waiting ? own_per_s * has_s / owner->waiting : 0);
    return larger(larger(most_s, seconds_s), free_s < least_s ? free_s : least_s);
}

static bool any_held(const struct queue *queue)
{
    for (int i = -1; (i = device_set_next(&queue->present, i + 1)) >= 0;)
        if (place_held(queue, i))
            return true;
    return false;
}

double queue_room_s(struct queue *queue, const char *name, int count, double timeouts_s)
{
    double wait_s = never_s;
    pthread_mutex_lock(&queue->lock);
    static const struct owner unknown;
    const struct owner *owner = owner_find(&queue->owners, name ? name : "");
    if (count <= bound_most(&queue->config))
        wait_s = room_s(queue, owner ? owner : &unknown, count, timeouts_s);
    if (wait_s >= never_s && any_held(queue))
        wait_s = HELD_S;
    pthread_mutex_unlock(&queue->lock);
    return wait_s < never_s ? wait_s : -1;
}
