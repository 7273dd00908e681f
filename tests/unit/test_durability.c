/* What was told to somebody is there after a kill and after a power cut. A SIGKILL tests that nothing is kept
   in the process's memory; only the power cuts test that it is synced (vfs_powercut.h). */
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

enum { TOLD_MOST = 100000, SUBMITTERS = 2 };

/* What the outside was told of, in this order; `state` is QUEUED for an accepted submission. */
struct told {
    pthread_mutex_t lock;
    int count;
    struct {
        char id[ID_BYTES];
        enum job_state state;
    } of[TOLD_MOST];
};

static void told_add(struct told *told, const char *id, enum job_state state)
{
    pthread_mutex_lock(&told->lock);
    if (told->count < TOLD_MOST) {
        memcpy(told->of[told->count].id, id, ID_BYTES);
        told->of[told->count++].state = state;
    }
    pthread_mutex_unlock(&told->lock);
}

/* ---- a service at work: two submit, one works, some is cancelled ---- */

struct load {
    struct service service;
    void (*tell)(void *arg, const char *id, enum job_state state);
    void *arg;
    atomic_bool enough;
    pthread_t submitters[SUBMITTERS], worker;
};

static void load_changed(void *arg, const char *id, enum job_state state)
{
    struct load *load = arg;
    if (job_state_ended(state))
        load->tell(load->arg, id, state);
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
            load->tell(load->arg, submitted.id, JOB_QUEUED);
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
    queue_admin_stop(load->service.queue);
    pthread_join(load->worker, NULL);
}

/* ---- what must hold afterwards ---- */

/* How many of the first `count` things that were told are not so in the store; *why says what of the first. */
static int store_lost(struct store *store, const struct told *told, int from, int count, struct error *why)
{
    int lost = 0;
    for (int i = from; i < count; i++) {
        struct job *job = NULL;
        struct error error = {0};
        bool kept = store_get(store, told->of[i].id, &job, &error) == 0 &&
                    (told->of[i].state == JOB_QUEUED || job->state == told->of[i].state);
        if (!kept && !lost++)
            error_set(why, ERROR_STORE, "%s was told to be %s and is %s", told->of[i].id,
                      job_state_name(told->of[i].state), job ? job_state_name(job->state) : error.text);
        job_free(job);
    }
    return lost;
}

static bool told_ended(const struct told *told, int count, const char *id)
{
    for (int i = 0; i < count; i++)
        if (told->of[i].state != JOB_QUEUED && strcmp(told->of[i].id, id) == 0)
            return true;
    return false;
}

/* Opens the directory as a service that starts, and counts what is lost of what was told, and what would run
   once more though it ended. A store that cannot be opened has lost all. */
static int directory_lost(const char *directory, const struct told *told, int count, struct error *why)
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
    if (store_open(&store, directory, NULL, &error) < 0 ||
        queue_admin_open(&queue, store, &config, &error) < 0) {
        error_set(why, ERROR_STORE, "%s", error.text);
        lost = count;
    } else {
        lost = store_lost(store, told, 0, count, why);
        const struct task *task = queue_worker_next(queue, 0, NULL);
        for (; task; task = queue_worker_next(queue, 0, &good))
            if (told_ended(told, count, task->id) && !lost++)
                error_set(why, ERROR_STORE, "%s ended and runs again", task->id);
    }
    queue_admin_close(queue);
    store_close(store);
    return lost;
}

/* ---- kills ---- */

static void pipe_tell(void *arg, const char *id, enum job_state state)
{
    char line[ID_BYTES + 2];
    int size = snprintf(line, sizeof line, "%d%s\n", (int)state, id);
    if (write(*(int *)arg, line, (size_t)size) != size)
        abort();
}

static void pipe_read(FILE *pipe, struct told *told)
{
    char line[64];
    while (fgets(line, sizeof line, pipe)) {
        line[strcspn(line, "\n")] = '\0';
        assert_int_equal(strlen(line), ID_BYTES);
        told_add(told, line + 1, (enum job_state)(line[0] - '0'));
    }
}

static void nothing_told_is_lost_by_fifty_kills_at_any_moment(void **state)
{
    enum { KILLS = 50, TOLD = 500, ENDS = 100, KILLS_MOST = 2000 };
    static struct told told = {.lock = PTHREAD_MUTEX_INITIALIZER};
    static struct load load;
    struct error why = {0};
    (void)state;
    srand(1);
    service_init(&load.service, NULL);
    int ends = 0, longest_ms = 60;
    /* A machine that is slow tells less between two kills; where nothing was told at all, lives become longer. */
    for (int kill_number = 0;
         kill_number < KILLS || ((told.count < TOLD || ends < ENDS) && kill_number < KILLS_MOST);
         kill_number++) {
        int pipes[2];
        assert_int_equal(pipe(pipes), 0);
        pid_t child = fork();
        if (child == 0) {
            close(pipes[0]);
            load.tell = pipe_tell;
            load.arg = &pipes[1];
            load_start(&load);
            for (;;)
                pause();
        }
        close(pipes[1]);
        int checked = told.count;
        /* From before it is open to some hundred commits. */
        poll(NULL, 0, rand() % longest_ms);
        kill(child, SIGKILL);
        FILE *pipe = fdopen(pipes[0], "r");
        pipe_read(pipe, &told);
        fclose(pipe);
        waitpid(child, NULL, 0);

        assert_true(database_whole(load.service.directory));
        service_start(&load.service);
        if (store_lost(load.service.store, &told, checked, told.count, &why))
            fail_msg("after kill %d: %s", kill_number, why.text);
        service_stop(&load.service);
        longest_ms += told.count == checked ? 5 : 0;
        for (int i = checked; i < told.count; i++)
            ends += told.of[i].state != JOB_QUEUED;
    }
    /* All of it once more at the end, and that no end was told twice. */
    for (int i = 0; i < told.count; i++)
        if (told.of[i].state != JOB_QUEUED && told_ended(&told, i, told.of[i].id))
            fail_msg("%s ended twice", told.of[i].id);
    if (directory_lost(load.service.directory, &told, told.count, &why))
        fail_msg("%s", why.text);
    assert_true(told.count >= TOLD && ends >= ENDS);
    scratch_remove(load.service.directory);
}

/* ---- power cuts ---- */

static void told_tell(void *arg, const char *id, enum job_state state)
{
    told_add(arg, id, state);
}

/* Cuts the power of a service at work many times; how many times something was lost. */
static int cuts_that_lost(const char *vfs, int cuts, struct error *why)
{
    struct told *told = calloc(1, sizeof *told);
    struct load *load = calloc(1, sizeof *load);
    int losses = 0;
    powercut_register();
    pthread_mutex_init(&told->lock, NULL);
    load->tell = told_tell;
    load->arg = told;
    service_init(&load->service, vfs);
    load_start(load);
    for (int cut = 0; cut < cuts; cut++) {
        char image[SCRATCH_BYTES];
        scratch_make(image);
        usleep(20000 + 1000 * (useconds_t)(cut % 7));
        /* What was told before the cut must be in what is left by it. */
        pthread_mutex_lock(&told->lock);
        int count = told->count;
        pthread_mutex_unlock(&told->lock);
        assert_int_equal(powercut_image(load->service.directory, image, (unsigned)cut), 0);
        if (directory_lost(image, told, count, why))
            losses++;
        scratch_remove(image);
    }
    load_stop(load);
    service_end(&load->service);
    assert_true(told->count > 200);
    powercut_forget();
    free(load);
    free(told);
    return losses;
}

static void nothing_told_is_lost_by_a_power_cut(void **state)
{
    const int cuts = SANITIZED ? 10 : 30; /* where each takes a second */
    struct error why = {0};
    (void)state;
    if (cuts_that_lost(POWERCUT_HONEST, cuts, &why))
        fail_msg("%s", why.text);
}

/* The proof that the test above can fail: without syncs, as with synchronous=OFF, it does. */
static void the_power_cuts_notice_a_disk_that_does_not_sync(void **state)
{
    struct error why = {0};
    (void)state;
    assert_true(cuts_that_lost(POWERCUT_LYING, 6, &why) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_told_is_lost_by_fifty_kills_at_any_moment),
        cmocka_unit_test(nothing_told_is_lost_by_a_power_cut),
        cmocka_unit_test(the_power_cuts_notice_a_disk_that_does_not_sync),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
