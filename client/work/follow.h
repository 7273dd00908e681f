/* Waiting by the service's events: what is waited for is asked for once, and from then on told. */
#ifndef COALESCED_CLIENT_WORK_FOLLOW_H
#define COALESCED_CLIENT_WORK_FOLLOW_H

#include <jansson.h>

#include "client/context.h"

enum { FOLLOW_LAST_BYTES = 64 };

enum follow_end {
    FOLLOW_ENDED,   /* what was waited for has ended */
    FOLLOW_LOST,    /* the stream was lost, or a signal came */
    FOLLOW_USELESS, /* no events are to be had from here: one must ask */
};

/* path: of the experiment or the sweep, /v1/sweeps/{id}; document: as it was answered, changed by what is told and shown
   as a line of progress. last: the id of the last event over several calls, "" at first. */
enum follow_end follow_events(struct context *context, const char *path, json_t *document,
                              char last[FOLLOW_LAST_BYTES]);

#endif
