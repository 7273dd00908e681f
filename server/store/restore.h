/* A backup's way back into a data directory. */
#ifndef COALESCED_SERVER_STORE_RESTORE_H
#define COALESCED_SERVER_STORE_RESTORE_H

#include <limits.h>

#include "server/store/schema.h"

enum { RESTORE_ASIDE_BYTES = PATH_MAX };

/* Puts a copy of the file in the place of the data directory's database, after it was checked. Takes the directory's lock:
   ERROR_CONFLICT while a service runs. What was there before lies beside it under the name `aside`; empty: there was
   nothing. Until the last moment, which is one rename, the old database is in place. -1: ERROR_SYSTEM, as
   schema_check(), as lock_directory(). */
int restore_database(const char *file, const char *directory, char aside[RESTORE_ASIDE_BYTES],
                     struct database_facts *facts, struct error *error);

#endif
