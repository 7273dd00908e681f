/* The database's tables, the steps from one version of them to the next, and checks of a database file.

   The schema has a version, SQLite's user_version. Version 8 is the first that a release has; from it on
   every database is brought up to the program's version when it is opened. Older ones were written during
   development and are refused. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct sqlite3;

enum { SCHEMA_FIRST_VERSION = 8 };

/* The version that this program writes. */
int schema_newest(void);

/* Sets the connection up for writing and brings the database to schema_newest(). Each step is one
   transaction. 0; or -1: ERROR_STORE when the version is newer or older than what this program reads, else as
   database_failed(). */
int schema_migrate(struct sqlite3 *db, struct error *error);

/* The same with other steps, without setting up the connection: for tests of migration. steps[0] makes
   version SCHEMA_FIRST_VERSION in an empty file. */
int schema_migrate_steps(struct sqlite3 *db, const char *const *steps, int count, struct error *error);

struct database_facts {
    int version; /* of the schema */
    int64_t experiments, sweeps, bytes;
};

/* Checks that the database is of this program and of a version that it reads. `path` is for the text. 0; or
   -1: ERROR_INVALID. Sets facts->version alone. */
int schema_identify(struct sqlite3 *db, const char *path, struct database_facts *facts, struct error *error);

/* The same for a file that nobody writes: reads it without its log and leaves no file beside it. `whole`:
   also checks every page and counts. -1: as above, or ERROR_STORE: it is damaged. */
int schema_check(const char *path, bool whole, struct database_facts *facts, struct error *error);
