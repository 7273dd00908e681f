/* Two sides of what was measured, matched by their points: gathered experiment by experiment, then judged
   point by point. Holds a few hundred bytes of each run and some kilobytes of each point and of each set
   of facts (clocks, builds) that differs from the others, whatever the results' size. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "kernels/experiment.h"
#include "kernels/verdict.h"

/* ---- the request: two sides and how they are compared ---- */

enum { COMPARISON_EXPERIMENTS_MAX = 20000 }; /* a side */
enum { COMPARISON_POINTS_MAX = 10000, COMPARISON_BUT_FOR_MAX = 16 };

/* Which experiments; what all members say together. Texts and objects belong to the request. */
struct comparison_side {
    const char *sweep, *kernel, *device_uuid, *owner; /* NULL: any */
    const json_t *experiments;                        /* a list of ids; NULL: any */
    const json_t *labels, *where;                     /* objects; NULL: any */
    int device;                                       /* -1: any */
    const char *called;         /* the name of a device, from which the route sets `device`; NULL: none */
    int64_t since_ms, until_ms; /* submitted then or later, and before; 0 and INT64_MAX: any */
};

struct comparison_request {
    struct comparison_side sides[2]; /* a and b */
    const char *but_for[COMPARISON_BUT_FOR_MAX];
    int but_for_count;
    bool hot, stable_only;
    double same_within;
    json_t *tree; /* owned */
};

/* Reads the request's object, which it takes. 0, or -1 with what is wrong in *problems;
   comparison_request_clear() in any case. Names of sweeps, experiments and owners are not looked up. */
int comparison_request_read(struct comparison_request *request, json_t *object, struct problems *problems);
void comparison_request_clear(struct comparison_request *request);

/* Bit i of `seen`: an experiment of the side, or of either, has the field i of `where`, or of but_for. Adds each other one that
   no kernel of the suite has: scalar arguments of users' kernels are known by their experiments alone. */
void comparison_request_check_where(const struct comparison_request *request, int side, unsigned seen,
                                    struct problems *problems);
void comparison_request_check_but_for(const struct comparison_request *request, unsigned seen,
                                      struct problems *problems);

/* Has that request of an experiment the values of the side's `where`? */
bool comparison_fields_match(const struct comparison_side *side, const json_t *experiment);

/* The fields that identify its point. New reference; NULL: no memory. */
json_t *comparison_fields(const struct comparison_request *request, const json_t *asked);

/* What is shown of it where the sides differ: the fields of but_for, and how it is measured, members of
   objects as "measure.noise". New reference; NULL: no memory. */
json_t *comparison_fields_beside(const struct comparison_request *request, const json_t *asked);

/* ---- gathering and judging ---- */

/* Name of a label. Whoever submits further runs of both sides in alternation gives all of them one value. If one run of an
   owner with a value is cancelled, none of that owner's runs with that value that were submitted before is used: one side may
   have fewer runs, or runs at other times. */
#define COMPARISON_TURNS "coalesced.turns"

/* What is known of an experiment; borrowed. */
struct comparison_experiment {
    const char *id;
    bool ended, succeeded;
    const char *request, *result; /* JSON objects; result may be NULL */
    int64_t started_ms, ended_ms; /* wall clock; 0: not yet, or not known */
    bool cut_short;               /* a run of the same turns was cancelled */
};

/* How a run that is not used came to be left out. */
enum comparison_left {
    COMPARISON_NOT_ENDED,
    COMPARISON_NOT_SUCCEEDED,
    COMPARISON_CUT_SHORT,
    COMPARISON_NOT_VERIFIED,
    COMPARISON_NOT_TIMED,
    COMPARISON_UNSTABLE,
    COMPARISON_LEFT
};

struct comparison_run {
    int point, facts;
    /* of those that there are runs of, where points are of one device each (comparison_devices_split()) */
    int device;
    bool unstable;
    uint64_t executor;            /* a hash of the process that timed it; 0: not known */
    int64_t started_ms, ended_ms; /* wall clock; 0: not known */
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
    unsigned where_seen[2], but_for_seen; /* as in comparison_request_check_where() */
    json_t *seen;                         /* side by the id of an experiment; likewise */
    json_t *facts_of; /* index by the text of a result's facts and what was asked for beside; likewise */
    json_t *facts;    /* those, as lists: comparison_facts[], then an object of the request's fields */
    json_t *common;   /* fields that are the same at all points of both sides */
    int verdicts[VERDICTS];
    int tellable;    /* points with enough on both sides */
    double expected; /* verdicts of better and worse by chance, at most */
    int shared;      /* experiments on both sides */
    double apart_us; /* of comparison_devices_apart_us(); set before it is judged */
};

/* What is shown of each run besides its time. */
struct comparison_fact {
    const char *name, *path; /* in the answer; in a result, see scan.h */
    bool momentary;          /* it comes and goes: sides differ when what is most frequent does */
    bool of_build;           /* sides differ, too, when their runs have it in other parts */
};
enum { COMPARISON_FACTS = 12, COMPARISON_UUID = 1 /* the device's */ };
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

/* ---- devices and executors (comparison_devices.c) ---- */

/* Where both sides ran on the same devices, and on more than one, each point becomes one for each device,
   whose fields have its "device_uuid", so that times are compared within a device alone. Else points stay
   as they are. Once all runs are there, before it is judged. 0, or -1: no memory. */
int comparison_devices_split(struct comparison *comparison);

/* How far all cold times of one side may be off against all of the other, whatever their number, in
   microseconds. What two events around a launch add to a time has levels, and an executor keeps one of
   them for all of its cold times: between four pairs of executors on two H200 those of 200 experiments, of
   3 to 70 us, were 0.00, 0.09, 0.09 and 0.13 us apart (medians; by size up to 0.18), and those of an empty
   kernel too, but not by the same. Hot times, differences of sequences, have none of it. */
#define COMPARISON_EXECUTORS_APART_US 0.16

/* That, where an executor took cold times of one side and none of the other, or else 0. A result names its
   executor by its placement's name; results without one count as of one executor. */
double comparison_devices_apart_us(const struct comparison *comparison);

/* ---- answers (comparison_view.c, comparison_apart.c) ---- */

/* All but the points. Leaves the object open, and in it the array "points". */
void comparison_view_open(struct json_writer *json, const char *key, const struct comparison *comparison);

/* One of them. */
void comparison_view_point(struct json_writer *json, const char *key, const struct comparison *comparison,
                           const struct comparison_point *point);

/* Writes an array of the fields of the request in which the two sides have no value in common, with the values of each
   side. It is empty where some point is on both sides, or where a side has no point. The grid usually follows from the
   size, the block and parameters, so it is named only where two points differ in nothing but the grid. */
void comparison_apart_view(struct json_writer *json, const char *key, const struct comparison *comparison);

/* Writes when the runs of points on both sides were measured as a difference, "measured_at", where all of one side is before
   all of the other: what else changed in between is in a verdict, too. */
void comparison_measured_at_view(struct json_writer *json, const struct comparison *comparison);

/* CSV: a row for each point, with the verdict first and then the fields of the requests. */

/* The fields of all points, as keys. Released by the caller; NULL: no memory. */
json_t *comparison_csv_columns(const struct comparison *comparison);

/* Each appends a line with its end. `columns` are comparison_csv_columns(). 0, or -1: no memory. */
int comparison_csv_header(struct buffer *out, const json_t *columns);
int comparison_csv_row(struct buffer *out, const json_t *columns, const struct comparison_point *point);
