/* SIGINT, SIGTERM and SIGHUP set a flag, which every wait looks at. */
#pragma once

#include <stdbool.h>

/* Handles a first signal; a second one ends the process. */
void interrupt_watch(void);
bool interrupt_received(void);

/* Clears the flag. */
void interrupt_reset(void);
