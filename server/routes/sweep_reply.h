/* Sweeps as the endpoints show them. */
#ifndef COALESCED_SERVER_ROUTES_SWEEP_REPLY_H
#define COALESCED_SERVER_ROUTES_SWEEP_REPLY_H

#include "api/sweep_view.h"
#include "server/routes/service.h"

/* "running", "cancelled", "succeeded" or "finished". */
const char *sweep_reply_state(const struct sweep_row *row);

/* A sweep as it is shown; borrows from the row. */
void sweep_reply_init(struct service *service, const struct sweep_row *row, struct view_sweep *view);

/* Answers with where it stands, without its points; a 202 with when to ask again. */
enum handled sweep_reply_accepted(struct request *request, unsigned status, const struct sweep_row *row);

/* Reads the row, which the caller clears. -1: *handled is the reply, 404 when there is none of that id. */
int sweep_reply_read(struct request *request, const char *id, struct sweep_row *row, enum handled *handled);

#endif
