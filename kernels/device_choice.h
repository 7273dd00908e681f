/* Where an experiment may run, as its request says it. */
#ifndef COALESCED_KERNELS_DEVICE_CHOICE_H
#define COALESCED_KERNELS_DEVICE_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

enum device_choice_kind {
    DEVICE_BY_NUMBER,
    DEVICE_BY_NAME, /* the operator's */
    DEVICE_ANY,
    DEVICE_BY_CONDITIONS, /* all of those that are given */
};

/* All zero: device 0. */
struct device_choice {
    enum device_choice_kind kind;
    int64_t number;
    char called[64]; /* by name */
    /* Conditions; empty, 0 and false: whatever it is. */
    char arch[16];        /* "cpu": whichever machine's */
    char product[128];    /* device_facts.name */
    int64_t memory_bytes; /* at least */
    bool counters;        /* it has hardware counters */
};

#endif
