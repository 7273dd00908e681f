/* A store in a scratch directory, and writes to it whose outcome can be looked at. */
#ifndef COALESCED_TESTS_STORE_FIXTURE_H
#define COALESCED_TESTS_STORE_FIXTURE_H

#include <semaphore.h>

#include "server/store/retention.h"
#include "server/store/startup_reads.h"
#include "server/store/store.h"
#include "server/store/sweep_reads.h"
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

/* A write, and how it came out. With `entered`, its done() posts that and waits for `leave`: the writer is
   busy in between. */
struct tried {
    struct store_write write;
    struct store_submission submission;
    struct store_experiment experiment;
    struct error failed;
    int done;
    sem_t *entered, *leave;
};

void tried_insert(struct tried *tried, const char *kernel, const char *request);
void tried_change(struct tried *tried, const char *id, enum job_state state);

/* Hands over and waits; the result is 0 when it was committed. */
int tried_now(struct store *store, struct tried *tried);

/* Keeps the writer busy from here until fixture_release(). */
void fixture_hold(struct store *store, struct tried *hold);
void fixture_release(struct store *store, struct tried *hold); /* and waits for all that was handed over */

/* These fail the test when they cannot. */
void fixture_insert(struct store *store, const char *kernel, int device, const char *request,
                    char id[ID_BYTES]);
enum job_state fixture_state(struct store *store, const char *id);

#endif
