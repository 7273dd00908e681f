/* What the lists of experiments and of sweeps filter alike, as parts of their statements. Values are bound, never pasted.
   Private to the reads of the store. */
#ifndef COALESCED_SERVER_STORE_ROW_FILTER_H
#define COALESCED_SERVER_STORE_ROW_FILTER_H

#include "base/buffer.h"
#include "server/store/store.h"

struct sqlite3_stmt;

/* Did the experiment run on the device? A text that does not hold the name need not be read as JSON. */
#define FILTER_UUID "(instr(result, :uuid) AND json_extract(result, '$.device.uuid') = :uuid)"

/* Appends " AND ..." for the times, of rows that have `id` and submitted_ms. */
void row_filter_text(struct buffer *text, const struct store_filter *filter, const char *id);

/* Binds owner, label, device and times, as far as the statement has them. Borrows from the filter. */
void row_filter_bind(struct sqlite3_stmt *statement, const struct store_filter *filter);

#endif
