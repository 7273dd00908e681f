/* The data directory: its lock, which only one server holds; a check that the database's files are still in it;
   and the reserve of its disk. Submissions are refused when the disk is nearly full: a part of it is reserved for
   the ends of what runs and waits already, because an end that cannot be written stops the server. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct sqlite3;

/* Makes the directory with its parents and takes its lock, which holds until the descriptor is closed. The
   descriptor; or -1: ERROR_CONFLICT when another process holds the lock, ERROR_UNAVAILABLE when the disk is
   full or fails, which may pass, ERROR_INVALID, ERROR_SYSTEM. */
int data_directory_lock(const char *directory, struct error *error);

/* Syncs the directory that has the file or directory `path`: only then is a new name durable. 0 or -1. */
int data_directory_sync_name(const char *path, struct error *error);

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

/* ---- the reserve of the disk ---- */

/* On the writer's thread, once the first write was handed over. */
struct disk_reserve {
    int file;              /* a descriptor on the file system */
    int64_t reserve_bytes; /* as configured; 0: nothing is refused */
    int64_t looked_ns;     /* monotonic time of free_bytes; 0: never */
    int64_t free_bytes;    /* beyond the reserve, less what was taken since then */
    bool refusing;         /* as the log last said */
};

/* How many bytes of a file system of that size are reserved: half of it at most, so that a small one
   works. */
int64_t disk_reserve_bytes(int64_t reserve_bytes, int64_t total_bytes);

/* Takes the space of so many new experiments. 0; or -1: ERROR_STORAGE, saying how many bytes are missing. */
int disk_reserve_take(struct disk_reserve *reserve, int experiments, struct error *error);

/* The same of that many bytes more. */
int disk_reserve_take_bytes(struct disk_reserve *reserve, int64_t bytes, struct error *error);

/* True when the file system of that open file has too little space for one more experiment beyond the reserve. False
   when reserve_bytes is 0, or the file system does not say. Any thread. */
bool disk_reserve_reached(int file, int64_t reserve_bytes);

/* How many bytes logs may write to the file system of that open file: what is free beyond the reserve and a
   quarter of it, so that logs never end submissions. INT64_MAX: nothing is reserved, or the file system does
   not say. Any thread. */
int64_t disk_reserve_log_bytes(int file, int64_t reserve_bytes);
