/* "device" of a request: a number, a name, "any", or an object of what it must be; and which devices fit an
   experiment. */
#ifndef COALESCED_API_DEVICE_CHOICE_H
#define COALESCED_API_DEVICE_CHOICE_H

#include <jansson.h>

#include "api/device_set.h"
#include "kernels/experiment.h"

/* A device as it is known when an experiment looks for one. Borrowed. */
struct device_offer {
    int number;
    const char *name;                 /* the operator's */
    const struct device_facts *facts; /* NULL: not known yet */
    bool can_count;
    bool own;    /* of this machine, by our own executor: a kernel of two devices can be run there */
    bool listed; /* it takes work; else it is told apart from one that never was */
};

struct device_offers {
    const struct device_offer *at; /* in the order of their numbers */
    int count;
};

/* Reads it; what is wrong is told under `pointer` ("#/device"), and the choice is any device then. */
void device_choice_read(struct device_choice *choice, const json_t *value, const char *pointer,
                        struct problems *problems);

/* Reads "peer", the other device of a kernel of two: a number or a name. */
void device_peer_read(struct device_choice *peer, const json_t *value, struct problems *problems);

/* What an operator gives on a command line: a number, or a name, or "any". False: it can be none of these. */
bool device_choice_parse(struct device_choice *choice, const char *text);

/* Does it name no device: may whatever fits be chosen? */
bool device_choice_open(const struct device_choice *choice);

/* Is the device the one, or one of those, that is chosen? False for conditions as long as its facts are not known. */
bool device_choice_match(const struct device_choice *choice, const struct device_offer *offer);

enum device_fit {
    DEVICE_FITS,    /* *set has at least one */
    DEVICE_REFUSED, /* none does; *problems says why, of the one that is nearest to it */
    DEVICE_UNKNOWN, /* what may be chosen has not said hello yet; *set has these */
};

/* All devices in the list that are chosen and on which the experiment can be run (experiment_check()). A grid that is not given
   is derived for the first of them, and the others have to do with it. The peer of a kernel of two devices gets its uuid. */
enum device_fit device_choice_resolve(struct experiment *experiment, const struct device_offers *offers,
                                      struct device_set *set, struct problems *problems);

/* The same without an experiment: the devices in the list that are chosen, or why there is none. */
enum device_fit device_choice_find(const struct device_choice *choice, const struct device_offers *offers,
                                   const char *pointer, struct device_set *set, struct problems *problems);

#endif
