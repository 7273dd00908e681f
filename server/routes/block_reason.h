/* Says why an experiment does not begin, where the reason is not other experiments. */
#ifndef COALESCED_SERVER_ROUTES_BLOCK_REASON_H
#define COALESCED_SERVER_ROUTES_BLOCK_REASON_H

#include <stddef.h>

#include "server/routes/service.h"

/* Writes a sentence for an experiment that waits for that device or, with device -1, for one of the
   devices that its request chooses (NULL: any); empty: it waits only for other experiments. Any thread. */
void block_reason_write(struct service *service, int device, const char *request, char *text, size_t size);

#endif
