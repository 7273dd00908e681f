/* Sweeps and their points as the endpoints show them. */
#pragma once

#include "api/csv.h"
#include "api/view.h"
#include "server/http/route.h"
#include "server/store/job.h"

struct service;

/* Which points an answer shows, and which columns a table of them has. */
struct sweep_page {
    int from, size; /* runs, or points in a summary */
    bool table;     /* CSV_MEDIA_TYPE */
    enum {
        SWEEP_VIEW_USUAL, /* a summary of a repeated sweep, runs of another, runs in a table */
        SWEEP_VIEW_RUNS,
        SWEEP_VIEW_SUMMARY,
    } view;
    const char *columns; /* of a table; NULL: all. Borrowed */
};

/* Can the page's columns be shown? `axes`: what those of the sweep's first point are, a JSON object; `request`: the sweep's
   text. 0; or -1 with why not. Knows nothing of HTTP. */
int sweep_reply_columns_check(const struct sweep_page *page, const char *axes, const char *request,
                              char detail[COLUMNS_DETAIL_BYTES]);

/* Writes where it stands, and leaves the object open; `request`: with what was asked for. Returns the seconds
   until its last experiment has ended; negative: not known. */
double sweep_reply_open(struct json_writer *json, const char *key, struct service *service,
                        const struct sweep_row *row, bool request);

/* Answers with where it stands; a 202 with when to ask again. */
enum handled sweep_reply_accepted(struct request *request, unsigned status, const struct sweep_row *row);

/* Answers with where the sweep stands and the page's points, or with the table of them. They are read from
   the store and sent a few at a time. */
enum handled sweep_reply_points(struct request *request, const struct sweep_row *row,
                                const struct sweep_page *page);
