/* Who asks for a calibration, and waits until that is on disk. */
#ifndef COALESCED_SERVER_CALIBRATION_ASKER_H
#define COALESCED_SERVER_CALIBRATION_ASKER_H

#include "base/error.h"

/* First member of what it belongs to, and borrowed until done(). */
struct calibrations_asker {
    /* Called once: the sweep is on disk (NULL), so what was asked for is made also after a kill; or why it is not. From any
       thread; must not block. */
    void (*done)(struct calibrations_asker *asker, const struct error *failed);
    struct calibrations_asker *next; /* the calibrations' */
};

#endif
