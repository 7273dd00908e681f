/* The supervisor's words with an executor that is alive: its hello, and one run from request to answer. What
   becomes of the executor afterwards is the supervisor's affair. */
#ifndef COALESCED_SERVER_DEVICES_DIALOGUE_H
#define COALESCED_SERVER_DEVICES_DIALOGUE_H

#include "api/protocol.h"
#include "server/devices/child.h"
#include "server/devices/supervisor.h"

/* Waits for the first line; whatever comes before it is ignored. 0, or -1: ERROR_CRASHED (it ended or wrote a
   line without end), ERROR_TIMED_OUT, ERROR_CONFLICT (another protocol), ERROR_UNAVAILABLE (WISH_STOP). */
int dialogue_hello(struct child *child, const struct supervisor_config *config, struct message *hello,
                   struct error *error);

enum dialogue_end {
    DIALOGUE_GOES_ON, /* the executor waits for the next run */
    DIALOGUE_LEAVING, /* it gave its answer and ends by itself now */
    DIALOGUE_ENDED,   /* it ended, or closed its output, without an answer */
    DIALOGUE_CUT,     /* it must be ended: past its time, cancelled, stopped, or it talks rubbish */
};

/* Fills *outcome; for DIALOGUE_ENDED the failure is for the caller to tell, who learns how it ended. */
enum dialogue_end dialogue_run(struct child *child, const struct supervisor_config *config, const char *id,
                               const char *request, double timeout_s, struct outcome *outcome);

#endif
