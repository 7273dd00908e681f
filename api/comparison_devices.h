/* The device as a factor of a comparison. */
#ifndef COALESCED_API_COMPARISON_DEVICES_H
#define COALESCED_API_COMPARISON_DEVICES_H

#include "api/comparison.h"

/* Where both sides ran on the same devices, and on more than one, each point becomes one for each device, whose fields
   have its "device_uuid", so that times are compared within a device alone. Else points stay as they are. Once all runs
   are there, before it is judged. 0, or -1: no memory. */
int comparison_devices_split(struct comparison *comparison);

#endif
