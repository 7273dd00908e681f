/* What was acknowledged is there after a kill and after a power cut. A SIGKILL shows that it is not in the
   process's memory alone; only the power cuts show that it is synced (vfs_powercut.h). */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/support/sanitized.h"
#include "tests/unit/support/service.h"
#include "tests/unit/support/vfs_powercut.h"

enum { ACKS_MAX = 100000, SUBMITTERS = 2 };

/* What was acknowledged, in this order; `state` is QUEUED for an accepted submission. */
struct acks {
    pthread_mutex_t lock;
    int count;
    struct {
        char id[ID_BYTES];
        enum job_state state;
    } of[ACKS_MAX];
};

static void acks_add(struct acks *acks, const char *id, enum job_state state)
{
    pthread_mutex_lock(&acks->lock);
    if (acks->count < ACKS_MAX) {
        memcpy(acks->of[acks->count].id, id, ID_BYTES);
        acks->of[acks->count++].state = state;
    }
    pthread_mutex_unlock(&acks->lock);
}

/* ---- a service at work: two submit, one works, some is cancelled ---- */

struct load {
    struct service service;
    void (*acknowledge)(void *arg, const char *id, enum job_state state);
    void *arg;
    atomic_bool enough;
    pthread_t submitters[SUBMITTERS], worker;
};

static void load_changed(void *arg, const char *id, enum job_state state)
{
    struct load *load = arg;
    if (job_state_ended(state))
        load->acknowledge(load->arg, id, state);
}

static void *load_submit(void *arg)
{
    struct load *load = arg;
    char request[1500];
    snprintf(request, sizeof request, "{\"kernel\": \"copy\", \"labels\": {\"%01400d\": \"\"}}", 0);
    struct plain submission = service_request(0, 0);
    submission.request = request;
    for (int i = 0; !atomic_load(&load->enough); i++) {
        struct submitted submitted = service_submit(&load->service, &submission);
        if (submitted.outcome == SUBMITTED_NEW)
            load->acknowledge(load->arg, submitted.id, JOB_QUEUED);
        usleep(1000);
        if (i % 7 == 0)
            service_cancel(&load->service, submitted.id, NULL);
    }
    return NULL;
}

static void *load_work(void *arg)
{
    struct load *load = arg;
    struct queue *queue = load->service.queue;
    struct error failure = {.kind = ERROR_CANCELLED, .text = "cancelled"};
    const struct ending good = {.state = JOB_SUCCEEDED, .result = "{}"};
    const struct ending cancelled = {.state = JOB_CANCELLED, .failure = &failure};
    while (!atomic_load(&load->enough)) {
        queue_worker_wait(queue, 0, 5);
        const struct task *task = queue_worker_next(queue, 0, NULL);
        while (task) {
            usleep(200);
            task = queue_worker_next(queue, 0, queue_view_cancelled(queue, 0) ? &cancelled : &good);
        }
    }
    return NULL;
}

static void load_start(struct load *load)
{
    load->service.config.changed = load_changed;
    load->service.config.changed_arg = load;
    /* It is killed on purpose and often. */
    load->service.config.attempts = 1000;
    load->service.config.limit = 50;
    service_start(&load->service);
    pthread_create(&load->worker, NULL, load_work, load);
    for (int i = 0; i < SUBMITTERS; i++)
        pthread_create(&load->submitters[i], NULL, load_submit, load);
}

static void load_stop(struct load *load)
{
    atomic_store(&load->enough, true);
    for (int i = 0; i < SUBMITTERS; i++)
        pthread_join(load->submitters[i], NULL);
    queue_stop(load->service.queue);
    pthread_join(load->worker, NULL);
}

/* ---- what must hold afterwards ---- */

/* Returns how many of the first `count` acknowledgements do not hold in the store; *why is about the first
   such. */
static int store_lost(struct store *store, const struct acks *acks, int from, int count, struct error *why)
{
    int lost = 0;
    for (int i = from; i < count; i++) {
        struct job *job = NULL;
        struct error error = {0};
        bool stored = store_get(store, acks->of[i].id, &job, &error) == 0 &&
                      (acks->of[i].state == JOB_QUEUED || job->state == acks->of[i].state);
        if (!stored && !lost++)
            error_set(why, ERROR_STORE, "%s was acknowledged as %s and is %s", acks->of[i].id,
                      job_state_name(acks->of[i].state), job ? job_state_name(job->state) : error.text);
        job_free(job);
    }
    return lost;
}

static bool acks_have_end(const struct acks *acks, int count, const char *id)
{
    for (int i = 0; i < count; i++)
        if (acks->of[i].state != JOB_QUEUED && strcmp(acks->of[i].id, id) == 0)
            return true;
    return false;
}

/* Opens the directory as a server that starts does, and counts acknowledgements that are lost, and what would
   run once more though it ended. A store that cannot be opened has lost all. */
static int directory_lost(const char *directory, const struct acks *acks, int count, struct error *why)
{
    struct store *store = NULL;
    struct queue *queue = NULL;
    struct error error = {0};
    const struct queue_config config = {.devices = 1, .limit = 100, .attempts = 1000};
    const struct ending good = {.state = JOB_SUCCEEDED};
    int lost = 0;
    if (!database_whole(directory)) {
        error_set(why, ERROR_STORE, "the database is not whole");
        return count;
    }
    if (store_open(&store, directory, NULL, &error) < 0 || queue_open(&queue, store, &config, &error) < 0) {
        error_set(why, ERROR_STORE, "%s", error.text);
        lost = count;
    } else {
        lost = store_lost(store, acks, 0, count, why);
        const struct task *task = queue_worker_next(queue, 0, NULL);
        for (; task; task = queue_worker_next(queue, 0, &good))
            if (acks_have_end(acks, count, task->id) && !lost++)
                error_set(why, ERROR_STORE, "%s ended and runs again", task->id);
    }
    queue_close(queue);
    store_close(store);
    return lost;
}

/* ---- kills ---- */

static void pipe_acknowledge(void *arg, const char *id, enum job_state state)
{
    char line[ID_BYTES + 2];
    int size = snprintf(line, sizeof line, "%d%s\n", (int)state, id);
    if (write(*(int *)arg, line, (size_t)size) != size)
        abort();
}

static void pipe_read(FILE *pipe, struct acks *acks)
{
    char line[64];
    while (fgets(line, sizeof line, pipe)) {
        line[strcspn(line, "\n")] = '\0';
        assert_int_equal(strlen(line), ID_BYTES);
        acks_add(acks, line + 1, (enum job_state)(line[0] - '0'));
    }
}

static void nothing_acknowledged_is_lost_by_fifty_kills_at_any_moment(void **state)
{
    enum { KILLS = 50, ACKS = 500, ENDS = 100, KILLS_MOST = 2000 };
    static struct acks acks = {.lock = PTHREAD_MUTEX_INITIALIZER};
    static struct load load;
    struct error why = {0};
    (void)state;
    srand(1);
    service_init(&load.service, NULL);
    int ends = 0, longest_ms = 60;
    /* A slow machine acknowledges less between two kills; where it was nothing at all, lives become
       longer. */
    for (int kill_number = 0;
         kill_number < KILLS || ((acks.count < ACKS || ends < ENDS) && kill_number < KILLS_MOST);
         kill_number++) {
        int pipes[2];
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            close(pipes[0]);
            load.acknowledge = pipe_acknowledge;
            load.arg = &pipes[1];
            load_start(&load);
            for (;;)
                pause();
        }
        close(pipes[1]);
        int checked = acks.count;
        /* From before it is open to some hundred commits. */
        poll(NULL, 0, rand() % longest_ms);
        kill(child, SIGKILL);
        FILE *pipe = fdopen(pipes[0], "r");
        pipe_read(pipe, &acks);
        fclose(pipe);
        waitpid(child, NULL, 0);

        assert_true(database_whole(load.service.directory));
        service_start(&load.service);
        if (store_lost(load.service.store, &acks, checked, acks.count, &why))
            fail_msg("after kill %d: %s", kill_number, why.text);
        service_stop(&load.service);
        longest_ms += acks.count == checked ? 5 : 0;
        for (int i = checked; i < acks.count; i++)
            ends += acks.of[i].state != JOB_QUEUED;
    }
    /* All of it once more at the end, and that no end was acknowledged twice. */
    for (int i = 0; i < acks.count; i++)
        if (acks.of[i].state != JOB_QUEUED && acks_have_end(&acks, i, acks.of[i].id))
            fail_msg("%s ended twice", acks.of[i].id);
    if (directory_lost(load.service.directory, &acks, acks.count, &why))
        fail_msg("%s", why.text);
    assert_true(acks.count >= ACKS && ends >= ENDS);
    scratch_remove(load.service.directory);
}

/* ---- power cuts ---- */

static void ack_add(void *arg, const char *id, enum job_state state)
{
    acks_add(arg, id, state);
}

/* Cuts the power of a working server at least so many times, and until it has acknowledged more than 200 experiments: a
   slow machine needs longer for that. Returns after how many cuts an acknowledged experiment was lost. */
static int cuts_that_lost(const char *vfs, int cuts, struct error *why)
{
    struct acks *acks = calloc(1, sizeof *acks);
    struct load *load = calloc(1, sizeof *load);
    int losses = 0, count = 0;
    powercut_register();
    pthread_mutex_init(&acks->lock, NULL);
    load->acknowledge = ack_add;
    load->arg = acks;
    service_init(&load->service, vfs);
    load_start(load);
    for (int cut = 0; cut < cuts || count <= 200; cut++) {
        char image[SCRATCH_BYTES];
        scratch_make(image);
        usleep(20000 + 1000 * (useconds_t)(cut % 7));
        /* What was acknowledged before the cut must be in what it leaves. */
        pthread_mutex_lock(&acks->lock);
        count = acks->count;
        pthread_mutex_unlock(&acks->lock);
        assert_int_equal(powercut_image(load->service.directory, image, (unsigned)cut), 0);
        if (directory_lost(image, acks, count, why))
            losses++;
        scratch_remove(image);
    }
    load_stop(load);
    service_end(&load->service);
    powercut_forget();
    free(load);
    free(acks);
    return losses;
}

static void nothing_acknowledged_is_lost_by_a_power_cut(void **state)
{
    const int cuts = SANITIZED ? 10 : 30; /* where each takes a second */
    struct error why = {0};
    (void)state;
    if (cuts_that_lost(POWERCUT_HONEST, cuts, &why))
        fail_msg("%s", why.text);
}

/* Shows that the test above can fail: without syncs, as with synchronous=OFF, it does. */
static void the_power_cuts_notice_a_disk_that_does_not_sync(void **state)
{
    struct error why = {0};
    (void)state;
    assert_true(cuts_that_lost(POWERCUT_LYING, 6, &why) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_acknowledged_is_lost_by_fifty_kills_at_any_moment),
        cmocka_unit_test(nothing_acknowledged_is_lost_by_a_power_cut),
        cmocka_unit_test(the_power_cuts_notice_a_disk_that_does_not_sync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
