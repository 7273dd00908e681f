#include "server/store/row_filter.h"

#include <sqlite3.h>

/* Ids hold the time at which they were given, so that a period is a part of their index: with so much on either side, in
   case the clock was set back a little. */
enum { SLACK_MS = 60 * 1000 };

void row_filter_text(struct buffer *text, const struct store_filter *filter, const char *id)
{
    if (filter->since_ms)
        buffer_format(text, " AND %s >= :least AND submitted_ms >= :since", id);
    if (filter->until_ms)
        buffer_format(text, " AND %s < :beyond AND submitted_ms < :until", id);
}

static void bind_text(sqlite3_stmt *statement, const char *name, const char *text)
{
    sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, name), text, -1, SQLITE_TRANSIENT);
}

static void bind_time(sqlite3_stmt *statement, const char *name, const char *id_name, int64_t ms,
                      int64_t slack_ms)
{
    char id[ID_BYTES];
    id_least(ms + slack_ms, id);
    bind_text(statement, id_name, id);
    sqlite3_bind_int64(statement, sqlite3_bind_parameter_index(statement, name), ms);
}

void row_filter_bind(sqlite3_stmt *statement, const struct store_filter *filter)
{
    bind_text(statement, ":owner", filter->owner);
    bind_text(statement, ":label", filter->label);
    bind_text(statement, ":value", filter->label_value);
    bind_time(statement, ":since", ":least", filter->since_ms, -SLACK_MS);
    bind_time(statement, ":until", ":beyond", filter->until_ms, SLACK_MS);
    bind_text(statement, ":uuid", filter->device_uuid);
}
