/* Ends of an executor that its server has lost: it dies with its parent, first of all processes when memory
   is short, and at its own deadline. */
#ifndef COALESCED_EXECUTOR_GUARD_H
#define COALESCED_EXECUTOR_GUARD_H

#include "api/protocol.h" /* exit statuses */

/* Resets all signals, asks for SIGKILL when the parent's thread that started this process ends, and makes
   this process the first victim of the out-of-memory killer. Before any thread is started. */
void guard_start(void);

/* Ends the process after so many seconds, whatever it does then; 0: no deadline. */
void guard_deadline(double seconds);

/* Stops that clock. Returns the seconds that were left, for guard_deadline(); 0: there was no deadline. */
double guard_pause(void);

#endif
