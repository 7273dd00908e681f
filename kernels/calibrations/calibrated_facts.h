/* A calibrated device as an experiment's check sees a device, so that a launch for it has the grid that it would have there. */
#ifndef COALESCED_KERNELS_CALIBRATIONS_CALIBRATED_FACTS_H
#define COALESCED_KERNELS_CALIBRATIONS_CALIBRATED_FACTS_H

#include "kernels/calibrations/calibration.h"
#include "kernels/facts.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Its multiprocessors, and the limits of a GPU of its architecture; its memory has no end. Any thread. */
void calibrated_facts(const struct calibration *calibration, struct device_facts *facts);

#ifdef __cplusplus
}
#endif
#endif
