/* Which devices fit an experiment: the one place that chooses, for requests as they come and for those
   that wait. Pure functions of an experiment and of what is known of the devices. */
#pragma once

#include "api/device_offer.h"
#include "api/device_set.h"
#include "kernels/experiment.h"

struct json_t;

enum device_fit {
    DEVICE_FITS,    /* *set has at least one */
    DEVICE_REFUSED, /* none fits; *problems says why, of the nearest one */
    DEVICE_UNKNOWN, /* the devices that may be chosen have not said hello yet; *set has these */
};

/* The listed devices that the experiment chooses and on which it can be run (experiment_check()). A grid
   that is not given is derived for the first of them and holds for the others. The peer of a kernel of two
   devices gets its uuid. Whatever else is wrong with the experiment is added to *problems. */
enum device_fit device_fit_find(struct experiment *experiment, const struct device_offers *offers,
                                struct device_set *set, struct problems *problems);

/* Checks that every device which a request's "device" names, as one value or as a list, exists. Adds a problem for each
   that does not. Conditions, "any" and malformed values are not checked here. Returns 0, or -1 with problems. */
int device_fit_check_named(const struct json_t *device, const struct device_offers *offers,
                           struct problems *problems);

/* The same as device_fit_find() from the text of a request that was checked before. False: none fits now, and *set is empty.
   *open: the request names no device. */
bool device_fit_select(const char *request, const struct device_offers *offers, struct device_set *set,
                       bool *open);
