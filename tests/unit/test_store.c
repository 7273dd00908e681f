#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/support/store_fixture.h"
#include "tests/unit/support/vfs_powercut.h"

static void an_experiment_is_read_as_it_was_written(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    struct test_write tried;
    test_write_insert(&tried, "transpose", "{\"kernel\": \"transpose\", \"labels\": {}}");
    tried.experiment.device = 1;
    tried.experiment.priority = -7;
    tried.experiment.timeout_s = 2.5;
    tried.submission.submitted_ms = 1234567890123;
    assert_int_equal(test_write_commit(store, &tried), 0);

    struct test_write ended;
    struct error failure = {.kind = ERROR_TIMED_OUT, .text = "too \"slow\"", .where = "here:1"};
    test_write_change(&ended, tried.experiment.id, JOB_FAILED);
    ended.write.changes[0].attempt = 2;
    ended.write.changes[0].started_ms = 5;
    ended.write.changes[0].finished_ms = 6;
    ended.write.changes[0].result = "{\"schema\": 1}";
    ended.write.changes[0].failure = &failure;
    assert_int_equal(test_write_commit(store, &ended), 0);

    struct job *job = NULL;
    assert_int_equal(store_get(store, tried.experiment.id, &job, NULL), 0);
    assert_string_equal(job->id, tried.experiment.id);
    assert_int_equal(job->state, JOB_FAILED);
    assert_int_equal(job->device, 1);
    assert_int_equal(job->priority, -7);
    assert_int_equal(job->attempt, 2);
    assert_true(job->timeout_s == 2.5);
    assert_int_equal(job->submitted_ms, 1234567890123);
    assert_int_equal(job->started_ms, 5);
    assert_int_equal(job->finished_ms, 6);
    assert_string_equal(job->kernel, "transpose");
    assert_string_equal(job->request, tried.experiment.request);
    assert_string_equal(job->result, "{\"schema\": 1}");
    assert_int_equal(job->failure.kind, ERROR_TIMED_OUT);
    assert_string_equal(job->failure.text, "too \"slow\"");
    assert_string_equal(job->failure.where, "here:1");
    job_free(job);

    struct error error = {0};
    assert_int_equal(store_get(store, "01ARZ3NDEKTSV4RRFFQ69G5FAV", &job, &error), -1);
    assert_int_equal(error.kind, ERROR_NOT_FOUND);
    assert_null(job);
}

static void an_ended_experiment_cannot_end_again(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    static const enum job_state ends[] = {JOB_SUCCEEDED, JOB_FAILED, JOB_CANCELLED};
    for (size_t i = 0; i < 3; i++) {
        char id[ID_BYTES];
        struct test_write tried;
        fixture_insert(store, "k", 0, "{}", id);
        test_write_change(&tried, id, ends[i]);
        assert_int_equal(test_write_commit(store, &tried), 0);
        for (int next = 0; next < JOB_STATES; next++) {
            test_write_change(&tried, id, (enum job_state)next);
            assert_int_equal(test_write_commit(store, &tried), -1);
            assert_non_null(strstr(tried.failed.text, "an ended experiment cannot change"));
            assert_int_equal(fixture_state(store, id), ends[i]);
        }
    }
}

static void a_change_of_what_is_not_there_is_refused(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    struct test_write tried;
    test_write_change(&tried, "01ARZ3NDEKTSV4RRFFQ69G5FAV", JOB_RUNNING);
    tried.write.patient = true;
    assert_int_equal(test_write_commit(store, &tried), -1);
    assert_true(store_healthy(store, NULL));
}

/* Both changes of a write are committed or none, and the other writes of the transaction are. */
static void a_refused_write_leaves_its_neighbours_alone(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    char ended[ID_BYTES], waiting[ID_BYTES];
    struct test_write end, before, begin, after, hold;
    fixture_insert(store, "k", 0, "{}", ended);
    fixture_insert(store, "k", 0, "{}", waiting);
    test_write_change(&end, ended, JOB_SUCCEEDED);
    assert_int_equal(test_write_commit(store, &end), 0);

    fixture_hold(store, &hold);
    test_write_insert(&before, "k", "{}");
    test_write_change(&begin, waiting, JOB_RUNNING);
    begin.write.changes[1] = (struct store_change){.state = JOB_FAILED};
    memcpy(begin.write.changes[1].id, ended, ID_BYTES);
    begin.write.change_count = 2;
    test_write_insert(&after, "k", "{}");
    store_hand_over(store, &before.write);
    store_hand_over(store, &begin.write);
    store_hand_over(store, &after.write);
    fixture_release(store, &hold);

    assert_int_equal(begin.failed.kind, ERROR_STORE);
    assert_int_equal(fixture_state(store, waiting), JOB_QUEUED);
    assert_int_equal(fixture_state(store, ended), JOB_SUCCEEDED);
    assert_int_equal(before.failed.kind, ERROR_NONE);
    assert_int_equal(after.failed.kind, ERROR_NONE);
    assert_int_equal(fixture_state(store, before.experiment.id), JOB_QUEUED);
    assert_int_equal(fixture_state(store, after.experiment.id), JOB_QUEUED);
}

static void all_that_waits_is_one_commit(void **state)
{
    enum { MANY = 200 };
    struct store *store = ((struct fixture *)*state)->store;
    static struct test_write many[MANY];
    struct test_write hold;
    fixture_hold(store, &hold);
    long syncs = powercut_log_syncs();
    for (int i = 0; i < MANY; i++) {
        test_write_insert(&many[i], "k", "{}");
        store_hand_over(store, &many[i].write);
    }
    fixture_release(store, &hold);
    assert_int_equal(powercut_log_syncs() - syncs, 1);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(many[i].done, 1);
        assert_int_equal(fixture_state(store, many[i].experiment.id), JOB_QUEUED);
    }
}

static void a_key_is_known_for_a_day(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    const int64_t now_ms = 1800000000000, late_ms = now_ms + STORE_KEY_MS - 1, later_ms = late_ms + 1;
    const struct {
        int64_t at_ms;
        const char *fingerprint;
        int outcome;
    } steps[] = {{now_ms, "one", WRITE_NEW},       {late_ms, "one", WRITE_AGAIN},
                 {late_ms, "two", WRITE_MISMATCH}, {later_ms, "two", WRITE_NEW},
                 {later_ms, "two", WRITE_AGAIN},   {later_ms, "one", WRITE_MISMATCH}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct test_write tried;
        test_write_insert(&tried, "k", "{}");
        tried.submission.key = "it's \"a\" key";
        tried.submission.fingerprint = steps[i].fingerprint;
        tried.submission.submitted_ms = steps[i].at_ms;
        assert_int_equal(test_write_commit(store, &tried), 0);
        assert_int_equal(tried.write.outcome, steps[i].outcome);
        struct job *job = NULL;
        bool stored = store_get(store, tried.experiment.id, &job, NULL) == 0;
        assert_int_equal(stored, steps[i].outcome == WRITE_NEW);
        job_free(job);
    }
}

static void a_full_disk_fails_submissions_and_retries_ends(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    char id[ID_BYTES];
    struct test_write end, refused, good;
    struct error error = {0};
    fixture_insert(store, "k", 0, "{}", id);

    powercut_fill(true);
    test_write_change(&end, id, JOB_SUCCEEDED);
    end.write.patient = true;
    store_hand_over(store, &end.write);
    test_write_insert(&refused, "k", "{}");
    sem_t entered, leave;
    sem_init(&entered, 0, 0);
    sem_init(&leave, 0, 1);
    refused.entered = &entered;
    refused.leave = &leave;
    store_hand_over(store, &refused.write);
    sem_wait(&entered);
    assert_int_equal(refused.failed.kind, ERROR_STORE);
    assert_false(store_healthy(store, &error));
    assert_non_null(strstr(error.text, "full"));
    assert_int_equal(fixture_state(store, id), JOB_QUEUED);

    powercut_fill(false);
    test_write_insert(&good, "k", "{}");
    assert_int_equal(test_write_commit(store, &good), 0);
    assert_int_equal(end.done, 1);
    assert_int_equal(end.failed.kind, ERROR_NONE);
    assert_int_equal(fixture_state(store, id), JOB_SUCCEEDED);
    assert_true(store_healthy(store, NULL));
    assert_int_equal(store_get(store, refused.experiment.id, &(struct job *){NULL}, NULL), -1);
}

/* For an experiment whose record is freed when its last write is answered, because earlier ones borrow from
   it. */
static void last_done(struct store_write *write, const struct error *failed)
{
    struct test_write *tried = (struct test_write *)write;
    tried->failed = failed ? *failed : (struct error){0};
    free((char *)tried->write.changes[0].about.request);
    tried->done++;
}

static void a_refused_write_is_answered_when_its_transaction_has_ended(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    char ended[ID_BYTES], waiting[ID_BYTES];
    struct test_write end, begins, again, hold;
    fixture_insert(store, "k", 0, "{}", ended);
    fixture_insert(store, "k", 0, "{}", waiting);
    test_write_change(&end, ended, JOB_SUCCEEDED);
    assert_int_equal(test_write_commit(store, &end), 0);

    fixture_hold(store, &hold);
    test_write_change(&begins, waiting, JOB_RUNNING);
    test_write_change(&again, ended, JOB_FAILED);
    again.write.done = last_done;
    begins.write.patient = again.write.patient = true;
    begins.write.changes[0].about.request = again.write.changes[0].about.request = strdup("{}");
    store_hand_over(store, &begins.write);
    store_hand_over(store, &again.write);
    powercut_fill(true);
    sem_post(hold.leave);
    for (int i = 0; i < 30000 && store_healthy(store, NULL); i++)
        usleep(1000);
    assert_false(store_healthy(store, NULL));
    assert_int_equal(begins.done + again.done, 0);

    powercut_fill(false);
    store_flush(store);
    assert_int_equal(begins.done, 1);
    assert_int_equal(begins.failed.kind, ERROR_NONE);
    assert_int_equal(again.done, 1);
    assert_non_null(strstr(again.failed.text, "an ended experiment cannot change"));
    assert_int_equal(fixture_state(store, waiting), JOB_RUNNING);
    assert_int_equal(fixture_state(store, ended), JOB_SUCCEEDED);
}

static void a_healed_disk_is_noticed_without_a_write(void **state)
{
    struct store *store = ((struct fixture *)*state)->store;
    struct test_write refused;
    powercut_fill(true);
    test_write_insert(&refused, "k", "{}");
    assert_int_equal(test_write_commit(store, &refused), -1);
    assert_false(store_healthy(store, NULL));
    powercut_fill(false);
    for (int i = 0; i < 300 && !store_healthy(store, NULL); i++)
        usleep(10000);
    assert_true(store_healthy(store, NULL));
}

/* A server that stops does not wait for a disk for ever. */
static void a_flush_gives_up_on_a_disk_that_stays_full(void **state)
{
    struct fixture *fixture = *state;
    char id[ID_BYTES];
    struct test_write end;
    fixture_insert(fixture->store, "k", 0, "{}", id);
    powercut_fill(true);
    test_write_change(&end, id, JOB_SUCCEEDED);
    end.write.patient = true;
    assert_int_equal(test_write_commit(fixture->store, &end), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_experiment_is_read_as_it_was_written, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(an_ended_experiment_cannot_end_again, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_change_of_what_is_not_there_is_refused, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_refused_write_leaves_its_neighbours_alone, fixture_setup,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(all_that_waits_is_one_commit, fixture_setup_powercut,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_key_is_known_for_a_day, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_full_disk_fails_submissions_and_retries_ends,
                                        fixture_setup_powercut, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_refused_write_is_answered_when_its_transaction_has_ended,
                                        fixture_setup_powercut, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_healed_disk_is_noticed_without_a_write, fixture_setup_powercut,
                                        fixture_teardown),
        cmocka_unit_test_setup_teardown(a_flush_gives_up_on_a_disk_that_stays_full, fixture_setup_powercut,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
