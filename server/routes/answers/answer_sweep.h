/* What the endpoints of sweeps do alike. */
#ifndef COALESCED_SERVER_ROUTES_ANSWERS_ANSWER_SWEEP_H
#define COALESCED_SERVER_ROUTES_ANSWERS_ANSWER_SWEEP_H

#include "api/views.h"
#include "server/routes/service.h"

/* A sweep as it is shown; borrows from the row. */
void view_of_sweep(struct service *service, const struct sweep_row *row, struct view_sweep *view);

/* Answers with where it stands, without its points. */
enum handled reply_sweep_accepted(struct request *request, unsigned status, const struct sweep_row *row);

/* Which points: from that one on, so many. */
struct sweep_page {
    int from, size;
};
enum { SWEEP_PAGE_SIZE = 50, SWEEP_PAGE_SIZE_MAX = 500 };

/* Reads page_size and page_token from the query: NULL, or what is wrong. `size` is what there are without. */
const char *sweep_page_read(const struct request *request, int size, struct sweep_page *page);

/* Answers with where it stands and those points, as they are read from the store. */
enum handled reply_sweep(struct request *request, const struct sweep_row *row, const struct sweep_page *page);

/* The same points as a table; an answer of CSV_MEDIA_TYPE. */
enum handled reply_sweep_table(struct request *request, const struct sweep_row *row,
                               const struct sweep_page *page);

/* Reads the row, to be cleared; or answers why not: -1. */
int sweep_find(struct request *request, const char *id, struct sweep_row *row, enum handled *handled);

#endif
