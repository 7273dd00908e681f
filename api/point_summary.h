/* A point of a sweep over all of its runs: for each figure of the summary (figures.h) one value, made of
   the runs one after the other; only few numbers of each run are held. */
#pragma once

#include "api/figures.h"
#include "api/view.h"

enum { SUMMARY_NAME_BYTES = 64, SUMMARY_ID_BYTES = 32, SUMMARY_TEXT_BYTES = 32 };

/* The cold or the hot time. `median` and `interval` are of the point from point_summary_end() on; NAN:
   none. */
struct summary_time {
    double *medians; /* us, of the runs that have one; sorted from point_summary_end() on */
    int count;
    double run;                 /* us: the median of the run that is being added; NAN: it has none */
    double median, interval[2]; /* us */
    const char *no_interval;    /* static: why there is none; NULL: there is one */
};

struct summary_value {
    double number; /* NAN: none */
    char text[SUMMARY_TEXT_BYTES];
    int true_count, said_count; /* runs where a boolean is true, and where it is there */
};

/* Of one point after the other. */
struct point_summary {
    int runs;             /* that each point has */
    int device;           /* of the runs; -1: none has one yet, or none is known */
    char device_name[64]; /* of that device; may be empty */
    int asked, ended, running, succeeded, unwritten;
    struct summary_time cold, hot;
    struct summary_value values[FIGURES_SUMMARY_MAX]; /* by the figures' places in the summary */
    int placements;
    char (*names)[SUMMARY_NAME_BYTES]; /* of the placements */
    int ids;
    char (*id)[SUMMARY_ID_BYTES];
    const char *state; /* static: of the first run that did not succeed; NULL: all did */
    struct buffer failure;
};

/* For points that have so many runs each. NULL: no memory. */
struct point_summary *point_summary_new(int runs);
void point_summary_free(struct point_summary *summary);

void point_summary_begin(struct point_summary *summary);

/* Adds the point's next run, of which nothing is borrowed. 0, or -1: no memory, or more runs than
   point_summary_new() was given. */
int point_summary_add(struct point_summary *summary, const struct view_point *run);

/* After the last run: makes the values of the point. */
void point_summary_end(struct point_summary *summary);

/* The state of all runs together; and whether a boolean is true in all that succeeded, "true" or "false", NULL
   where none did. Static. */
const char *point_summary_state(const struct point_summary *summary);
const char *point_summary_all(const struct point_summary *summary, const struct summary_value *value);

/* Writes the point; `point` is any of its runs. */
void point_summary_write(struct json_writer *json, const char *key, const struct point_summary *summary,
                         const struct view_point *point);
