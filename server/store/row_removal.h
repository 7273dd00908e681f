/* The SQL that removes what has ended: marks it, and deletes its rows in steps of a few milliseconds. */
#pragma once

#include "server/store/transaction.h"
#include "server/store/write.h"

/* Within the writer's transaction, whose error it sets: ERROR_NOT_FOUND, or ERROR_CONFLICT: it has not
   ended, or its sweep is to be restored first. */
void row_removal_mark(struct transaction *transaction, const struct store_mark *mark);

/* One step, within the writer's transaction. True: it was the last of several; only when the log is
   checkpointed then is the file as short as the database. */
bool row_removal_step(struct transaction *transaction, struct store_removal *removal);
