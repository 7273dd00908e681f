/* The data directory: its lock, which only one server holds, and a check that the database's files are still
   in it. */
#ifndef COALESCED_SERVER_STORE_DATA_DIRECTORY_H
#define COALESCED_SERVER_STORE_DATA_DIRECTORY_H

#include <limits.h>
#include <sys/types.h>

#include "base/error.h"

struct sqlite3;

/* Makes the directory with its parents and takes its lock, which holds until the descriptor is closed. The
   descriptor; or -1: ERROR_CONFLICT when another process holds the lock, ERROR_UNAVAILABLE when the disk is
   full or fails, which may pass, ERROR_INVALID, ERROR_SYSTEM. */
int data_directory_lock(const char *directory, struct error *error);

/* How many of the files a check looks at: the database; its log as well; the log's index as well. */
enum { DATA_DIRECTORY_DATABASE = 1, DATA_DIRECTORY_LOG = 2, DATA_DIRECTORY_FILES = 3 };

/* Which files the server opened. A file that is moved or removed stays open, and what is written to it is
   lost at the next start. */
struct data_directory {
    struct {
        char path[PATH_MAX];
        dev_t device;
        ino_t inode; /* 0: there was none */
    } files[DATA_DIRECTORY_FILES];
};

/* Notes the files of a database that has been read. `path`: as it was opened. */
void data_directory_note(struct data_directory *directory, struct sqlite3 *db, const char *path);

/* Checks that the first `count` files are still at their paths. 0; or -1: ERROR_STORE, naming the first that
   is not. Any thread. */
int data_directory_check(const struct data_directory *directory, int count, struct error *error);

#endif
