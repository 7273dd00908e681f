/* What keeps an experiment from beginning, where that is not other experiments. */
#ifndef COALESCED_SERVER_ROUTES_BLOCK_REASON_H
#define COALESCED_SERVER_ROUTES_BLOCK_REASON_H

#include <stddef.h>

#include "server/routes/service.h"

/* A sentence for one that waits for that device, or (-1) for one of those that its request chooses; empty: nothing but its
   turn. `request` may be NULL: any device. */
void block_reason_write(struct service *service, int device, const char *request, char *text, size_t size);

#endif
