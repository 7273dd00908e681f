/* A device's calibration as the endpoints show it. */
#ifndef COALESCED_SERVER_ROUTES_ANSWER_CALIBRATION_H
#define COALESCED_SERVER_ROUTES_ANSWER_CALIBRATION_H

#include "server/routes/service.h"

enum handled reply_calibration(struct request *request, unsigned status, int device);

#endif
