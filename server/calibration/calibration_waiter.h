/* A caller that asked for a calibration and waits until its sweep is on disk. */
#pragma once

#include <sys/queue.h>

#include "base/error.h"

/* First member of what it belongs to, and borrowed until done(). */
struct calibration_waiter {
    /* Called once: with NULL when the sweep is on disk, so that the calibration is made even after a crash;
       or with the reason why it is not. On any thread; must not block. */
    void (*done)(struct calibration_waiter *waiter, const struct error *failed);
    SLIST_ENTRY(calibration_waiter) entries; /* the attempt's */
};

SLIST_HEAD(calibration_waiters, calibration_waiter);
