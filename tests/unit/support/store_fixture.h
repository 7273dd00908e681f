/* A store in a scratch directory, and writes to it whose outcome can be inspected. */
#pragma once

#include <semaphore.h>

#include "server/store/experiment_reads.h"
#include "server/store/retention.h"
#include "server/store/startup_reads.h"
#include "server/store/store.h"
#include "server/store/write.h"
#include "tests/unit/support/scratch.h"

struct fixture {
    char directory[SCRATCH_BYTES];
    struct store *store;
};

/* For cmocka: *state is the fixture. The second puts the store on the disk of vfs_powercut.h. */
int fixture_setup(void **state);
int fixture_setup_powercut(void **state);
int fixture_teardown(void **state);

/* A write and its outcome. With `entered`, its done() posts that and waits for `leave`; the writer is busy
   until then. */
struct test_write {
    struct store_write write;
    struct store_submission submission;
    struct store_experiment experiment;
    struct error failed;
    int done;
    sem_t *entered, *leave;
};

void test_write_insert(struct test_write *tried, const char *kernel, const char *request);
void test_write_change(struct test_write *tried, const char *id, enum job_state state);

/* Hands the write over and waits. 0: it was committed. */
int test_write_commit(struct store *store, struct test_write *tried);

/* Keeps the writer busy from here until fixture_release(). */
void fixture_hold(struct store *store, struct test_write *hold);
void fixture_release(struct store *store,
                     struct test_write *hold); /* and waits for all that was handed over */

/* These fail the test when they cannot. */
void fixture_insert(struct store *store, const char *kernel, int device, const char *request,
                    char id[ID_BYTES]);
enum job_state fixture_state(struct store *store, const char *id);
