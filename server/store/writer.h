/* The one thread that writes the database. */
#ifndef COALESCED_SERVER_STORE_WRITER_H
#define COALESCED_SERVER_STORE_WRITER_H

#include <pthread.h>

#include "server/store/applier.h"

STAILQ_HEAD(write_list, store_write); /* in the order in which they came */

struct writer {
    struct applier applier;    /* the thread's alone, as the next two */
    struct write_list retries; /* patient writes whose transaction failed */
    int64_t looked_ns;         /* monotonic time when it last looked whether all files are at their paths */
    bool started;
    pthread_t thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work, idle;
    struct write_list waiting;
    bool busy;    /* the thread has writes that are not done */
    int flushes;  /* how many wait for it to be idle */
    bool closing; /* end when idle */
    int tries;    /* transactions that failed one after the other, since a flush or the closing began */
    bool healthy; /* the last transaction was good */
    struct error reason; /* why it was not */
};

/* Takes the connection over, even when it fails. `path`: the database's. 0 or -1; in either case to be
   stopped. */
int writer_start(struct writer *writer, struct sqlite3 *db, const char *path, struct error *error);

/* Commits what waits, and ends the thread. A writer that is all zero is allowed. */
void writer_stop(struct writer *writer);

/* As store_hand_over(), store_flush(), store_in_place() and store_healthy(). */
void writer_hand_over(struct writer *writer, struct store_write *write);
void writer_flush(struct writer *writer);
bool writer_in_place(const struct writer *writer, struct error *error);
bool writer_healthy(struct writer *writer, struct error *error);

#endif
