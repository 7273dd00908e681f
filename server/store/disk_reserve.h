/* Refuses submissions when the disk is nearly full: a part of it is reserved for the ends of what runs and
   waits already, because an end that cannot be written stops the server. */
#ifndef COALESCED_SERVER_STORE_DISK_RESERVE_H
#define COALESCED_SERVER_STORE_DISK_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

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

/* How many bytes logs may write to the file system of that open file: what is free beyond the reserve and a
   quarter of it, so that logs never end submissions. INT64_MAX: nothing is reserved, or the file system does
   not say. Any thread. */
int64_t disk_reserve_log_bytes(int file, int64_t reserve_bytes);

#endif
