/* A sweep that is not spread stays on one device, so that its numbers may be compared. Private to
   api/sweep.c. */
#ifndef COALESCED_API_SWEEP_DEVICES_H
#define COALESCED_API_SWEEP_DEVICES_H

#include "api/device_fit.h"

/* sets[i] is where experiment i of `count` may run; groups[i] is the place of its choice in the axis
   "device", without one it is 0, and `choices` is 1. Leaves to each experiment those devices that all of
   its group can be run on; with an axis, whose choices are devices that are compared, the first of them.
   0; or -1 with what is wrong in *problems, or no memory and problems->count 0. */
int sweep_devices_keep(struct device_set *sets, const int *groups, int count, int choices,
                       const struct device_offers *offers, struct problems *problems);

#endif
