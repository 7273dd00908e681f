/* A sweep goes in steps: it is hidden and cannot be restored any more, then its experiments go, then its
   points, then its row. When that is interrupted, the next step goes on with it. */
#include "server/store/row_removal.h"

#include <sqlite3.h>
#include <stdio.h>

#include "base/clock.h"

enum {
    STEP_US = 2000, /* for removing, before the commit */
    ROWS = 8,       /* between two looks at the clock */
    /* Free pages that stay in the file, because they are soon written again: a 64th of it, and so many.
       SQLite searches the list of free pages for each page that it gives back, so the list is kept short. */
    FREE_PART = 64,
    FREE_PAGES = 64,
};

struct step {
    struct transaction *transaction;
    struct store_removal *removal;
    int64_t until_ns;
};

/* True: as much was done as one step may, or it failed. */
static bool step_over(const struct step *step)
{
    return step->transaction->error.kind != ERROR_NONE || step->removal->count > STORE_REMOVED_MAX - ROWS ||
           clock_monotonic_ns() > step->until_ns;
}

static void mark_delete(struct transaction *transaction, const char *id)
{
    TRANSACTION_RUN(transaction, "DELETE FROM removals WHERE id = ?", SQL_TEXT(id));
}

/* Deletes up to ROWS of the experiments that the statement finds, and notes their ids; returns how many. */
static int delete_experiments(struct step *step, const char *sql, const char *id)
{
    struct transaction *transaction = step->transaction;
    struct store_removal *removal = step->removal;
    int first = removal->count;
    for (sqlite3_stmt *row = TRANSACTION_ROW(transaction, sql, SQL_TEXT(id), SQL_INT(ROWS)); row;
         row = transaction_next(transaction))
        snprintf(removal->removed[removal->count++], ID_BYTES, "%s",
                 (const char *)sqlite3_column_text(row, 0));
    for (int i = first; i < removal->count; i++) {
        TRANSACTION_RUN(transaction, "DELETE FROM experiments WHERE id = ?", SQL_TEXT(removal->removed[i]));
        mark_delete(transaction, removal->removed[i]);
    }
    return removal->count - first;
}

static void experiment_delete(struct step *step, const char *id)
{
    delete_experiments(step, "SELECT id FROM experiments WHERE id = ?1 LIMIT ?2", id);
    mark_delete(step->transaction, id); /* also where it had none of that id, or this would not end */
}

static void sweep_delete(struct step *step, const char *id)
{
    struct transaction *transaction = step->transaction;
    TRANSACTION_RUN(transaction,
                    "INSERT INTO removals (id, is_sweep, removed_ms, until_ms) VALUES (?, 1, 0, 0)"
                    " ON CONFLICT (id) DO UPDATE SET until_ms = 0 WHERE until_ms > 0",
                    SQL_TEXT(id));
    while (!step_over(step))
        if (!delete_experiments(step, "SELECT id FROM experiments WHERE sweep = ?1 LIMIT ?2", id))
            break;
    while (!step_over(step))
        if (!TRANSACTION_RUN(transaction,
                             "DELETE FROM points WHERE sweep_id = ?1 AND place IN"
                             " (SELECT place FROM points WHERE sweep_id = ?1 ORDER BY place LIMIT ?2)",
                             SQL_TEXT(id), SQL_INT(ROWS))) {
            TRANSACTION_RUN(transaction, "DELETE FROM sweeps WHERE id = ?", SQL_TEXT(id));
            mark_delete(transaction, id);
            return;
        }
}

/* The oldest of those who have it stored. */
static void kernel_delete(struct step *step, const char *name)
{
    TRANSACTION_RUN(step->transaction,
                    "DELETE FROM stored_kernels WHERE name = ?1 AND stored_ms ="
                    " (SELECT min(stored_ms) FROM stored_kernels WHERE name = ?1)",
                    SQL_TEXT(name));
}

/* ---- what is removed on request ---- */

/* The first column of the first row, or -1. */
static int number_read(struct transaction *transaction, const char *sql, const char *id)
{
    sqlite3_stmt *row = transaction_row(transaction, sql, SQL_VALUES(SQL_TEXT(id)));
    return row ? sqlite3_column_int(row, 0) : -1;
}

static void restore(struct transaction *transaction, const struct store_mark *mark)
{
    static const char *const seen[] = {
        "SELECT 1 FROM experiments WHERE id = ?1 AND id NOT IN (SELECT id FROM removals)"
        " AND ifnull(sweep, '') NOT IN (SELECT id FROM removals)",
        "SELECT 1 FROM sweeps WHERE id = ?1 AND id NOT IN (SELECT id FROM removals)"};
    sqlite3_stmt *with = TRANSACTION_ROW(
        transaction,
        "SELECT id FROM removals WHERE id = (SELECT sweep FROM removals WHERE id = ?) AND until_ms > ?",
        SQL_TEXT(mark->id), SQL_INT(mark->now_ms));
    if (with)
        error_set(&transaction->error, ERROR_CONFLICT,
                  "the sweep of experiment %s was removed, too: POST /v1/sweeps/%s/restore first", mark->id,
                  (const char *)sqlite3_column_text(with, 0));
    else if (!TRANSACTION_RUN(transaction,
                              "DELETE FROM removals WHERE id = ? AND is_sweep = ? AND until_ms > ?"
                              " AND ifnull(sweep, '') NOT IN (SELECT id FROM removals)",
                              SQL_TEXT(mark->id), SQL_INT(mark->sweep), SQL_INT(mark->now_ms)) &&
             number_read(transaction, seen[mark->sweep], mark->id) < 0)
        error_set(&transaction->error, ERROR_NOT_FOUND, "there is no %s %s",
                  mark->sweep ? "sweep" : "experiment", mark->id);
}

void row_removal_mark(struct transaction *transaction, const struct store_mark *mark)
{
    const char *id = mark->id, *what = mark->sweep ? "sweep" : "experiment";
    if (mark->restore) {
        restore(transaction, mark);
        return;
    }
    int ended = number_read(transaction,
                            mark->sweep ? "SELECT ended_ms > 0 FROM sweeps WHERE id = ?"
                                        : "SELECT state IN ('succeeded', 'failed', 'cancelled')"
                                          " FROM experiments WHERE id = ?",
                            id);
    if (ended > 0 &&
        TRANSACTION_RUN(
            transaction,
            "INSERT OR IGNORE INTO removals (id, is_sweep, sweep, removed_by, removed_ms,"
            " until_ms) VALUES (?1, ?2, (SELECT sweep FROM experiments WHERE id = ?1), ?3, ?4, ?5)",
            SQL_TEXT(id), SQL_INT(mark->sweep), SQL_TEXT(mark->by[0] ? mark->by : NULL),
            SQL_INT(mark->now_ms), SQL_INT(mark->until_ms)) == 1)
        return;
    if (ended == 0)
        error_set(&transaction->error, ERROR_CONFLICT, "%s %s has not ended", what, id);
    else
        error_set(&transaction->error, ERROR_NOT_FOUND, "there is no %s %s", what, id);
}

/* ---- what is too old or too much ---- */

static int64_t pages(struct step *step, const char *pragma)
{
    sqlite3_stmt *row = transaction_row(step->transaction, pragma, SQL_NO_VALUES);
    return row ? sqlite3_column_int64(row, 0) : 0;
}

static bool too_much(struct step *step)
{
    int64_t used = pages(step, "PRAGMA page_count") - pages(step, "PRAGMA freelist_count");
    int64_t limit = step->removal->keep_bytes;
    return limit > 0 && used * pages(step, "PRAGMA page_size") > limit;
}

/* What is to be removed. */
enum oldest { OLDEST_EXPERIMENT, OLDEST_SWEEP, OLDEST_KERNEL, OLDEST_NONE };

/* Finds what was removed and whose time is over; with too much in use also whose time is not, since nobody
   sees it any more; else what ended longest ago, if the policy removes it. A stored kernel that no experiment uses ended when
   it was stored. */
static enum oldest oldest_find(struct step *step, char id[ID_BYTES])
{
    static const char sql[] =
        "SELECT * FROM (SELECT id, is_sweep, 0 FROM removals WHERE until_ms <= ? ORDER BY until_ms LIMIT 1)"
        " UNION ALL SELECT * FROM"
        " (SELECT id, 1, ended_ms FROM sweeps WHERE ended_ms > 0 AND id NOT IN (SELECT id FROM removals)"
        " ORDER BY ended_ms LIMIT 1)"
        " UNION ALL SELECT * FROM (SELECT id, 0, finished_ms FROM experiments"
        " WHERE sweep IS NULL AND finished_ms > 0 AND id NOT IN (SELECT id FROM removals)"
        " ORDER BY finished_ms LIMIT 1)"
        " UNION ALL SELECT * FROM (SELECT name, 2, stored_ms FROM stored_kernels AS kept"
        " WHERE NOT EXISTS (SELECT 1 FROM source_uses WHERE name = kept.name) ORDER BY stored_ms LIMIT 1)"
        " ORDER BY 3, 2 DESC LIMIT 1";
    bool much = too_much(step);
    sqlite3_stmt *row =
        TRANSACTION_ROW(step->transaction, sql, SQL_INT(much ? INT64_MAX : step->removal->now_ms));
    if (!row)
        return OLDEST_NONE;
    snprintf(id, ID_BYTES, "%s", (const char *)sqlite3_column_text(row, 0));
    enum oldest what = (enum oldest)sqlite3_column_int(row, 1);
    int64_t ended_ms = sqlite3_column_int64(row, 2);
    return !ended_ms || ended_ms < step->removal->ended_before_ms || much ? what : OLDEST_NONE;
}

/* Gives free pages at the file's end back to the disk; false: there are few, or it failed. */
static bool file_shrink(struct step *step)
{
    int64_t stay = FREE_PAGES + pages(step, "PRAGMA page_count") / FREE_PART;
    int64_t left = pages(step, "PRAGMA freelist_count") - stay;
    if (left <= 0)
        return false;
    /* Each row of the statement is a page that it gave back. */
    sqlite3_stmt *row = transaction_row(step->transaction, "PRAGMA incremental_vacuum", SQL_NO_VALUES);
    while (row && --left > 0 && !step_over(step))
        row = transaction_next(step->transaction);
    return step->transaction->error.kind == ERROR_NONE;
}

static void remove_oldest(struct step *step)
{
    static void (*const deletes[])(struct step * step, const char *id) = {
        [OLDEST_EXPERIMENT] = experiment_delete,
        [OLDEST_SWEEP] = sweep_delete,
        [OLDEST_KERNEL] = kernel_delete,
    };
    char id[ID_BYTES];
    /* A step looks once at least: one whose time was over before it looked would say that nothing is left. */
    do {
        if (!file_shrink(step)) {
            enum oldest what = oldest_find(step, id);
            if (what == OLDEST_NONE)
                return;
            deletes[what](step, id);
        }
        step->removal->more = true;
    } while (!step_over(step));
}

bool row_removal_step(struct transaction *transaction, struct store_removal *removal)
{
    struct step step = {transaction, removal, clock_monotonic_ns() + STEP_US * 1000LL};
    bool begun = removal->more;
    removal->count = 0;
    removal->more = false;
    remove_oldest(&step);
    /* This is about what the rows hold (JSON that is none): the other writes stand. */
    if (transaction->broken && (sqlite3_errcode(transaction->database.db) & 0xff) == SQLITE_ERROR) {
        struct error why = transaction->error;
        transaction->error = (struct error){0};
        error_set(&transaction->error, why.kind, "cannot remove: %s", why.text);
        transaction->broken = false;
    }
    return begun && !removal->more;
}
