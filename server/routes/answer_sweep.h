/* What the endpoints of sweeps do alike. */
#ifndef COALESCED_SERVER_ROUTES_ANSWER_SWEEP_H
#define COALESCED_SERVER_ROUTES_ANSWER_SWEEP_H

#include "api/views.h"
#include "server/routes/service.h"

/* A sweep as it is shown; borrows from the row. */
void view_of_sweep(struct service *service, const struct sweep_row *row, struct view_sweep *view);

/* Answers with where it stands, without its points. */
enum handled reply_sweep_accepted(struct request *request, unsigned status, const struct sweep_row *row);

/* Reads the row, to be cleared; or answers why not: -1. */
int sweep_find(struct request *request, const char *id, struct sweep_row *row, enum handled *handled);

#endif
