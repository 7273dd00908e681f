/* How an executor begins: its process, its hello, and a self-test where its predecessor made that due. */
#ifndef COALESCED_SERVER_DEVICES_EXECUTOR_START_H
#define COALESCED_SERVER_DEVICES_EXECUTOR_START_H

#include "server/devices/supervisor_state.h"

/* Starts one where there is none. 0; or -1: there is none, which has been told, and when it may be tried again. */
int executor_start(struct supervisor *s);

#endif
