/* Two sides of what was measured, matched by their points: gathered experiment by experiment, then judged
   point by point. Holds a few hundred bytes of each run and some kilobytes of each point and of each set
   of facts (clocks, builds) that differs from the others, whatever the results' size. */
#ifndef COALESCED_API_COMPARISON_H
#define COALESCED_API_COMPARISON_H

#include "api/comparison_request.h"
#include "base/error.h"
#include "kernels/verdict.h"

/* What is known of an experiment; borrowed. */
struct comparison_experiment {
    const char *id;
    bool ended, succeeded;
    const char *request, *result; /* JSON objects; result may be NULL */
};

/* How a run that is not used came to be left out. */
enum comparison_left {
    COMPARISON_NOT_ENDED,
    COMPARISON_NOT_SUCCEEDED,
    COMPARISON_NOT_VERIFIED,
    COMPARISON_NOT_TIMED,
    COMPARISON_UNSTABLE,
    COMPARISON_LEFT
};

struct comparison_run {
    int point, facts;
    /* of those that there are runs of, where points are of one device each (comparison_devices.h) */
    int device;
    bool unstable;
    uint64_t executor; /* a hash of the process that timed it; 0: not known */
    struct verdict_run run;
};

struct comparison_count {
    int experiments, used, allocated, unstable, points; /* `used` and `allocated` are numbers of runs */
    int left[COMPARISON_LEFT];
    struct comparison_run *runs;
};

/* What a point is: fields of a request, and the device where that is a factor; and its runs, by side, once
   it was judged. */
struct comparison_point {
    json_t *fields; /* owned */
    int from[2], count[2], unstable[2];
    struct verdict_of of; /* of one that is on both sides */
};

struct comparison {
    const struct comparison_request *request;
    struct comparison_count sides[2];
    struct comparison_point *points; /* in the order in which they came */
    int point_count, points_allocated;
    /* index by the text of what identifies a point; owned, as all below; NULL once it is judged */
    json_t *point_of;
    json_t *known[2]; /* by a request's text: [index of its point or -1, what is shown of it]; likewise */
    json_t *seen;     /* side by the id of an experiment; likewise */
    json_t *facts_of; /* index by the text of a result's facts and what was asked for beside; likewise */
    json_t *facts;    /* those, as lists: comparison_facts[], then an object of the request's fields */
    json_t *common;   /* fields that are the same at all points of both sides */
    int verdicts[VERDICTS];
    int tellable;    /* points with enough on both sides */
    double expected; /* verdicts of better and worse by chance, at most */
    int shared;      /* experiments on both sides */
    double apart_us; /* see comparison_devices.h; set before it is judged */
};

/* What is shown of each run besides its time. */
struct comparison_fact {
    const char *name, *path; /* in the answer; in a result, see scan.h */
    bool momentary;          /* it comes and goes: sides differ when what is most frequent does */
};
enum { COMPARISON_FACTS = 13, COMPARISON_UUID = 1 /* the device's */ };
extern const struct comparison_fact comparison_facts[COMPARISON_FACTS];

/* The request must last as long. NULL: no memory. */
struct comparison *comparison_new(const struct comparison_request *request);
void comparison_free(struct comparison *comparison);

/* Takes an experiment of that side (0 or 1), or leaves it out where the side's device_uuid or `where` rule
   it out or it was there before. 0, or -1: ERROR_FULL, a limit, said in *error, or ERROR_MEMORY. */
int comparison_add(struct comparison *comparison, int side, const struct comparison_experiment *experiment,
                   struct error *error);

/* Judges, once all are there; none may be added after it. 0, or -1: ERROR_MEMORY. */
int comparison_judge(struct comparison *comparison, struct error *error);

/* Is the point on both sides? */
static inline bool comparison_matched(const struct comparison_point *point)
{
    return point->count[0] && point->count[1];
}

#endif
