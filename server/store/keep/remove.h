/* The writer's SQL that removes what has ended, in steps of a few milliseconds. */
#ifndef COALESCED_SERVER_STORE_KEEP_REMOVE_H
#define COALESCED_SERVER_STORE_KEEP_REMOVE_H

#include "server/store/write.h"
#include "server/store/writer/applied.h"

struct sqlite3;

/* One step, within the writer's transaction. REFUSED: ERROR_NOT_FOUND or ERROR_CONFLICT, see struct store_removal. */
enum applied remove_step(struct sqlite3 *db, struct store_removal *removal, struct error *error);

#endif
