/* The lock on the data directory. */
#ifndef COALESCED_SERVER_STORE_LOCK_H
#define COALESCED_SERVER_STORE_LOCK_H

#include "base/error.h"

/* Makes the directory and takes its lock; the descriptor that holds the lock, or -1: ERROR_CONFLICT when another
   process holds it, ERROR_UNAVAILABLE when the disk is full or fails, which may pass. */
int lock_directory(const char *directory, struct error *error);

#endif
