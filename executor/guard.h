/* What keeps an executor from outliving its use: it dies with its parent, first when memory is short, and at
   its own deadline when nobody else ends it. */
#ifndef COALESCED_EXECUTOR_GUARD_H
#define COALESCED_EXECUTOR_GUARD_H

#include "api/protocol.h" /* exit statuses */

/* Signals as they were at birth, SIGKILL when the parent's starting thread ends, first victim of the
   out-of-memory killer. Before any thread is started. */
void guard_start(void);

/* The process ends by itself in so many seconds, whatever it does then; 0: no deadline. */
void guard_deadline(double seconds);

/* Stops that clock. The seconds that were left, for guard_deadline(); 0: there was no deadline. */
double guard_pause(void);

#endif
