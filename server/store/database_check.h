/* A file that should hold a database of this program: is it one, and is it sound? */
#ifndef COALESCED_SERVER_STORE_DATABASE_CHECK_H
#define COALESCED_SERVER_STORE_DATABASE_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct sqlite3;

struct database_facts {
    int version; /* of the schema */
    int64_t experiments, sweeps, bytes;
};

/* Is it this program's, and of a version that it knows? `path` is for the text. -1: ERROR_INVALID, or what SQLite says. */
int database_identify(struct sqlite3 *db, const char *path, struct database_facts *facts,
                      struct error *error);

/* The same for a file that nobody writes, read as it is, without its log and without a trace; `whole`: every page of it,
   and counts. -1 as above, or ERROR_STORE: it is damaged. */
int database_check(const char *path, bool whole, struct database_facts *facts, struct error *error);

#endif
