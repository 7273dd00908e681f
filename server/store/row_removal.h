/* The SQL that removes what has ended, in steps of a few milliseconds. */
#ifndef COALESCED_SERVER_STORE_ROW_REMOVAL_H
#define COALESCED_SERVER_STORE_ROW_REMOVAL_H

#include "server/store/transaction.h"
#include "server/store/write.h"

/* One step, within the writer's transaction. REFUSED: ERROR_NOT_FOUND or ERROR_CONFLICT, see struct
   store_removal. */
enum applied row_removal_step(struct sqlite3 *db, struct store_removal *removal, struct error *error);

#endif
