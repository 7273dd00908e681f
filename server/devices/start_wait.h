/* What an executor waits for while it starts: an allocation of a cluster may take hours. Told by the last lines that its
   command wrote to standard error, and by another command, if there is one, which is asked every few seconds. Never blocks
   for longer than it takes to end that command when it hangs. */
#ifndef COALESCED_SERVER_DEVICES_START_WAIT_H
#define COALESCED_SERVER_DEVICES_START_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/devices/child.h"

/* All zero but `why` at a start. */
struct start_wait {
    const char *const *why; /* argv of the command that is asked, ended by NULL; NULL: there is none */
    struct child *asked;    /* it, while it runs */
    int64_t asked_ns;       /* when it was started; 0: never */
    char answer[96];        /* its last first line */
};

enum { WAITING_TEXT_BYTES = 256 };

/* Looks again. True: `text` is another one now. */
bool start_wait_look(struct start_wait *waiting, const struct child *starting, char text[WAITING_TEXT_BYTES]);

/* Ends the command that is asked. */
void start_wait_end(struct start_wait *waiting);

#endif
