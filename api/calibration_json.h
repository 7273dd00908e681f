/* A device's calibration as JSON: as it is kept in the store and told on the wire. */
#ifndef COALESCED_API_CALIBRATION_JSON_H
#define COALESCED_API_CALIBRATION_JSON_H

#include "base/buffer.h"
#include "kernels/calibrations/calibration.h"

/* Appends the object. 0, or -1: no memory. */
int calibration_json_write(struct buffer *out, const struct calibration *calibration);

/* Reads what calibration_json_write() wrote, of this build or an earlier one. 0; or -1: it is no such object, or a constant of
   this build is not in it. */
int calibration_json_read(struct calibration *calibration, const char *text);

#endif
