/* SIGINT and SIGTERM, taken down in a flag that whatever waits looks at. */
#ifndef COALESCED_CLIENT_TERMINAL_INTERRUPT_H
#define COALESCED_CLIENT_TERMINAL_INTERRUPT_H

#include <stdbool.h>

/* From here on a first signal is noted; a second one ends the process. */
void interrupt_watch(void);
bool interrupt_came(void);

/* Forgets it, for what is to be done after one. */
void interrupt_forget(void);

#endif
