/* A sweep's points, as JSON or as a table, run by run or each once over all of its runs; read from the store and sent a
   few at a time. */
#ifndef COALESCED_SERVER_ROUTES_SWEEP_POINTS_H
#define COALESCED_SERVER_ROUTES_SWEEP_POINTS_H

#include "api/columns.h"
#include "server/routes/service.h"

enum sweep_view { SWEEP_VIEW_USUAL, SWEEP_VIEW_RUNS, SWEEP_VIEW_SUMMARY };

/* What a request asks for: runs, or points in a summary, from that one on, so many. */
struct sweep_page {
    int from, size;
    bool table; /* CSV_MEDIA_TYPE */
    enum sweep_view view;
    const char *columns; /* of a table; NULL: all */
};
enum { SWEEP_PAGE_SIZE = 50, SWEEP_PAGE_SIZE_MAX = 500 };

/* Reads page_size, page_token, view and columns from the query: NULL, or what is wrong. A table has all that there is
   unless a size is given. */
const char *sweep_page_read(const struct request *request, bool table, struct sweep_page *page);

/* Of a sweep whose points have such values, as JSON object: can the page's columns be shown? 0; or -1 with why not. */
int sweep_page_check(const struct sweep_page *page, const char *values, char detail[COLUMNS_DETAIL_BYTES]);

/* Answers with where it stands and those points, or with the table of them. */
enum handled reply_sweep(struct request *request, const struct sweep_row *row, const struct sweep_page *page);

#endif
