/* What devices and executors do to a comparison: points are split by device, and cold times have a level
   by executor. */
#ifndef COALESCED_API_COMPARISON_DEVICES_H
#define COALESCED_API_COMPARISON_DEVICES_H

#include "api/comparison.h"

/* Where both sides ran on the same devices, and on more than one, each point becomes one for each device,
   whose fields have its "device_uuid", so that times are compared within a device alone. Else points stay
   as they are. Once all runs are there, before it is judged. 0, or -1: no memory. */
int comparison_devices_split(struct comparison *comparison);

/* How far all cold times of one side may be off against all of the other, whatever their number, in
   microseconds. What two events around a launch add to a time has levels, and an executor keeps one of
   them for all of its cold times: between four pairs of executors on two H200 those of 200 experiments, of
   3 to 70 us, were 0.00, 0.09, 0.09 and 0.13 us apart (medians; by size up to 0.18), and those of an empty
   kernel too, but not by the same. Hot times, differences of sequences, have none of it. */
#define COMPARISON_EXECUTORS_APART_US 0.16

/* That, where an executor took cold times of one side and none of the other, or else 0. A result names its
   executor by its placement's name; results without one count as of one executor. */
double comparison_devices_apart_us(const struct comparison *comparison);

#endif
