/* What was refused never exists later: COMMITs that fail when their frames are in the write-ahead log
   already, and then a kill or a power cut (vfs_powercut.h). */
#include <semaphore.h>
#include <setjmp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "server/store/schema.h"
#include "tests/unit/support/service.h"
#include "tests/unit/support/store_fixture.h"
#include "tests/unit/support/vfs_powercut.h"

enum { FRAME_BYTES = 4096 + 24, INDEXED_FRAMES = 4062, REFUSED = 3, CUTS = 3 };

static sqlite3 *database_open(const struct fixture *fixture)
{
    char path[SCRATCH_BYTES + 32];
    snprintf(path, sizeof path, "%s/coalesced.db", fixture->directory);
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, POWERCUT_HONEST), SQLITE_OK);
    assert_int_equal(sqlite3_busy_timeout(db, 10000), SQLITE_OK);
    return db;
}

static void database_run(sqlite3 *db, const char *sql)
{
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
}

static int log_frames(const struct fixture *fixture)
{
    char path[SCRATCH_BYTES + 32];
    struct stat status;
    snprintf(path, sizeof path, "%s/coalesced.db-wal", fixture->directory);
    assert_int_equal(stat(path, &status), 0);
    return (int)(status.st_size / FRAME_BYTES);
}

/* A reader holds the log, as a backup does, and the next transaction needs more of the index than there
   is. */
static sqlite3 *log_hold(const struct fixture *fixture)
{
    sqlite3 *reader = database_open(fixture), *writer = database_open(fixture);
    char version[64];
    snprintf(version, sizeof version, "PRAGMA user_version = %d", schema_newest());
    database_run(reader, "BEGIN; SELECT count(*) FROM experiments");
    database_run(writer, "PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 0");
    while (log_frames(fixture) < INDEXED_FRAMES - 1)
        database_run(writer, version);
    sqlite3_close(writer);
    return reader;
}

/* Returns how many of these a server finds that starts on what is left. */
static int found_after(const struct fixture *fixture, unsigned seed, struct test_write *const *tried,
                       int count)
{
    char image[SCRATCH_BYTES];
    struct store *store = NULL;
    int found = 0;
    scratch_make(image);
    assert_int_equal(powercut_image(fixture->directory, image, seed), 0);
    assert_true(database_whole(image));
    assert_int_equal(store_open(&store, image, NULL, NULL), 0);
    for (int i = 0; i < count; i++) {
        struct job *job = NULL;
        found += store_get(store, tried[i]->experiment.id, &job, NULL) == 0;
        job_free(job);
    }
    store_close(store);
    scratch_remove(image);
    return found;
}

/* With a log whose index is full. */
static void what_is_refused_while_it_fails_is_nowhere(const struct fixture *fixture,
                                                      struct powercut_fault fault)
{
    static struct test_write stored[2], refused[REFUSED];
    struct test_write *const before[] = {&stored[0], &stored[1]};
    struct test_write *after[REFUSED];
    int frames = 0;
    for (int i = 0; i < 2; i++) {
        frames = log_frames(fixture);
        test_write_insert(&stored[i], "k", "{}");
        assert_int_equal(test_write_commit(fixture->store, &stored[i]), 0);
    }
    /* Room for the frames of one submission, and for less than the index wants. */
    fault.room_bytes = (log_frames(fixture) - frames) * FRAME_BYTES + 16 * 1024;
    sqlite3 *reader = log_hold(fixture);
    powercut_fail(&fault);
    for (int i = 0; i < REFUSED; i++) {
        after[i] = &refused[i];
        test_write_insert(&refused[i], "k", "{}");
        assert_int_equal(test_write_commit(fixture->store, &refused[i]), -1);
        assert_int_equal(refused[i].failed.kind, ERROR_STORE);
        assert_int_equal(found_after(fixture, POWERCUT_KILL, after, i + 1), 0);
        for (unsigned cut = 0; cut < CUTS; cut++)
            assert_int_equal(found_after(fixture, cut, after, i + 1), 0);
    }
    powercut_fail(NULL);
    assert_int_equal(found_after(fixture, POWERCUT_KILL, before, 2), 2);
    sqlite3_close(reader);
}

static void what_the_logs_index_has_no_room_for_is_nowhere(void **state)
{
    what_is_refused_while_it_fails_is_nowhere(*state, (struct powercut_fault){.full = true});
}

static void what_the_logs_index_may_not_grow_for_is_nowhere(void **state)
{
    what_is_refused_while_it_fails_is_nowhere(*state, (struct powercut_fault){.index_fixed = true});
}

/* The log is short in the page cache and long on the disk, and the next sync succeeds. */
static void what_a_failed_sync_has_dropped_is_written_again(void **state)
{
    what_is_refused_while_it_fails_is_nowhere(
        *state, (struct powercut_fault){.index_fixed = true, .drops_cut = true});
}

/* After a kill a server may find it or not; a server that goes on does not. */
static void what_may_still_be_in_the_log_is_uncertain(void **state)
{
    const struct fixture *fixture = *state;
    static struct test_write first, second, third;
    struct test_write *const uncertain[] = {&first}, *const refused[] = {&second}, *const good[] = {&third};
    powercut_fail(&(struct powercut_fault){.freezes = true});
    test_write_insert(&first, "k", "{}");
    test_write_insert(&second, "k", "{}");
    assert_int_equal(test_write_commit(fixture->store, &first), -1);
    assert_int_equal(first.failed.kind, ERROR_UNCERTAIN);
    assert_int_equal(found_after(fixture, POWERCUT_KILL, uncertain, 1), 1);
    assert_int_equal(test_write_commit(fixture->store, &second), -1);
    assert_int_equal(second.failed.kind, ERROR_UNCERTAIN);
    assert_int_equal(found_after(fixture, POWERCUT_KILL, refused, 1), 0);

    powercut_fail(NULL);
    test_write_insert(&third, "k", "{}");
    assert_int_equal(test_write_commit(fixture->store, &third), 0);
    assert_int_equal(found_after(fixture, POWERCUT_KILL, good, 1), 1);
    assert_int_equal(found_after(fixture, POWERCUT_KILL, uncertain, 1), 0);
}

static void submission_with_key(struct test_write *tried)
{
    test_write_insert(tried, "k", "{}");
    tried->submission.key = "same";
    tried->submission.fingerprint = "f";
}

/* A start may find the first one, so the answer is not that nothing was done. */
static void a_repetition_of_what_is_uncertain_is_uncertain(void **state)
{
    const struct fixture *fixture = *state;
    static struct test_write first, again, later;
    struct test_write *const uncertain[] = {&first};
    powercut_fail(&(struct powercut_fault){.freezes = true});
    submission_with_key(&first);
    submission_with_key(&again);
    submission_with_key(&later);
    assert_int_equal(test_write_commit(fixture->store, &first), -1);
    assert_int_equal(first.failed.kind, ERROR_UNCERTAIN);
    assert_int_equal(test_write_commit(fixture->store, &again), -1);
    assert_int_equal(again.failed.kind, ERROR_UNCERTAIN);
    assert_int_equal(found_after(fixture, POWERCUT_KILL, uncertain, 1), 1);
    powercut_fail(NULL);
    assert_int_equal(test_write_commit(fixture->store, &later), 0);
    assert_int_equal(later.write.outcome, WRITE_NEW);
}

static void what_was_refused_for_itself_is_refused_whatever_the_commit_did(void **state)
{
    const struct fixture *fixture = *state;
    static struct test_write hold, first, full;
    fixture_hold(fixture->store, &hold);
    test_write_insert(&first, "k", "{}");
    test_write_insert(&full, "k", "{}");
    full.submission.known_only = true;
    store_hand_over(fixture->store, &first.write);
    store_hand_over(fixture->store, &full.write);
    powercut_fail(&(struct powercut_fault){.freezes = true});
    fixture_release(fixture->store, &hold);
    assert_int_equal(first.failed.kind, ERROR_UNCERTAIN);
    assert_int_equal(full.failed.kind, ERROR_FULL);
}

static void a_patient_write_that_is_given_up_may_be_uncertain(void **state)
{
    const struct fixture *fixture = *state;
    static struct test_write change;
    char id[ID_BYTES];
    fixture_insert(fixture->store, "k", 0, "{}", id);
    powercut_fail(&(struct powercut_fault){.freezes = true});
    test_write_change(&change, id, JOB_RUNNING);
    change.write.patient = true;
    assert_int_equal(test_write_commit(fixture->store, &change), -1);
    assert_int_equal(change.failed.kind, ERROR_UNCERTAIN);
}

/* As the sqlite3 shell may, when a COMMIT has failed. */
static void a_foreign_write_lock_does_not_delay_an_answer(void **state)
{
    const struct fixture *fixture = *state;
    static struct test_write tried;
    struct timespec limit;
    sem_t entered, leave;
    sem_init(&entered, 0, 0);
    sem_init(&leave, 0, 1);
    sqlite3 *other = database_open(fixture);
    sqlite3_busy_timeout(other, 0);
    long syncs = powercut_log_syncs();
    powercut_fail(&(struct powercut_fault){.freezes = true});
    test_write_insert(&tried, "k", "{}");
    tried.entered = &entered;
    tried.leave = &leave;
    store_hand_over(fixture->store, &tried.write);
    while (powercut_log_syncs() == syncs)
        usleep(1000);
    while (sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        usleep(1000);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 30;
    assert_int_equal(sem_timedwait(&entered, &limit), 0);
    assert_int_equal(tried.failed.kind, ERROR_UNCERTAIN);
    assert_false(store_healthy(fixture->store, NULL));
    sqlite3_close(other);
    store_flush(fixture->store);
    sem_destroy(&entered);
    sem_destroy(&leave);
}

/* ---- a log that is removed ---- */

static void what_is_acknowledged_while_the_log_is_removed_is_in_the_database(void **state)
{
    const struct fixture *fixture = *state;
    static struct test_write stored[2], refused;
    struct test_write *const acknowledged[] = {&stored[0], &stored[1]};
    for (int i = 0; i < 2; i++) {
        powercut_fail(&(struct powercut_fault){.removes_log = i == 1});
        test_write_insert(&stored[i], "k", "{}");
        assert_int_equal(test_write_commit(fixture->store, &stored[i]), 0);
    }
    assert_int_equal(found_after(fixture, POWERCUT_KILL, acknowledged, 2), 2);
    test_write_insert(&refused, "k", "{}");
    assert_int_equal(test_write_commit(fixture->store, &refused), -1);
    assert_int_equal(refused.failed.kind, ERROR_STORE);
}

/* A reader prevents the checkpoint that would move the log into the database. */
static void what_is_in_a_removed_log_alone_is_uncertain(void **state)
{
    const struct fixture *fixture = *state;
    static struct test_write stored, uncertain, again;
    test_write_insert(&stored, "k", "{}");
    assert_int_equal(test_write_commit(fixture->store, &stored), 0);
    sqlite3 *reader = database_open(fixture);
    database_run(reader, "BEGIN; SELECT count(*) FROM experiments");
    powercut_fail(&(struct powercut_fault){.removes_log = true});
    test_write_insert(&uncertain, "k", "{}");
    test_write_insert(&again, "k", "{}");
    assert_int_equal(test_write_commit(fixture->store, &uncertain), -1);
    assert_int_equal(uncertain.failed.kind, ERROR_UNCERTAIN);
    assert_int_equal(test_write_commit(fixture->store, &again), -1);
    assert_int_equal(again.failed.kind, ERROR_UNCERTAIN);
    sqlite3_close(reader);
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, fixture_setup_powercut, fixture_teardown)
    const struct CMUnitTest tests[] = {
        ONE(what_the_logs_index_has_no_room_for_is_nowhere),
        ONE(what_the_logs_index_may_not_grow_for_is_nowhere),
        ONE(what_a_failed_sync_has_dropped_is_written_again),
        ONE(what_may_still_be_in_the_log_is_uncertain),
        ONE(a_repetition_of_what_is_uncertain_is_uncertain),
        ONE(what_was_refused_for_itself_is_refused_whatever_the_commit_did),
        ONE(a_patient_write_that_is_given_up_may_be_uncertain),
        ONE(a_foreign_write_lock_does_not_delay_an_answer),
        ONE(what_is_acknowledged_while_the_log_is_removed_is_in_the_database),
        ONE(what_is_in_a_removed_log_alone_is_uncertain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
