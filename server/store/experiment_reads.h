/* Reads experiments: one by its id, its raw samples, and lists; and sweeps with their points. Any thread. */
#pragma once

#include "server/store/job.h"

struct store;
struct samples; /* api/samples.h */

/* *job is to be freed with job_free(); -1: ERROR_NOT_FOUND, ERROR_STORE. */
int store_get(struct store *store, const char *id, struct job **job, struct error *error);

/* The raw samples that are stored with its result; to be freed with samples_free(), both empty when there are
   none. -1: ERROR_STORE, ERROR_MEMORY. */
int store_samples(struct store *store, const char *id, struct samples *samples, struct error *error);

/* Newest first; each(arg, job) for each row, the job valid during the call; a result other than 0 ends the
   list. Rows are read a page at a time and no connection is held while each() runs, so it may be slow; what
   is submitted meanwhile does not appear, what changes meanwhile is seen as of its page. */
int store_list(struct store *store, const struct store_filter *filter,
               int (*each)(void *arg, const struct job *), void *arg, struct error *error);

/* *row is to be cleared with sweep_row_clear(); -1: ERROR_NOT_FOUND, ERROR_STORE, ERROR_MEMORY. Takes a
   millisecond for 10,000 points. */
int store_sweep(struct store *store, const char *id, struct sweep_row *row, struct error *error);

/* Newest first; as store_list(). The filter's state, owner, label, device_uuid (one of its experiments), since_ms,
   until_ms, before and limit count. */
int store_sweeps(struct store *store, const struct store_filter *filter,
                 int (*each)(void *arg, const struct sweep_row *), void *arg, struct error *error);

/* The runs of a sweep's points from that place on, `limit` at most: point by point, and of each round by
   round; as store_list(). */
int store_points(struct store *store, const char *sweep, int from, int limit,
                 int (*each)(void *arg, const struct point_row *), void *arg, struct error *error);
