/* What POST /v1/comparisons is asked: two sides and how to hold them against each other. */
#ifndef COALESCED_API_COMPARISON_REQUEST_H
#define COALESCED_API_COMPARISON_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernels/experiment.h"

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

#endif
