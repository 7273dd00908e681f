/* The devices that have a number: their names, and what an executor said last of itself; and how each was
   calibrated. */
#ifndef COALESCED_SERVER_STORE_DEVICE_ROW_H
#define COALESCED_SERVER_STORE_DEVICE_ROW_H

#include "server/store/write.h"
#include "server/store/applied.h"

struct sqlite3;

/* For the writer's thread: within its transaction. */
enum applied device_keep(struct sqlite3 *db, const struct store_device *device, struct error *error);

/* The same: another calibration of a device. */
enum applied calibration_keep(struct sqlite3 *db, const struct store_calibration *calibration,
                              struct error *error);

#endif
