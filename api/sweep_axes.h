/* The axes of a sweep: which fields of a request are lists of values, and the way through their product. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "kernels/experiment.h"

struct request_kernels; /* api/request_kernels.h */

struct sweep_axis {
    const char *name;     /* the field's; borrowed from the request */
    const json_t *values; /* the list: the request's, or made of its ranges */
    bool made;            /* it is made, and the axis's own */
    size_t current;       /* index of the value at the current point */
    bool pair;            /* a flat size of two numbers: one value for a two-dimensional kernel, else two */
};

struct sweep_axes {
    struct sweep_axis *at;
    size_t count;
    const json_t *kernel;                  /* the request's field: a name or a list of them */
    const struct request_kernels *kernels; /* of users; NULL: none. Borrowed */
};

/* Is that member of a request a list of values to try, or a range of them? */
bool sweep_axes_is_axis(const char *name, const json_t *value);

/* 0; or -1 with what is wrong in *problems, or no memory and problems->count 0. sweep_axes_free() in any
   case. Ranges of more values than `limit` are wrong. */
int sweep_axes_read(struct sweep_axes *axes, const json_t *request, const struct request_kernels *kernels,
                    size_t limit, struct problems *problems);
void sweep_axes_free(struct sweep_axes *axes);

/* The axis of that name; NULL: there is none. */
const struct sweep_axis *sweep_axes_find(const struct sweep_axes *axes, const char *name);

/* How many points there are; SIZE_MAX when they are more than that. */
size_t sweep_axes_total(const struct sweep_axes *axes);

/* Can every value of every field be read by at least one of the kernels? 0, or -1 with those that cannot. */
int sweep_axes_check(const struct sweep_axes *axes, const json_t *request, struct problems *problems);

/* Puts the current values into the point. 1; 0: there is no such point; -1: no memory. */
int sweep_axes_set(const struct sweep_axes *axes, json_t *point);

/* Goes to the next point; false: that was the last. */
bool sweep_axes_step(struct sweep_axes *axes);

/* For a request that is to be one experiment: says of every field that is a list, and wrong, where lists
   go. */
void sweep_axes_explain(const struct kernel *kernel, const json_t *request, struct problems *problems);
