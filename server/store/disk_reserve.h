/* Is there room on the disk for what is submitted? A part of it is kept free for what runs and waits already: an end that
   cannot be written stops the service. */
#ifndef COALESCED_SERVER_STORE_DISK_RESERVE_H
#define COALESCED_SERVER_STORE_DISK_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* On the writer's thread, but for what is set before anybody writes. */
struct disk_reserve {
    int file;              /* a descriptor on the file system */
    int64_t reserve_bytes; /* as asked for; 0: nothing is refused */
    int64_t looked_ns;     /* when free_bytes was; 0: never */
    int64_t free_bytes;    /* less what was taken since then */
    bool refusing;         /* told in the log */
};

/* How many bytes of a file system of that size are kept free: never more than half of it, so that a small one works. */
int64_t disk_reserve_bytes(int64_t reserve_bytes, int64_t total_bytes);

/* For so many new experiments. -1: ERROR_STORAGE, saying how many bytes are missing. */
int disk_reserve_take(struct disk_reserve *room, int experiments, struct error *error);

#endif
