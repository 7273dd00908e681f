/* Which points of a sweep an answer shows, and which columns a table of them has. Knows nothing of HTTP. */
#ifndef COALESCED_SERVER_ROUTES_SWEEP_PAGE_H
#define COALESCED_SERVER_ROUTES_SWEEP_PAGE_H

#include <stdbool.h>

#include "api/columns.h"
#include "api/summary_table.h"

enum sweep_view {
    SWEEP_VIEW_USUAL, /* a summary of a repeated sweep, runs of another, runs in a table */
    SWEEP_VIEW_RUNS,
    SWEEP_VIEW_SUMMARY,
};

struct sweep_page {
    int from, size; /* runs, or points in a summary */
    bool table;     /* CSV_MEDIA_TYPE */
    enum sweep_view view;
    const char *columns; /* of a table; NULL: all. Borrowed */
};

/* The columns that the page asks for and, of a summary, all that there are; *all is to be cleared in any
   case. `values`: what the axes of the sweep's first point are, a JSON object. 0; or -1 with why not in
   `detail`. */
int sweep_page_columns(const struct sweep_page *page, const char *values, struct summary_table *all,
                       struct columns *columns, char detail[COLUMNS_DETAIL_BYTES]);

/* Can the page's columns be shown? 0; or -1 with why not. */
int sweep_page_check(const struct sweep_page *page, const char *values, char detail[COLUMNS_DETAIL_BYTES]);

#endif
