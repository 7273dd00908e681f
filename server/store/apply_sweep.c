/* The writer's SQL for sweeps: a sweep comes with all its experiments and points, and its cancellation takes all
   that are queued, each within one savepoint of the writer's transaction. */
#include "server/store/private.h"

#include <sqlite3.h>

#include "api/sweep.h"

static enum applied apply_run(struct applier *applier, const struct store_sweep *insert, int index,
                              struct error *error)
{
    const struct sweep_run *run = &insert->sweep->runs[index];
    sqlite3_stmt *statement = applier->statements[SWEEP_RUN];
    bind_text(statement, 1, insert->run_ids[index]);
    sqlite3_bind_int(statement, 2, run->device);
    sqlite3_bind_int(statement, 3, run->priority);
    sqlite3_bind_double(statement, 4, run->timeout_s);
    sqlite3_bind_int64(statement, 5, insert->submitted_ms);
    bind_text(statement, 6, run->kernel);
    bind_text(statement, 7, run->request);
    bind_text(statement, 8, insert->id);
    sqlite3_bind_int(statement, 9, run->points);
    return applier_run(applier, SWEEP_RUN, error);
}

static enum applied apply_point(struct applier *applier, const struct store_sweep *insert, int place,
                                struct error *error)
{
    const struct sweep_point *point = &insert->sweep->points[place];
    sqlite3_stmt *statement = applier->statements[SWEEP_POINT];
    bind_text(statement, 1, insert->id);
    sqlite3_bind_int(statement, 2, place);
    bind_text(statement, 3, point->values);
    bind_text(statement, 4, point->run >= 0 ? insert->run_ids[point->run] : NULL);
    bind_text(statement, 5, point->run >= 0 ? NULL : point->request);
    bind_text(statement, 6, point->run >= 0 ? NULL : point->failure);
    return applier_run(applier, SWEEP_POINT, error);
}

static enum applied apply_head(struct applier *applier, const struct store_sweep *insert, struct error *error)
{
    int refused = 0;
    for (int i = 0; i < insert->sweep->point_count; i++)
        refused += insert->sweep->points[i].run < 0;
    sqlite3_stmt *statement = applier->statements[SWEEP_INSERT];
    bind_text(statement, 1, insert->id);
    bind_text(statement, 2, insert->request);
    bind_text(statement, 3, insert->recipe);
    sqlite3_bind_int64(statement, 4, insert->submitted_ms);
    sqlite3_bind_int(statement, 5, insert->sweep->point_count);
    sqlite3_bind_int(statement, 6, refused);
    return applier_run(applier, SWEEP_INSERT, error);
}

enum applied apply_sweep(struct applier *applier, struct store_write *write, struct error *error)
{
    const struct store_sweep *insert = write->sweep;
    enum applied applied =
        key_find(applier, write, insert->key, insert->fingerprint, insert->submitted_ms, error);
    if (applied != APPLIED || write->outcome != WRITE_NEW)
        return applied;
    if (insert->known_only) {
        error_set(error, ERROR_FULL, "the queue has no room for the %d experiments of this sweep",
                  insert->sweep->run_count);
        return REFUSED;
    }
    applied = apply_head(applier, insert, error);
    for (int i = 0; applied == APPLIED && i < insert->sweep->run_count; i++)
        applied = apply_run(applier, insert, i, error);
    for (int i = 0; applied == APPLIED && i < insert->sweep->point_count; i++)
        applied = apply_point(applier, insert, i, error);
    if (applied != APPLIED)
        return applied;
    return key_keep(applier, insert->key, insert->fingerprint, insert->id, insert->submitted_ms, error);
}

enum applied apply_cancel(struct applier *applier, const struct store_cancel *cancel, struct error *error)
{
    sqlite3_stmt *statement = applier->statements[SWEEP_MARK];
    bind_text(statement, 1, cancel->sweep);
    enum applied applied = applier_run(applier, SWEEP_MARK, error);
    if (applied != APPLIED)
        return applied;
    statement = applier->statements[SWEEP_CANCEL];
    sqlite3_bind_int64(statement, 1, cancel->finished_ms);
    bind_text(statement, 2, error_kind_name(cancel->failure->kind));
    bind_text(statement, 3, cancel->failure->text);
    bind_text(statement, 4, cancel->sweep);
    return applier_run(applier, SWEEP_CANCEL, error);
}
