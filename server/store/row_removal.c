/* A sweep goes in steps: it is marked, which hides it, then its experiments go, then its points, then its
   row. When that is interrupted, REMOVE_OLDEST goes on with it. */
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
    for (int i = first; i < removal->count; i++)
        TRANSACTION_RUN(transaction, "DELETE FROM experiments WHERE id = ?", SQL_TEXT(removal->removed[i]));
    return removal->count - first;
}

static int experiment_delete(struct step *step, const char *id)
{
    return delete_experiments(step,
                              "SELECT id FROM experiments WHERE id = ?1"
                              " AND state IN ('succeeded', 'failed', 'cancelled') LIMIT ?2",
                              id);
}

/* True: all of it is gone. */
static bool sweep_delete(struct step *step, const char *id)
{
    struct transaction *transaction = step->transaction;
    TRANSACTION_RUN(transaction, "UPDATE sweeps SET removing = 1 WHERE id = ? AND NOT removing",
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
            return transaction->error.kind == ERROR_NONE;
        }
    return false;
}

static void refuse(const struct step *step, bool found, const char *what)
{
    error_set(&step->transaction->error, found ? ERROR_CONFLICT : ERROR_NOT_FOUND, "%s %s %s",
              found ? "it has not ended:" : "there is no", what, step->removal->id);
}

static void remove_experiment(struct step *step)
{
    const char *id = step->removal->id;
    if (!experiment_delete(step, id))
        refuse(step,
               TRANSACTION_ROW(step->transaction, "SELECT 1 FROM experiments WHERE id = ?", SQL_TEXT(id)),
               "experiment");
}

/* The sweep's row goes last, so each further step finds it. */
static void remove_sweep(struct step *step, bool begun)
{
    struct store_removal *removal = step->removal;
    sqlite3_stmt *row =
        TRANSACTION_ROW(step->transaction, "SELECT ended_ms FROM sweeps WHERE id = ?", SQL_TEXT(removal->id));
    if (row ? !sqlite3_column_int64(row, 0) : !begun)
        refuse(step, row, "sweep");
    else
        removal->more = !sweep_delete(step, removal->id);
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

/* Finds what ended longest ago, if the policy removes it; a sweep whose removal has begun comes first. False:
   there is none. */
static bool oldest_find(struct step *step, char id[ID_BYTES], bool *sweep)
{
    static const char sql[] =
        "SELECT * FROM (SELECT id, 1, 0 FROM sweeps WHERE removing ORDER BY id LIMIT 1)"
        " UNION ALL SELECT * FROM"
        " (SELECT id, 1, ended_ms FROM sweeps WHERE ended_ms > 0 ORDER BY ended_ms LIMIT 1)"
        " UNION ALL SELECT * FROM (SELECT id, 0, finished_ms FROM experiments"
        " WHERE sweep IS NULL AND finished_ms > 0 ORDER BY finished_ms LIMIT 1)"
        " ORDER BY 3, 2 DESC LIMIT 1";
    sqlite3_stmt *row = transaction_row(step->transaction, sql, SQL_NO_VALUES);
    if (!row)
        return false;
    snprintf(id, ID_BYTES, "%s", (const char *)sqlite3_column_text(row, 0));
    *sweep = sqlite3_column_int(row, 1);
    int64_t ended_ms = sqlite3_column_int64(row, 2);
    return !ended_ms || ended_ms < step->removal->ended_before_ms || too_much(step);
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
    char id[ID_BYTES];
    bool sweep;
    while (!step_over(step)) {
        if (!file_shrink(step)) {
            if (!oldest_find(step, id, &sweep))
                return;
            if (sweep)
                sweep_delete(step, id);
            else
                experiment_delete(step, id);
        }
        step->removal->more = true;
    }
}

bool row_removal_step(struct transaction *transaction, struct store_removal *removal)
{
    struct step step = {transaction, removal, clock_monotonic_ns() + STEP_US * 1000LL};
    bool begun = removal->more;
    removal->count = 0;
    removal->more = false;
    if (removal->what == REMOVE_EXPERIMENT)
        remove_experiment(&step);
    else if (removal->what == REMOVE_SWEEP)
        remove_sweep(&step, begun);
    else
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
