/* What is known of the devices of one moment, among which a request chooses. */
#pragma once

#include <stdbool.h>

struct device_facts;

/* A device as it is known when an experiment is to be placed. Pointers are borrowed. */
struct device_offer {
    int number;
    const char *name;                 /* the operator's */
    const struct device_facts *facts; /* NULL: not known yet */
    bool can_count;
    bool own;    /* of this machine, run by this program: a kernel of two devices can be run there */
    bool listed; /* it takes work; one that left the list is an offer too, so that a refusal can name it */
};

struct device_offers {
    const struct device_offer *at; /* in the order of their numbers */
    int count;
};
