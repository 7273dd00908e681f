/* Answers with a sweep's points, as JSON or as a table, read from the store and sent a few at a time. */
#ifndef COALESCED_SERVER_ROUTES_SWEEP_POINTS_H
#define COALESCED_SERVER_ROUTES_SWEEP_POINTS_H

#include "server/routes/service.h"
#include "server/routes/sweep_page.h"

/* Answers with where the sweep stands and the page's points, or with the table of them. */
enum handled sweep_points_reply(struct request *request, const struct sweep_row *row,
                                const struct sweep_page *page);

#endif
