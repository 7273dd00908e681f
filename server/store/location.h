/* Are the database's files still at their paths? A file that was moved or removed stays open, and what is written to it is
   not there for the next start. */
#ifndef COALESCED_SERVER_STORE_LOCATION_H
#define COALESCED_SERVER_STORE_LOCATION_H

#include <limits.h>
#include <sys/types.h>

#include "base/error.h"

struct sqlite3;

enum {
    LOCATION_DATABASE = 1,
    LOCATION_LOG = 2,
    LOCATION_FILES = 3
}; /* the database; its log; the log's index */

struct location {
    struct {
        char path[PATH_MAX];
        dev_t device;
        ino_t inode; /* 0: there was none */
    } files[LOCATION_FILES];
};

/* Notes which files they are, once the database has been read. */
void location_note(struct location *location, struct sqlite3 *db, const char *path);

/* Looks at the first `count` files. 0, or -1: ERROR_STORE, naming the first that is another or is gone. Any thread. */
int location_check(const struct location *location, int count, struct error *error);

#endif
