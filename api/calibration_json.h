/* A device's calibration as JSON: as the store and the pipe have it, and answers. */
#pragma once

#include "base/json_writer.h"
#include "kernels/calibrations/calibration.h"

void calibration_json_write(struct json_writer *json, const char *key, const struct calibration *calibration);

/* Reads what calibration_json_write() wrote, of this build or an earlier one. 0; or -1: it is no such
   object, or a constant of this build is not in it. */
int calibration_json_read(struct calibration *calibration, const char *text);
