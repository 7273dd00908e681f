/* One request for many experiments: an experiment's object in which any field may be a list, an axis. The product
   of the axes is expanded in the order in which the axes stand in the request, the last one fastest.

   A flat list in block or grid is an axis of numbers; shapes are lists of lists. A flat size of two numbers is one
   shape where the kernel is two-dimensional and an axis of two sizes where it is not, kernel by kernel when the
   kernel is an axis too. labels, counters and measure are never axes. An axis of numbers may be a range (range.h).

   "spread": true lets its points go to different devices. Otherwise all go to one that fits all of them, and where "device"
   is an axis all that share a value of it.

   "repeat" asks for rounds over all points, one behind the other, each with experiments of its own, whose arrays are
   placed anew unless "placement" says other.

   A value that no kernel of the request can read (an unknown field, a wrong type, no such kernel) is a fault of
   the whole. What can be read and not be launched is a point that failed, with its reason. */
#pragma once

#include "api/device_set.h"
#include "kernels/source/source_kernel.h"

struct json_t;
struct recipe;          /* api/recipe.h */
struct device_offers;   /* api/device_fit.h */
struct request_kernels; /* api/request_kernels.h */

enum { SWEEP_POINTS_MAX = 10000 /* in all rounds together */, SWEEP_REPEAT_MAX = 1000 };

/* A distinct experiment of the sweep. Texts here and below belong to the sweep. */
struct sweep_experiment {
    const char *kernel;        /* static, or as long as the sweep */
    struct device_set devices; /* on which it may run; at least one */
    int priority;
    double timeout_s;
    double array_bytes;  /* of its arrays; 0: not known */
    const char *request; /* JSON object with every default filled in; kernels are named */
    struct source_definition sources[SOURCE_DEFINITIONS];
    int source_count;
    int points; /* how many ask for just this */
    bool open;  /* whatever fits may run it, also what comes later; else it is for a device that it names */
};

struct sweep_point {
    int experiment;        /* an index into experiments; -1: it cannot be launched */
    const char *values;    /* JSON object: what the axes are here */
    const char *request;   /* with -1: JSON object, as it was asked for */
    const char *failure;   /* with -1: JSON object, {kind, detail, errors} */
    const char *reference; /* JSON object whose members are shown with it; NULL: none */
};

struct sweep {
    struct sweep_experiment *experiments;
    struct sweep_point *points;
    int experiment_count, point_count; /* of one round */
    int rounds;                        /* over all of it, at least 1 */
    bool spread; /* its experiments may go to different devices; else all go where the first goes */
    /* a point is for it and its facts are not known: try again later; -1: there is none */
    int unknown_device;
    struct sweep_texts *texts;
};

/* What "repeat" of a request says; 1 without it, or where it is wrong: that is added to *problems. */
int sweep_repeat(const struct json_t *request, struct problems *problems);

/* Expands a request whose kernels are named; `kernels`: those of users, to which the sweep refers; NULL: there are none. 0, then to be given to sweep_free(); or -1 with nothing to free: what is wrong is in *problems,
   or there was no memory and problems->count is 0. Takes some 20 us a point: not for a thread that serves
   others. */
int sweep_expand(struct sweep *sweep, const struct json_t *object, const struct request_kernels *kernels,
                 const struct device_offers *offers, struct problems *problems);

/* The same for a request that is to be one experiment, which has no axes: a list is a shape, and what
   cannot be launched is wrong. */
int sweep_expand_one(struct sweep *sweep, const struct json_t *object, const struct request_kernels *kernels,
                     const struct device_offers *offers, struct problems *problems);

/* Gives each point what the recipe published and predicts for it. -1: no memory. A prediction may take a
   second: those that are not begun within budget_ms are left out and say why. */
int sweep_refer(struct sweep *sweep, const struct recipe *recipe, const struct device_offers *offers,
                int budget_ms);

void sweep_free(struct sweep *sweep);
