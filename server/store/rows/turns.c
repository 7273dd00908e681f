/* Reads what the queue must know of the time before it was opened: shares and holds. */
#include <sqlite3.h>

#include "server/store/open.h"
#include "server/store/reader.h"

/* Calls row(arg, statement) for each row. */
static int rows_read(struct store *store, const char *sql, const char *what,
                     void (*row)(void *arg, sqlite3_stmt *row), void *arg, struct error *error)
{
    struct reader *reader = reader_borrow(&store->readers, -1);
    sqlite3_stmt *statement = NULL;
    int status = sqlite3_prepare_v2(reader->db, sql, -1, &statement, NULL);
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW)
        row(arg, statement);
    int result = status == SQLITE_DONE ? 0 : reader_failed(reader, what, error);
    sqlite3_finalize(statement);
    reader_return(&store->readers, reader);
    return result;
}

struct shares {
    void (*each)(void *arg, const char *owner, double used_s, int64_t at_ms);
    void *arg;
};

static void share_row(void *arg, sqlite3_stmt *row)
{
    const struct shares *shares = arg;
    shares->each(shares->arg, (const char *)sqlite3_column_text(row, 0), sqlite3_column_double(row, 1),
                 sqlite3_column_int64(row, 2));
}

int store_shares(struct store *store,
                 void (*each)(void *arg, const char *owner, double used_s, int64_t at_ms), void *arg,
                 struct error *error)
{
    struct shares shares = {each, arg};
    return rows_read(store, "SELECT owner, used_s, at_ms FROM shares ORDER BY at_ms, owner", "the shares",
                     share_row, &shares, error);
}

struct holds {
    void (*each)(void *arg, int device, const char *owner, int64_t since_ms);
    void *arg;
};

static void hold_row(void *arg, sqlite3_stmt *row)
{
    const struct holds *holds = arg;
    holds->each(holds->arg, sqlite3_column_int(row, 0), (const char *)sqlite3_column_text(row, 1),
                sqlite3_column_int64(row, 2));
}

int store_holds(struct store *store, void (*each)(void *arg, int device, const char *owner, int64_t since_ms),
                void *arg, struct error *error)
{
    struct holds holds = {each, arg};
    return rows_read(store, "SELECT device, owner, since_ms FROM holds", "the holds", hold_row, &holds,
                     error);
}
