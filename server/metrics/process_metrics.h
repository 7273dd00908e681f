/* This process and its data directory, as the operating system counts them. */
#ifndef COALESCED_SERVER_METRICS_PROCESS_METRICS_H
#define COALESCED_SERVER_METRICS_PROCESS_METRICS_H

#include "base/buffer.h"

/* process_* by the names that Prometheus' own libraries use. What cannot be read is left out. */
void process_metrics_write(struct buffer *out);

/* Bytes of the database and of its log, and what is free in the directory for this process. SQLite is not asked, so it
   works when the store does not. */
void process_metrics_storage_write(struct buffer *out, const char *data_dir);

#endif
