/* The log of what happened to experiments, sweeps, removals and holds: a line "KIND JSON\n" for each event, numbered,
   stored in the transaction that makes the change. One row holds all events of a transaction, so that they
   share its cost. On the writer's thread alone. */
#pragma once

#include "base/buffer.h"
#include "base/clock.h"
#include "server/store/job.h"
#include "server/store/transaction.h"
#include "server/store/write.h"

enum { EVENT_LOG_MARK_EVERY = 1024, EVENT_LOG_MARKS = STORE_EVENTS_MAX / EVENT_LOG_MARK_EVERY };

struct event_log {
    struct transaction *transaction;
    struct buffer lines; /* of the present transaction */
    int count;           /* of the lines */
    int64_t last;        /* the number of the newest committed event */
    /* Numbers of events, EVENT_LOG_MARK_EVERY events apart; when the list is full, events up to the first are
       deleted. */
    int64_t marks[EVENT_LOG_MARKS];
    int mark_count;
    int unmarked; /* events since the last mark */
    int64_t at_ms;
    char at[CLOCK_TEXT_BYTES]; /* at_ms as text: many changes share one moment */
    void (*on_events)(void *arg, const struct store_events *events); /* NULL: nobody listens */
    void *arg;
};

/* New numbers are greater than those in the database, and than those that were given by a later state of this
   database that a backup has since replaced. 0 or -1. */
int event_log_open(struct event_log *log, struct transaction *transaction, struct error *error);
void event_log_close(struct event_log *log);

/* Appends the events of a write that was just applied, unless the transaction has failed, which it does here
   without memory. */
void event_log_write(struct event_log *log, const struct store_write *write);

/* Before the commit: makes the events part of the transaction. */
void event_log_save(struct event_log *log);

/* After the commit: hands the events to the listener. */
void event_log_publish(struct event_log *log);

/* After a transaction that failed. */
void event_log_forget(struct event_log *log);
