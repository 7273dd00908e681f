/* A sweep goes in steps: it is marked, which hides it, then its experiments go, then its points, then its
   row. When that is interrupted, REMOVE_OLDEST goes on with it. */
#include "server/store/row_removal.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

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
    sqlite3 *db;
    struct store_removal *removal;
    int64_t until_ns;
    struct error *error;
    bool broken;  /* a statement failed: *error says why */
    bool refused; /* and it was about what the rows hold: the other writes stand */
};

/* True: as much was done as one step may. */
static bool step_over(const struct step *step)
{
    return step->broken || step->removal->count > STORE_REMOVED_MAX - ROWS ||
           clock_monotonic_ns() > step->until_ns;
}

/* `text` and `number` are bound where the statement has parameters for them: ?1 and ?2. */
static sqlite3_stmt *prepare(struct step *step, const char *sql, const char *text, int64_t number)
{
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(step->db, sql, -1, &statement, NULL) != SQLITE_OK)
        return NULL;
    int parameters = sqlite3_bind_parameter_count(statement);
    if (parameters > 0)
        sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
    if (parameters > 1)
        sqlite3_bind_int64(statement, 2, number);
    return statement;
}

/* Ends the statement. A status other than that of its end, or of a row, is a failure. */
static void finish(struct step *step, sqlite3_stmt *statement, int status)
{
    if (status != SQLITE_DONE && status != SQLITE_ROW) {
        step->broken = true;
        step->refused = (status & 0xff) == SQLITE_ERROR || (status & 0xff) == SQLITE_CONSTRAINT;
        error_set(step->error, ERROR_STORE, "cannot remove: %s", sqlite3_errmsg(step->db));
    }
    sqlite3_finalize(statement);
}

/* The number in the first row's first column, and the text in its second in `id` unless that is NULL; -1
   without a row. */
static int64_t look(struct step *step, const char *sql, const char *text, int64_t number, char *id)
{
    sqlite3_stmt *statement = prepare(step, sql, text, number);
    int status = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    int64_t value = -1;
    if (status == SQLITE_ROW) {
        value = sqlite3_column_int64(statement, 0);
        if (id)
            snprintf(id, ID_BYTES, "%s", (const char *)sqlite3_column_text(statement, 1));
    }
    finish(step, statement, status);
    return value;
}

/* Returns how many rows it changed. */
static int change(struct step *step, const char *sql, const char *text, int64_t number)
{
    sqlite3_stmt *statement = prepare(step, sql, text, number);
    int status = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    finish(step, statement, status);
    return step->broken ? 0 : sqlite3_changes(step->db);
}

/* Deletes up to ROWS of the experiments that the statement finds, and notes their ids; returns how many. */
static int delete_experiments(struct step *step, const char *sql, const char *id)
{
    struct store_removal *removal = step->removal;
    sqlite3_stmt *statement = prepare(step, sql, id, ROWS);
    int first = removal->count, status = SQLITE_ERROR;
    while (statement && (status = sqlite3_step(statement)) == SQLITE_ROW)
        snprintf(removal->removed[removal->count++], ID_BYTES, "%s",
                 (const char *)sqlite3_column_text(statement, 0));
    finish(step, statement, status);
    for (int i = first; i < removal->count; i++)
        change(step, "DELETE FROM experiments WHERE id = ?1", removal->removed[i], 0);
    return removal->count - first;
}

static int experiment_delete(struct step *step, const char *id)
{
    return delete_experiments(step,
                              "SELECT id FROM experiments WHERE id = ?1"
                              " AND state IN ('succeeded', 'failed', 'cancelled') LIMIT ?2",
                              id);
}

static void sweep_mark(struct step *step, const char *id)
{
    change(step, "UPDATE sweeps SET removing = 1 WHERE id = ?1 AND NOT removing", id, 0);
}

/* True: all of it is gone. */
static bool sweep_delete(struct step *step, const char *id)
{
    while (!step_over(step))
        if (!delete_experiments(step, "SELECT id FROM experiments WHERE sweep = ?1 LIMIT ?2", id))
            break;
    while (!step_over(step))
        if (!change(step,
                    "DELETE FROM points WHERE sweep_id = ?1 AND place IN"
                    " (SELECT place FROM points WHERE sweep_id = ?1 ORDER BY place LIMIT ?2)",
                    id, ROWS)) {
            change(step, "DELETE FROM sweeps WHERE id = ?1", id, 0);
            return !step->broken;
        }
    return false;
}

static enum applied refuse(const struct step *step, enum error_kind kind, const char *what)
{
    const char *how = kind == ERROR_NOT_FOUND ? "there is no" : "it has not ended:";
    error_set(step->error, kind, "%s %s %s", how, what, step->removal->id);
    return REFUSED;
}

static enum applied remove_experiment(struct step *step)
{
    const char *id = step->removal->id;
    if (experiment_delete(step, id))
        return APPLIED;
    if (step->broken)
        return BROKEN;
    bool there = look(step, "SELECT 1 FROM experiments WHERE id = ?1", id, 0, NULL) > 0;
    return refuse(step, there ? ERROR_CONFLICT : ERROR_NOT_FOUND, "experiment");
}

/* The sweep's row goes last, so each further step finds it. */
static enum applied remove_sweep(struct step *step)
{
    struct store_removal *removal = step->removal;
    int64_t ended_ms = look(step, "SELECT ended_ms FROM sweeps WHERE id = ?1", removal->id, 0, NULL);
    bool begun = removal->more;
    removal->more = false;
    if (!step->broken && ended_ms < 0 && !begun)
        return refuse(step, ERROR_NOT_FOUND, "sweep");
    if (!step->broken && ended_ms == 0)
        return refuse(step, ERROR_CONFLICT, "sweep");
    sweep_mark(step, removal->id);
    removal->more = !sweep_delete(step, removal->id);
    return step->broken ? BROKEN : APPLIED;
}

/* ---- what is too old or too much ---- */

static int64_t pages(struct step *step, const char *pragma)
{
    int64_t count = look(step, pragma, NULL, 0, NULL);
    return count > 0 ? count : 0;
}

static bool too_much(struct step *step)
{
    int64_t used = pages(step, "PRAGMA page_count") - pages(step, "PRAGMA freelist_count");
    int64_t limit = step->removal->keep_bytes;
    return limit > 0 && used * pages(step, "PRAGMA page_size") > limit;
}

/* Finds what ended longest ago, if the policy removes it; false: there is none. */
static bool oldest_find(struct step *step, char id[ID_BYTES], bool *sweep)
{
    char other[ID_BYTES];
    *sweep = true;
    if (look(step, "SELECT 1, id FROM sweeps WHERE removing ORDER BY id LIMIT 1", NULL, 0, id) > 0)
        return true;
    int64_t ended_ms = look(
        step, "SELECT ended_ms, id FROM sweeps WHERE ended_ms > 0 ORDER BY ended_ms LIMIT 1", NULL, 0, id);
    int64_t alone_ms = look(step,
                            "SELECT finished_ms, id FROM experiments WHERE sweep IS NULL AND finished_ms > 0"
                            " ORDER BY finished_ms LIMIT 1",
                            NULL, 0, other);
    if (alone_ms > 0 && (ended_ms < 0 || alone_ms < ended_ms)) {
        *sweep = false;
        ended_ms = alone_ms;
        memcpy(id, other, ID_BYTES);
    }
    return !step->broken && ended_ms > 0 && (ended_ms < step->removal->ended_before_ms || too_much(step));
}

/* Gives free pages at the file's end back to the disk; false: there are few, or it failed. */
static bool file_shrink(struct step *step)
{
    int64_t free_pages = pages(step, "PRAGMA freelist_count"), all = pages(step, "PRAGMA page_count");
    if (step->broken || free_pages <= FREE_PAGES + all / FREE_PART)
        return false;
    /* Each step of the statement gives one page back. */
    sqlite3_stmt *statement = prepare(step, "PRAGMA incremental_vacuum", NULL, 0);
    int status = statement ? SQLITE_ROW : SQLITE_ERROR;
    for (int64_t left = free_pages - FREE_PAGES - all / FREE_PART;
         left > 0 && status == SQLITE_ROW && !step_over(step); left--)
        status = sqlite3_step(statement);
    finish(step, statement, status);
    return !step->broken;
}

static enum applied remove_oldest(struct step *step)
{
    struct store_removal *removal = step->removal;
    char id[ID_BYTES];
    bool sweep, idle = true;
    while (!step_over(step)) {
        if (!file_shrink(step)) {
            if (step->broken || !oldest_find(step, id, &sweep))
                break;
            if (sweep)
                sweep_mark(step, id);
            if (sweep)
                sweep_delete(step, id);
            else
                experiment_delete(step, id);
        }
        idle = false;
    }
    removal->more = !idle;
    return step->broken ? BROKEN : APPLIED;
}

enum applied row_removal_step(sqlite3 *db, struct store_removal *removal, struct error *error)
{
    struct step step = {
        .db = db, .removal = removal, .until_ns = clock_monotonic_ns() + STEP_US * 1000LL, .error = error};
    static enum applied (*const removers[])(struct step *) = {[REMOVE_EXPERIMENT] = remove_experiment,
                                                              [REMOVE_SWEEP] = remove_sweep,
                                                              [REMOVE_OLDEST] = remove_oldest};
    removal->count = 0;
    enum applied applied = removers[removal->what](&step);
    return applied == BROKEN && step.refused ? REFUSED : applied;
}
