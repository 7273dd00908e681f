/* The one thread that writes. */
#ifndef COALESCED_SERVER_STORE_WRITER_H
#define COALESCED_SERVER_STORE_WRITER_H

#include <pthread.h>

#include "server/store/apply.h"

/* A list of writes, in the order in which they came. */
struct writes {
    struct store_write *first, **end;
};

struct writer {
    struct applier applier; /* the thread's alone, as `kept` */
    struct writes kept;     /* patient writes whose transaction failed, to be tried again */
    int64_t looked_ns;      /* when it last looked whether all files are at their paths */
    bool started;
    pthread_t thread;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t work, idle;
    struct writes waiting;
    bool busy;             /* the thread has writes that are not done */
    int flushes;           /* how many wait for it to be idle */
    bool closing;          /* end when idle */
    int tries;             /* commits that failed one after the other, since somebody wants an end */
    bool healthy;          /* the last commit was good */
    struct error sickness; /* why it was not */
};

/* Takes the connection over, even when it fails; `path`: the database's. */
int writer_start(struct writer *writer, struct sqlite3 *db, const char *path, struct error *error);
void writer_stop(struct writer *writer);

/* As store_hand_over(), store_flush(), store_in_place() and store_healthy(). */
void writer_hand_over(struct writer *writer, struct store_write *write);
void writer_flush(struct writer *writer);
bool writer_in_place(const struct writer *writer, struct error *error);
bool writer_healthy(struct writer *writer, struct error *error);

#endif
