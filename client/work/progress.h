/* The line of progress while something is waited for. */
#ifndef COALESCED_CLIENT_WORK_PROGRESS_H
#define COALESCED_CLIENT_WORK_PROGRESS_H

#include <jansson.h>

#include "client/terminal/screen.h"

/* Of an experiment or a sweep as it is now; running: the summary of what runs of the sweep, or NULL. */
void progress_show(struct screen *screen, const json_t *document, const json_t *running);

#endif
