/* The line of progress during a wait. */
#ifndef COALESCED_CLIENT_WORK_PROGRESS_H
#define COALESCED_CLIENT_WORK_PROGRESS_H

#include <jansson.h>

#include "client/terminal/screen.h"

/* document: an experiment or a sweep as it is now. running: the experiment of the sweep that runs, or
   NULL. */
void progress_show(struct screen *screen, const json_t *document, const json_t *running);

#endif
