/* Inserts the rows of what was submitted: its experiments with their labels, its sweep with its points, its
   idempotency key. */
#ifndef COALESCED_SERVER_STORE_SUBMISSION_INSERT_H
#define COALESCED_SERVER_STORE_SUBMISSION_INSERT_H

#include "server/store/disk_reserve.h"
#include "server/store/transaction.h"
#include "server/store/write.h"

/* Inserts write->submission, unless its key is known, and sets the write's outcome. REFUSED: ERROR_FULL,
   ERROR_STORAGE, or a row is wrong. On the writer's thread, within its transaction. */
enum applied submission_insert(struct transaction *transaction, struct disk_reserve *reserve,
                               struct store_write *write, struct error *error);

#endif
