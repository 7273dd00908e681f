/* What holding and resuming have in common: the write, and the answer after its commit. */
#ifndef COALESCED_SERVER_ROUTES_ANSWER_HOLD_H
#define COALESCED_SERVER_ROUTES_ANSWER_HOLD_H

#include "server/routes/service.h"

/* `device` may be QUEUE_ALL_DEVICES. Answers how it is then: paused, and by whom and since when. */
enum handled hold_handle(struct request *request, int device, bool held);

#endif
