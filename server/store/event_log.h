/* What has happened, as it is told to whoever follows: a line "KIND JSON\n" for each event, numbered, kept in the
   transaction that changes what it tells of. One row holds all events of a transaction, so that its cost is shared as
   that of the sync is. On the writer's thread alone. */
#ifndef COALESCED_SERVER_STORE_EVENT_LOG_H
#define COALESCED_SERVER_STORE_EVENT_LOG_H

#include "base/buffer.h"
#include "base/clock.h"
#include "server/store/store.h"
#include "server/store/write.h"
#include "server/store/applied.h"

struct sqlite3;
struct sqlite3_stmt;

enum { TELL_MARK_EVERY = 1024, TELL_MARKS = STORE_EVENTS_KEPT / TELL_MARK_EVERY };

struct event_log {
    struct sqlite3 *db;
    struct sqlite3_stmt *insert, *trim, *ended;
    struct buffer lines; /* of the present transaction */
    int count;           /* of them */
    int64_t last;        /* the number of the newest event that is committed */
    /* Numbers that so many events lie between: what is older than the first of them is removed when there are all. */
    int64_t marks[TELL_MARKS];
    int mark_count, unmarked; /* unmarked: events since the last one */
    int64_t at_ms;            /* the moment of `at`: many changes share one */
    char at[CLOCK_TEXT_BYTES];
    void (*told)(void *arg, const struct store_events *events); /* NULL: nobody listens */
    void *arg;
};

/* From here on numbers are greater than those in the database, and than those that a later state of this database has
   given before it was replaced by a backup. 0 or -1. */
int event_log_open(struct event_log *tell, struct sqlite3 *db, struct error *error);
void event_log_close(struct event_log *tell);

/* The events of a write that was just applied. BROKEN, with *error: the database failed. */
enum applied event_log_write(struct event_log *tell, const struct store_write *write, struct error *error);

/* Before the transaction's commit: its events become part of it. 0 or -1. */
int event_log_keep(struct event_log *tell, struct error *error);

/* After the commit; and after the transaction failed. */
void event_log_publish(struct event_log *tell);
void event_log_forget(struct event_log *tell);

#endif
