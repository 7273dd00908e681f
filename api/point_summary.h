/* A point of a sweep over all of its runs: medians of what each run measured, with an interval over the runs. One run is
   looked at at a time; of each only its few figures are kept. */
#ifndef COALESCED_API_POINT_SUMMARY_H
#define COALESCED_API_POINT_SUMMARY_H

#include "api/scan.h"
#include "api/views.h"

enum { SUMMARY_FIGURES = 5, SUMMARY_NAME_BYTES = 64, SUMMARY_ID_BYTES = 32, SUMMARY_BOUND_BYTES = 16 };

struct summary_times {
    double *medians; /* of the runs that have one, in us */
    int count;
    double last[SUMMARY_FIGURES]; /* of the last one of those */
    /* From point_summary_end() on; NAN: there is none. */
    double median, low, high; /* us */
    double gbps, of_peak;     /* at the median */
    const char *reason;       /* static: why there are no low and high; NULL: there are */
};

/* Of one point after the other. */
struct point_summary {
    int runs;             /* that each point has */
    int device;           /* of the runs; -1: none has one yet, or none is known */
    char device_name[64]; /* of that device; may be empty */
    int asked, ended, begun, succeeded, verified, stable;
    struct summary_times cold, hot;
    double efficiencies
        [4]; /* percent, of the last run that has them: predicted gld, gst, counted gld, gst; NAN: none */
    double predicted_us;               /* cold, of the last run that has it; NAN: none */
    char limiter[SUMMARY_BOUND_BYTES]; /* likewise: a predicted_time_bound_name(); empty: none */
    int placements;
    char (*names)[SUMMARY_NAME_BYTES]; /* of the placements */
    int ids;
    char (*id)[SUMMARY_ID_BYTES];
    const char *state; /* static: of the first run that did not succeed; NULL: all did */
    struct buffer failure;
    struct scan_paths paths;
};

/* Of points that have so many runs each. NULL: no memory. */
struct point_summary *point_summary_new(int runs);
void point_summary_free(struct point_summary *summary);

void point_summary_begin(struct point_summary *summary);

/* Takes the point's next run, of which nothing is borrowed. 0, or -1: no memory, or there are more than were told. */
int point_summary_add(struct point_summary *summary, const struct view_point *run);

/* After the last run: makes what all of them come to. */
void point_summary_end(struct point_summary *summary);

/* As an experiment's: of all runs together. Static. */
const char *point_summary_state(const struct point_summary *summary);

/* "true" when that many are all that succeeded, "false"; NULL: none did. */
const char *summary_all(const struct point_summary *summary, int count);

/* A number to 7 digits; null when it is not finite. */
void summary_number(struct buffer *out, double number);

/* Appends the point, of which `point` is some run. 0, or -1: no memory. */
int point_summary_json(const struct point_summary *summary, struct buffer *out,
                       const struct view_point *point);

#endif
