/* A disk whose power can be cut. This layer between SQLite and the file system records of every database and
   log what would be on the disk's plates: what was there at the last sync, and the writes since. An image is
   what a machine would find after the power came back: what was synced, and of the rest what the seed says:
   nothing, a beginning that ends within a write, or any sectors of any writes. The running database notices
   nothing, so one run can be cut many times. The image of a kill has every write. */
#pragma once

#include <limits.h>
#include <stdbool.h>

/* SQLite VFS names, to be given to store_open(). The lying disk says that it synced and did not, as
   SQLite does with synchronous=OFF: the tests must fail on it. */
#define POWERCUT_HONEST "powercut"
#define POWERCUT_LYING "powercut-lying"

/* Registers both; once more does nothing. */
void powercut_register(void);

#define POWERCUT_KILL UINT_MAX /* a seed: the process was killed, and the power stayed */

/* Writes what is left of the files in directory `from` into the directory `to`. 0 or -1. */
int powercut_image(const char *from, const char *to, unsigned seed);

/* From now on every write fails with SQLITE_FULL, or no more. */
void powercut_fill(bool full);

/* How the disk fails otherwise. */
struct powercut_fault {
    bool full; /* files, the log's index among them, may grow by room_bytes together */
    long room_bytes;
    bool index_fixed; /* the log's index may not grow */
    bool freezes;     /* the next sync fails, and then every write, truncation and sync */
    bool drops_cut;   /* the next sync of a log that was cut fails once, and the cut never gets to the disk */
    bool removes_log; /* the log is removed from its path with its next sync */
};

/* From now on; NULL: no more. */
void powercut_fail(const struct powercut_fault *fault);

/* How many syncs of write-ahead logs there were. */
long powercut_log_syncs(void);

/* Forgets all records; no file may be open. */
void powercut_forget(void);
