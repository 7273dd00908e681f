/* Waits for an experiment or a sweep by the service's events, with a line of progress. */
#pragma once

#include <jansson.h>

#include "client/context.h"
#include "client/service/event_reader.h"

enum follow_end {
    FOLLOW_ENDED,       /* what was waited for has ended */
    FOLLOW_LOST,        /* the stream was lost, or a signal came */
    FOLLOW_UNAVAILABLE, /* there are no events from here: poll instead */
};

/* Shows the line of progress. document: an experiment or a sweep as it is now. running: the experiment of
   the sweep that runs, or NULL. */
void follow_show(struct screen *screen, const json_t *document, const json_t *running);

/* path: of the experiment or the sweep, /v1/sweeps/{id}. document: as it was fetched; events change it,
   and it is shown as a line of progress. last_id: of the last event, over several calls; "" at first. */
enum follow_end follow_events(struct context *context, const char *path, json_t *document,
                              char last_id[EVENT_READER_ID_BYTES]);
