/* Reads what was removed and can still be restored. Any thread. */
#pragma once

#include <stdbool.h>

#include "server/store/job.h"

struct store;

struct removal_row {
    char id[ID_BYTES];
    bool sweep;
    int experiments;                   /* 1, or those that go with the sweep */
    char owner[USER_NAME_BYTES];       /* whose it is; empty: nobody by name */
    char removed_by[USER_NAME_BYTES];  /* the same */
    int64_t removed_ms, restorable_ms; /* wall clock: when it was removed, until when it can be restored */
};

/* Reads up to `most` of them, the newest first, without those whose sweep is removed, too; `id`: that one alone, unless NULL; `by`: what that user removed
   (empty: nobody by name), unless NULL. Returns how many, or -1: ERROR_STORE. */
int store_removals(struct store *store, const char *id, const char *by, struct removal_row *rows, int most,
                   struct error *error);

/* Sets ERROR_NOT_FOUND for what a reader did not find: that there is none, or that it was removed and until when
   it can be restored. Returns -1. */
int removal_reads_missing(struct store *store, bool sweep, const char *id, struct error *error);
