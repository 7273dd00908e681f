/* Copies that are whole or not there. */
#ifndef COALESCED_SERVER_STORE_FILE_COPY_H
#define COALESCED_SERVER_STORE_FILE_COPY_H

#include "base/error.h"

/* The copy is synced, readable by its owner alone, and replaces what had that name. A failed one is removed. */
int file_copy_file(const char *from, const char *to, struct error *error);

/* Syncs a file that was written. */
int file_copy_sync(const char *path, struct error *error);

/* Syncs the directory that names a file: only then is a rename durable. */
int file_copy_sync_name(const char *path, struct error *error);

#endif
