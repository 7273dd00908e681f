/* A copy of the database in a file of its own. */
#ifndef COALESCED_SERVER_STORE_BACKUP_H
#define COALESCED_SERVER_STORE_BACKUP_H

#include "server/store/schema.h"

/* Copies the database of a data directory as it is at one moment, while a service writes it or not; then checks the copy.
   `file` is there whole and synced, readable by its owner alone, or not at all: it is made as FILE.part. An existing one
   is replaced only by `force` (else ERROR_CONFLICT). Holds up nobody: it reads in one transaction, and what is written
   meanwhile stays in the database's log until that ends. -1: ERROR_NOT_FOUND (no database there), ERROR_SYSTEM,
   ERROR_STORE, as schema_check(). */
int backup_make(const char *directory, const char *file, bool force, struct database_facts *facts,
                struct error *error);

#endif
