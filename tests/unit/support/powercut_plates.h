/* What of each file would be on the plates of the disk of vfs_powercut.h, which guards all of this with its
   lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "base/buffer.h"

/* A write or, without bytes, a truncation. */
struct unsynced {
    STAILQ_ENTRY(unsynced) entries;
    size_t offset, size;
    bool truncates;
    char bytes[];
};

/* A file by its path: it outlives the connections that open it. */
struct plate {
    SLIST_ENTRY(plate) entries;
    struct buffer synced;
    STAILQ_HEAD(, unsynced) writes;
    bool is_log, is_removed;
    char path[];
};

/* Finds or makes it; what the file holds already counts as synced. */
struct plate *plate_of(const char *path, bool is_log);

/* Forgets the plate of that path; NULL: any plate. */
void plate_remove(const char *path);
void plates_forget(void);

/* A write that is not synced yet, or a truncation to `offset`. */
void plate_note(struct plate *plate, size_t offset, const void *bytes, size_t size, bool truncates);

/* What is not synced reaches the disk, or never will. */
void plate_sync(struct plate *plate);
void plate_drop(struct plate *plate);

/* As powercut_image(). */
int plates_image(const char *from, const char *to, unsigned seed);
