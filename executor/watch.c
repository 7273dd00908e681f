/* The thread of watch.h. Its lock guards the state that it shares with the threads that read and answer. */
#include "executor/watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/protocol.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "executor/guard.h"

enum { WAKE_SIGNAL = SIGUSR1 };

struct watch {
    struct channel *channel;
    double leave_s;
    sigset_t signals;
    pthread_t thread;
    int64_t tried_ns;     /* when the thread last tried to send a beat; the thread's alone */
    pthread_mutex_t lock; /* guards what follows; times are of clock_boot_ns() */
    bool welcome, busy;
    int64_t heartbeat_ns, lost_ns; /* 0: no lease */
    int64_t lease_ns;              /* the end of the lease; 0: there is none */
    int64_t leave_ns; /* when a process that is leaving ends at the latest; 0: it is not leaving */
};

static int64_t ns_of(double seconds)
{
    return (int64_t)(seconds * 1e9);
}

/* ---- ends of the process; called with the lock held, which is never released ---- */

static _Noreturn void lease_end(void)
{
    log_error("executor: the lease is over: the server cannot be reached: ending");
    _exit(EXECUTOR_LOST);
}

static _Noreturn void leave(struct watch *watch)
{
    channel_write_now(watch->channel, protocol_write_leaving("SIGTERM", true));
    log_info("executor: left because of SIGTERM");
    _exit(EXECUTOR_OK);
}

static void lease_check(const struct watch *watch)
{
    if (watch->lease_ns && clock_boot_ns() >= watch->lease_ns)
        lease_end();
}

/* ---- messages of the server ---- */

static void on_welcome(struct watch *watch, const struct message *message)
{
    pthread_mutex_lock(&watch->lock);
    watch->welcome = true;
    watch->heartbeat_ns = ns_of(message->heartbeat_s);
    watch->lost_ns = ns_of(message->lost_s);
    /* From the hello on, and not from now on: how long this message was on its way is not known. */
    if (watch->lost_ns)
        watch->lease_ns = channel_sent_ns(watch->channel, 1) + watch->lost_ns;
    pthread_mutex_unlock(&watch->lock);
    pthread_kill(watch->thread, WAKE_SIGNAL);
}

static void on_beat(struct watch *watch, const struct message *message)
{
    int64_t sent_ns = channel_sent_ns(watch->channel, message->heard);
    pthread_mutex_lock(&watch->lock);
    if (watch->lease_ns && sent_ns + watch->lost_ns > watch->lease_ns)
        watch->lease_ns = sent_ns + watch->lost_ns;
    pthread_mutex_unlock(&watch->lock);
}

/* Called by the channel's thread. */
static bool heard(void *arg, const struct message *message)
{
    struct watch *watch = arg;
    if (message->type == MESSAGE_WELCOME)
        on_welcome(watch, message);
    else if (message->type == MESSAGE_BEAT)
        on_beat(watch, message);
    else
        return false;
    return true;
}

/* ---- the thread ---- */

/* Before the welcome no server waits for "leaving": the process ends by the signal. */
static _Noreturn void die(void)
{
    sigset_t term;
    signal(SIGTERM, SIG_DFL);
    sigemptyset(&term);
    sigaddset(&term, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &term, NULL);
    raise(SIGTERM);
    _exit(128 + SIGTERM);
}

static void on_term(struct watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    if (!watch->welcome)
        die();
    if (!watch->busy)
        leave(watch);
    if (!watch->leave_ns) {
        watch->leave_ns = clock_boot_ns() + ns_of(watch->leave_s);
        channel_write_now(watch->channel, protocol_write_leaving("SIGTERM", false));
    }
    pthread_mutex_unlock(&watch->lock);
}

static int64_t beat_due_ns(const struct watch *watch)
{
    int64_t said_ns = channel_last_ns(watch->channel);
    return (said_ns > watch->tried_ns ? said_ns : watch->tried_ns) + watch->heartbeat_ns;
}

/* Does what is due. Returns when the next thing is due; 0: nothing is until a signal comes. */
static int64_t do_due(struct watch *watch)
{
    int64_t next_ns = 0, now = clock_boot_ns();
    pthread_mutex_lock(&watch->lock);
    lease_check(watch);
    if (watch->leave_ns && now >= watch->leave_ns)
        leave(watch);
    if (watch->heartbeat_ns && now >= beat_due_ns(watch)) {
        watch->tried_ns = now;
        channel_write_now(watch->channel, protocol_write_beat(0));
    }
    if (watch->heartbeat_ns)
        next_ns = beat_due_ns(watch);
    if (watch->lease_ns && watch->lease_ns < next_ns)
        next_ns = watch->lease_ns;
    if (watch->leave_ns && (!next_ns || watch->leave_ns < next_ns))
        next_ns = watch->leave_ns;
    pthread_mutex_unlock(&watch->lock);
    return next_ns;
}

static void *watch_main(void *arg)
{
    struct watch *watch = arg;
    for (;;) {
        int64_t next_ns = do_due(watch), left_ns = next_ns - clock_boot_ns();
        struct timespec left = {.tv_sec = left_ns / 1000000000, .tv_nsec = left_ns % 1000000000};
        if (next_ns && left_ns <= 0)
            continue;
        if (sigtimedwait(&watch->signals, NULL, next_ns ? &left : NULL) == SIGTERM)
            on_term(watch);
    }
    return NULL;
}

int watch_open(struct watch **out, struct channel **channel, double leave_s, struct error *error)
{
    struct watch *watch = calloc(1, sizeof *watch);
    if (!watch)
        return error_set(error, ERROR_MEMORY, "no memory for a thread that watches");
    watch->leave_s = leave_s;
    pthread_mutex_init(&watch->lock, NULL);
    sigemptyset(&watch->signals);
    sigaddset(&watch->signals, SIGTERM);
    sigaddset(&watch->signals, WAKE_SIGNAL);
    pthread_sigmask(SIG_BLOCK, &watch->signals, NULL);
    if (channel_open(&watch->channel, heard, watch, error) < 0)
        goto failed;
    int number = thread_start(&watch->thread, "watch", watch_main, watch);
    if (number) {
        error_set_errno(error, number, "no thread that watches");
        goto failed;
    }
    pthread_detach(watch->thread);
    if (channel_listen(watch->channel, error) < 0)
        return -1; /* the thread has it */
    *channel = watch->channel;
    *out = watch;
    return 0;
failed:
    free(watch);
    return -1;
}

/* ---- called by the thread that answers ---- */

void watch_begin(struct watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    lease_check(watch);
    watch->busy = true;
    pthread_mutex_unlock(&watch->lock);
}

void watch_end(struct watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    watch->busy = false;
    if (watch->leave_ns)
        leave(watch);
    pthread_mutex_unlock(&watch->lock);
}

void watch_check(struct watch *watch)
{
    pthread_mutex_lock(&watch->lock);
    lease_check(watch);
    pthread_mutex_unlock(&watch->lock);
}
