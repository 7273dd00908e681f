/* What /metrics shows: the counters of server/metrics, and the state of the queue, the devices and the
   store at this moment. */
#ifndef COALESCED_SERVER_ROUTES_STATE_METRICS_H
#define COALESCED_SERVER_ROUTES_STATE_METRICS_H

#include "server/routes/service.h"

#define STATE_METRICS_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Appends all of it in Prometheus' text format. Holds no lock for long, asks no device and no database. */
void state_metrics_write(struct buffer *out, const struct service *service);

/* The same while the store cannot be opened: the process and its disk. */
void state_metrics_write_starting(struct buffer *out, const char *data_dir);

#endif
