/* Copies the database to a file, and puts such a file back. */
#ifndef COALESCED_SERVER_STORE_BACKUP_H
#define COALESCED_SERVER_STORE_BACKUP_H

#include <limits.h>

#include "server/store/schema.h"

/* Copies the database of a data directory as it is at one moment, while a server writes it or not; then
   checks the copy. `file` is there whole and synced, readable by its owner alone, or not at all: it is made
   as FILE.part. An existing one is replaced only by `force` (else ERROR_CONFLICT). Blocks no writer: it reads
   in one transaction, and what is written meanwhile stays in the database's log until that ends. 0; or -1:
   ERROR_NOT_FOUND (no database there), ERROR_SYSTEM, ERROR_STORE, as schema_check(). */
int backup_make(const char *directory, const char *file, bool force, struct database_facts *facts,
                struct error *error);

enum { BACKUP_ASIDE_BYTES = PATH_MAX };

/* Checks the file and puts a copy of it in the place of the data directory's database. Takes the directory's
   lock: ERROR_CONFLICT while a server runs. What was there before lies beside it under the name `aside`;
   empty: there was nothing. The old database is in place until the last step, which is one rename. 0; or -1:
   ERROR_SYSTEM, as schema_check(), as data_directory_lock(). */
int backup_restore(const char *file, const char *directory, char aside[BACKUP_ASIDE_BYTES],
                   struct database_facts *facts, struct error *error);

#endif
