#include "tests/unit/support/store_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/support/vfs_powercut.h"

static void test_write_done(struct store_write *write, const struct error *failed)
{
    struct test_write *tried = (struct test_write *)write;
    if (failed)
        tried->failed = *failed;
    if (tried->entered) {
        sem_post(tried->entered);
        sem_wait(tried->leave);
    }
    tried->done++;
}

void test_write_insert(struct test_write *tried, const char *kernel, const char *request)
{
    *tried = (struct test_write){.write.done = test_write_done};
    tried->experiment = (struct store_experiment){.kernel = kernel, .request = request, .timeout_s = 1};
    id_next(tried->experiment.id);
    tried->submission =
        (struct store_submission){.experiments = &tried->experiment, .count = 1, .submitted_ms = 1};
    tried->write.submission = &tried->submission;
}

void test_write_change(struct test_write *tried, const char *id, enum job_state state)
{
    *tried = (struct test_write){.write = {.done = test_write_done, .change_count = 1}};
    tried->write.changes[0] = (struct store_change){.state = state};
    memcpy(tried->write.changes[0].id, id, ID_BYTES);
}

int test_write_commit(struct store *store, struct test_write *tried)
{
    store_hand_over(store, &tried->write);
    store_flush(store);
    assert_int_equal(tried->done, 1);
    return tried->failed.kind == ERROR_NONE ? 0 : -1;
}

void fixture_insert(struct store *store, const char *kernel, int device, const char *request,
                    char id[ID_BYTES])
{
    struct test_write tried;
    test_write_insert(&tried, kernel, request);
    tried.experiment.device = device;
    assert_int_equal(test_write_commit(store, &tried), 0);
    memcpy(id, tried.experiment.id, ID_BYTES);
}

enum job_state fixture_state(struct store *store, const char *id)
{
    struct job *job = NULL;
    assert_int_equal(store_get(store, id, &job, NULL), 0);
    enum job_state state = job->state;
    job_free(job);
    return state;
}

static int begin(void **state, const char *vfs)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct error error = {0};
    scratch_make(fixture->directory);
    if (store_open(&fixture->store, fixture->directory, vfs, &error) < 0)
        fail_msg("%s", error.text);
    *state = fixture;
    return 0;
}

int fixture_setup(void **state)
{
    return begin(state, NULL);
}

int fixture_setup_powercut(void **state)
{
    powercut_register();
    return begin(state, POWERCUT_HONEST);
}

int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;
    powercut_fill(false);
    powercut_fail(NULL);
    store_close(fixture->store);
    powercut_forget();
    scratch_remove(fixture->directory);
    free(fixture);
    return 0;
}

void fixture_hold(struct store *store, struct test_write *hold)
{
    static sem_t entered, leave;
    sem_init(&entered, 0, 0);
    sem_init(&leave, 0, 0);
    test_write_insert(hold, "k", "{}");
    hold->entered = &entered;
    hold->leave = &leave;
    store_hand_over(store, &hold->write);
    sem_wait(&entered);
}

void fixture_release(struct store *store, struct test_write *hold)
{
    sem_post(hold->leave);
    store_flush(store);
}
