#include "server/queue/queue_worker.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "server/queue/entry.h"
#include "server/queue/selection.h"
#include "server/queue/schedule.h"
#include "server/store/store.h"

enum {
    STORE_CHECK_MS = 200, /* how often a worker checks whether a failing disk takes writes again */
    LEAVE_MS = 20,        /* how long it leaves work to a readier device before it takes it */
    /* Of queue_worker_ahead() while other owners wait: counting takes about as long as the runs, and delays them. */
    AHEAD_SHARED = 3,
    AHEAD_CACHED = 2 * PROTOCOL_POINTS, /* results that the counting executor keeps */
};

/* With the lock held: can the store take another result? Otherwise it would be in memory only. */
static bool store_writes(struct queue *queue)
{
    return queue->uncommitted < queue->uncommitted_max && store_healthy(queue->store, NULL);
}

/* Other threads may free memory meanwhile. */
static void memory_wait(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

/* Waits until there is memory, because the end of a run must not be lost. */
static struct transition *transition_wait_new(struct queue *queue, const struct ending *ending)
{
    struct transition *transition;
    while (!(transition = transition_new(queue, ending)))
        memory_wait();
    transition->write.patient = true;
    return transition;
}

/* ---- the end of a run ---- */

/* Marks the device as idle, and charges the owner of what ran. Returns that, and how long it had the
   device. */
static struct entry *device_release(struct queue *queue, int index, struct transition *transition,
                                    double *took_s)
{
    struct device_queue *device = &queue->devices[index];
    struct entry *entry = device->running;
    assert(entry);
    int64_t took_ns = queue_state_now_ns(queue) - entry->started_ns;
    *took_s = (double)took_ns / 1e9;
    device->busy_ns += took_ns;
    device->running = NULL;
    LIST_REMOVE(entry, of_running);
    transition_charge(transition, entry->owner, *took_s);
    return entry;
}

static void device_end(struct queue *queue, int index, struct transition *transition,
                       const struct ending *ending)
{
    double took_s;
    struct entry *entry = device_release(queue, index, transition, &took_s);
    enum { MEANS = 4 };
    struct run_mean *means[MEANS] = {&queue->run_mean, &queue->devices[index].run_mean,
                                     owner_run_mean(entry->owner, -1), owner_run_mean(entry->owner, index)};
    for (int i = 0; ending->state != JOB_CANCELLED && i < MEANS; i++)
        if (means[i])
            run_mean_add(means[i], took_s, entry->task.array_bytes);
    if (ending->state == JOB_CANCELLED && entry->cancelled_by)
        transition_cancelled(transition, entry);
    transition_end(transition, entry, ending->state);
    if (ending->result)
        transition->write.changes[0].result = transition->result;
    transition->write.changes[0].samples = &transition->samples;
}

void queue_worker_hand_back(struct queue *queue, int index, bool counted, const char *reason)
{
    struct transition *transition = transition_wait_new(queue, NULL);
    double took_s;
    pthread_mutex_lock(&queue->lock);
    struct entry *entry = device_release(queue, index, transition, &took_s);
    int attempt = entry->task.attempt;
    if (!counted)
        entry->task.attempt--;
    if (entry->cancelled) {
        transition_cancelled(transition, entry);
        transition_end(transition, entry, JOB_CANCELLED);
    } else if (counted && attempt >= queue->config.attempts) {
        error_set(&transition->failure, ERROR_ABANDONED, "given up after %d attempts%s%s", attempt,
                  reason ? "; at the last one " : "", reason ? reason : "");
        transition_end(transition, entry, JOB_FAILED);
    } else {
        if (entry_unbound(entry))
            entry->task.device = -1;
        entry_count(queue, entry, 1);
        entry_wait(queue, entry);
        transition_add(transition, entry, JOB_QUEUED)->moved = entry_unbound(entry);
    }
    if (reason)
        transition_lose(transition, attempt, index, clock_wall_ms(), reason);
    transition_hand_over(transition);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- taking the next one ---- */

/* Binds all of a sweep that is unbound to the device. */
static void sweep_bind(struct transition *transition, struct entry_sweep *sweep,
                       struct owner_queue *owner_queue, int index)
{
    struct entry *one;
    LIST_FOREACH (one, &sweep->entries, of_sweep) {
        if (!entry_unbound(one))
            continue;
        bool waits = one->phase == WAITING;
        if (waits)
            entry_pull(one);
        entry_move(one, owner_queue);
        one->task.device = index;
        if (waits)
            entry_wait(transition->queue, one);
    }
    memcpy(transition->bind.sweep, sweep->id, ID_BYTES);
    transition->bind.device = index;
    transition->write.bind = &transition->bind;
}

/* May the device begin anything? */
static bool device_takes(struct queue *queue, int index)
{
    if (clock_monotonic_ns() >= queue->outlived_until_ns)
        device_set_remove(&queue->outlived, index);
    return device_set_has(&queue->listed, index) && !schedule_held(queue, index) &&
           !device_set_has(&queue->outlived, index);
}

/* False: there is no memory for what it would take. */
static bool device_take(struct queue *queue, int index, struct transition *transition)
{
    struct device_queue *device = &queue->devices[index];
    if (queue->stopping || !device_takes(queue, index) || !store_writes(queue))
        return true;
    struct entry *entry = schedule_next(queue, index);
    if (!entry)
        return true;
    struct entry_sweep *sweep = entry->sweep;
    struct owner_queue *bound = NULL; /* for all of a sweep that is not spread */
    if (entry_unbound(entry) && sweep && !sweep->spread &&
        !(bound = owner_queue_get(entry->owner, &device->group)))
        return false;
    entry_unwait(queue, entry, RUNNING);
    entry->task.attempt++;
    entry->started_ms = clock_wall_ms();
    entry->started_ns = queue_state_now_ns(queue);
    entry->owner->served = ++queue->served;
    LIST_INSERT_HEAD(&entry->owner->running, entry, of_running);
    device->running = entry;
    device->uncommitted = true;
    transition->started = device;
    entry->task.device = index;
    if (bound)
        sweep_bind(transition, sweep, bound, index);
    entry->task.sweep = sweep ? sweep->id : NULL;
    entry->task.owner = entry->owner->name;
    struct store_change *change = transition_add(transition, entry, JOB_RUNNING);
    change->started_ms = entry->started_ms;
    change->moved = entry_unbound(entry);
    /* What else waits may have been left to this device by others. */
    schedule_wake_groups(queue, index);
    return true;
}

const struct task *queue_worker_next(struct queue *queue, int index, const struct ending *ending)
{
    struct device_queue *device = &queue->devices[index];
    struct transition *transition = transition_wait_new(queue, ending);
    pthread_mutex_lock(&queue->lock);
    if (ending)
        device_end(queue, index, transition, ending);
    assert(!device->running);
    bool had_memory = device_take(queue, index, transition);
    const struct task *task = device->running ? &device->running->task : NULL;
    if (transition->write.change_count) {
        transition_hand_over(transition);
        transition = NULL;
    }
    pthread_mutex_unlock(&queue->lock);
    free(transition);
    if (!had_memory) /* queue_worker_wait() would return at once */
        memory_wait();
    return task;
}

bool queue_worker_begun(struct queue *queue, int index)
{
    struct device_queue *device = &queue->devices[index];
    pthread_mutex_lock(&queue->lock);
    while (device->uncommitted && !queue->stopping)
        pthread_cond_wait(&device->wake, &queue->lock);
    bool begun = !device->uncommitted;
    pthread_mutex_unlock(&queue->lock);
    return begun;
}

/* ---- what comes next of a sweep ---- */

/* How many may be counted ahead. With many owners the counts of one would be evicted before its next run. */
static int ahead_limit(const struct queue *queue, int index)
{
    int sharing = 0; /* owners that have something waiting for the device */
    const struct owner *owner;
    LIST_FOREACH (owner, &queue->owners.all, next) {
        struct device_set devices = owner_devices(owner);
        sharing += device_set_has(&devices, index);
    }
    int each = sharing > 1 ? AHEAD_CACHED / sharing - 1 : PROTOCOL_AHEAD;
    return sharing > 1 && each > AHEAD_SHARED ? AHEAD_SHARED : each;
}

void queue_worker_ahead(struct queue *queue, int index, struct ahead *ahead)
{
    size_t bytes = 0;
    *ahead = (struct ahead){0};
    pthread_mutex_lock(&queue->lock);
    const struct entry *running = queue->devices[index].running;
    const struct owner_queue *owner_queue = running ? running->owner_queue : NULL;
    bool looks = running && running->sweep && !owner_queue->device_group->overrides;
    int limit = looks ? ahead_limit(queue, index) : 0;
    while (owner_queue && ahead->count < limit) {
        const struct entry *entry = (const struct entry *)order_at(owner_queue->waiting, ahead->count);
        if (!entry || entry->sweep != running->sweep ||
            (bytes += strlen(entry->task.request)) > PROTOCOL_AHEAD_BYTES)
            break;
        char *request = strdup(entry->task.request);
        if (!request)
            break;
        ahead->at[ahead->count].request = request;
        memcpy(ahead->at[ahead->count++].id, entry->task.id, ID_BYTES);
    }
    pthread_mutex_unlock(&queue->lock);
}

/* ---- waiting for work ---- */

static enum schedule_need device_need(struct queue *queue, int index)
{
    if (queue->devices[index].readiness == QUEUE_OUT || !device_takes(queue, index))
        return NEED_NONE;
    return schedule_need(queue, index);
}

static void device_sleep(struct queue *queue, int index, int64_t wake_ns)
{
    struct device_queue *device = &queue->devices[index];
    device_set_add(&queue->sleeping, index);
    if (wake_ns == INT64_MAX)
        pthread_cond_wait(&device->wake, &queue->lock);
    else
        pthread_cond_timedwait(&device->wake, &queue->lock,
                               &(struct timespec){wake_ns / 1000000000, wake_ns % 1000000000});
    device_set_remove(&queue->sleeping, index);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

bool queue_worker_wait(struct queue *queue, int index, int timeout_ms)
{
    struct device_queue *device = &queue->devices[index];
    int64_t end_ns = timeout_ms < 0 ? INT64_MAX : clock_monotonic_ns() + timeout_ms * 1000000LL;
    int64_t leave_ns = INT64_MAX; /* until then work is left to readier devices */
    bool found = false;
    pthread_mutex_lock(&queue->lock);
    while (!queue->stopping) {
        bool selected = selection_run_wanted(queue);
        int64_t now_ns = clock_monotonic_ns(), wake_ns = end_ns;
        int64_t check_ns = now_ns + STORE_CHECK_MS * 1000000LL;
        enum schedule_need need = device_need(queue, index);
        if (need != NEED_ELSEWHERE)
            leave_ns = INT64_MAX;
        else if (device->readiness != QUEUE_AWAY)
            leave_ns = earlier(leave_ns, now_ns + LEAVE_MS * 1000000LL);
        if (now_ns >= leave_ns)
            need = NEED_HERE;
        found = need == NEED_HERE && store_writes(queue);
        if (found || now_ns >= end_ns)
            break;
        wake_ns = earlier(wake_ns, need == NEED_HERE ? check_ns : leave_ns);
        if (device_set_has(&queue->outlived, index))
            wake_ns = earlier(wake_ns, queue->outlived_until_ns);
        /* Wanted by others while this one ran; or there was no memory for it. */
        if (queue->selection_wanted)
            wake_ns = selected ? now_ns : earlier(wake_ns, check_ns);
        device_sleep(queue, index, wake_ns);
    }
    selection_delegate(queue);
    if (found && device->readiness == QUEUE_AWAY)
        schedule_set_readiness(queue, index, QUEUE_STARTING);
    pthread_mutex_unlock(&queue->lock);
    return found;
}

bool queue_worker_needed(struct queue *queue, int index)
{
    pthread_mutex_lock(&queue->lock);
    bool needed = !queue->stopping && device_need(queue, index) == NEED_HERE;
    pthread_mutex_unlock(&queue->lock);
    return needed;
}

void queue_worker_readiness(struct queue *queue, int index, enum queue_readiness readiness)
{
    struct device_queue *device = &queue->devices[index];
    pthread_mutex_lock(&queue->lock);
    bool ready = readiness >= QUEUE_COLD, known = device->known;
    bool arrived = ready && (!known || device->readiness < QUEUE_COLD);
    bool changed = readiness != device->readiness;
    device->known |= ready;
    schedule_set_readiness(queue, index, readiness);
    if (changed)
        schedule_wake_groups(queue, index);
    if (arrived && queue->config.select)
        selection_run(queue, known ? SELECTION_STRANDED : SELECTION_ALL);
    pthread_mutex_unlock(&queue->lock);
}

int queue_worker_wake_fd(struct queue *queue, int index)
{
    return queue->devices[index].wake_fd;
}
