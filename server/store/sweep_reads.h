/* Reads sweeps and their points. Any thread. */
#ifndef COALESCED_SERVER_STORE_SWEEP_READS_H
#define COALESCED_SERVER_STORE_SWEEP_READS_H

#include "server/store/experiment_reads.h"

/* *row is to be cleared with sweep_row_clear(); -1: ERROR_NOT_FOUND, ERROR_STORE, ERROR_MEMORY. Takes a
   millisecond for 10,000 points. */
int store_sweep(struct store *store, const char *id, struct sweep_row *row, struct error *error);

/* Newest first; as store_list(). The filter's owner, label, device_uuid (one of its experiments), since_ms,
   until_ms, before and limit count. */
int store_sweeps(struct store *store, const struct store_filter *filter,
                 int (*each)(void *arg, const struct sweep_row *), void *arg, struct error *error);

/* The runs of a sweep's points from that place on, `limit` at most: point by point, and of each round by
   round; as store_list(). */
int store_points(struct store *store, const char *sweep, int from, int limit,
                 int (*each)(void *arg, const struct point_row *), void *arg, struct error *error);

#endif
