/* The database's tables, and the steps from one version to the next. */
#ifndef COALESCED_SERVER_STORE_SCHEMA_H
#define COALESCED_SERVER_STORE_SCHEMA_H

#include "base/error.h"

struct sqlite3;

/* Sets the error of the connection's last call: ERROR_UNAVAILABLE when the disk is full or fails, which may pass, else
   ERROR_STORE. -1. */
int schema_failed(struct sqlite3 *db, const char *what, struct error *error);

/* This program's version of the schema: a newer one is refused, an older one is brought up to it. */
int schema_newest(void);

/* Sets the connection up for writing and brings the database to this program's version. */
int schema_migrate(struct sqlite3 *db, struct error *error);

#endif
