/* Metrics of this process and of its data directory, from the operating system. */
#ifndef COALESCED_SERVER_METRICS_PROCESS_METRICS_H
#define COALESCED_SERVER_METRICS_PROCESS_METRICS_H

#include "base/buffer.h"

/* process_*, with the names of Prometheus' client libraries. What cannot be read is left out. */
void process_metrics_write(struct buffer *out);

/* The sizes of the database and its log, and the free bytes of the directory. SQLite is not asked, so this
   works while the store does not. */
void process_metrics_storage_write(struct buffer *out, const char *data_dir);

#endif
