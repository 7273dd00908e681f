/* Experiments as the endpoints show them, and why one waits. */
#pragma once

#include "api/view.h"
#include "server/queue/queue_entries.h"
#include "server/routes/service.h"

/* Fills the view of a job, from which it borrows; all but the place in the queue. */
void experiment_reply_init(struct service *service, const struct job *job, struct view_experiment *view);

/* The same and, of one that has not ended, the place. */
void experiment_reply_now(struct service *service, const struct job *job, struct view_experiment *view);

/* Fills in the place of an experiment that has not ended: position, time, cancellation and what it waits
   for. The view has its id, device and request (NULL: not known). False: it is neither queued nor running
   any more. */
bool experiment_reply_place(struct service *service, struct view_experiment *view);

/* Fills the view of an experiment in the queue, with its place; the view borrows from the entry. The time of submission is
   taken from the id, exact to some milliseconds. */
void experiment_reply_entry(struct service *service, const struct queue_entry *entry,
                            struct view_experiment *view);

/* As experiment_reply_init(), for a row of a list. While the store cannot write, also sets whether the experiment has
   ended without that being stored. */
void experiment_reply_row(struct service *service, const struct job *job, struct view_experiment *view);

/* Answers with the whole view; of an ended experiment with an entity tag, or 304. */
enum handled experiment_reply_send(struct request *request, const struct view_experiment *view);

/* Answers with the short form; a 202 with when to ask again. */
enum handled experiment_reply_accepted(struct request *request, unsigned status,
                                       const struct view_experiment *view);

/* Writes why an experiment waits for that device or, with device -1, for one of the devices that its request
   chooses (NULL: any): a sentence about the queue or a device; empty: it waits only for other experiments.
   Returns true if nobody knows when it can begin: the store cannot write, the queue or the device is paused, or no
   listed device can be used.
   Any thread. */
bool experiment_reply_block_reason(struct service *service, int device, const char *request, char *text,
                                   size_t size);

/* For an experiment or a sweep whose end is not stored yet: writes to `text` why it cannot be; an empty text when the
   store works and will commit it soon. Any thread. */
void experiment_reply_unwritten_reason(struct service *service, char *text, size_t size);

/* Subtracts the sweep's experiments that have ended, but are not stored, from states[], and returns their number; 0
   while the store works. Any thread. */
int experiment_reply_take_unwritten(struct service *service, const struct sweep_row *row,
                                    int states[JOB_STATES]);
