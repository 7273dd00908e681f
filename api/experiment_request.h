/* JSON <-> an experiment with what is wanted of its outputs: of a kernel that a user brings the members "show", "reference" and
   "tolerance". Of a kernel of the suite there is the experiment alone. */
#pragma once

#include <jansson.h>

#include "api/request_kernels.h"
#include "base/buffer.h"
#include "base/error.h"

enum { SOURCE_SHOWN = 8, SOURCE_SHOWN_ELEMENTS = 1024 /* of all together */ };

/* Elements of a buffer whose values are asked for. */
struct source_shown {
    int buffer;
    uint64_t first, last;
};

struct experiment_request {
    struct experiment experiment; /* its kernel is borrowed from the request's kernels */
    struct experiment reference;  /* another kernel with the same arguments; `kernel` NULL: none */
    double tolerance;             /* absolute; 0: equal */
    struct source_shown shown[SOURCE_SHOWN];
    int shown_count;
};

/* Reads a request that names its kernels: types and names, not yet values against the device (experiment_check()). `kernels`
   NULL: those of the suite alone. 0; or -1: every wrong member is in *problems, and experiment.kernel is NULL where there is no
   such kernel. */
int experiment_request_read(struct experiment_request *asked, const json_t *request,
                            const struct request_kernels *kernels, struct problems *problems);

/* Adds what a kernel that a user brings must be given and the request has not. */
void experiment_request_require(const struct kernel *kernel, const json_t *request,
                                struct problems *problems);

/* Checks the reference's launch, once that of the experiment is checked, the ranges of "show", and what nothing can answer where
   PTX is interpreted. 0, or -1. */
int experiment_request_check(struct experiment_request *asked, struct problems *problems);

/* The same of the text of a request that was checked before, with the definitions that request_kernels_join() put there. 0; or
   -1: *error. The kernels are to be cleared in either case. */
int experiment_request_read_text(struct experiment_request *asked, struct request_kernels *kernels,
                                 const char *text, struct error *error);

/* Those of `kernels` that it uses, to which *used refers; how many. */
int experiment_request_definitions(const struct experiment_request *asked,
                                   const struct request_kernels *kernels,
                                   struct source_definition used[SOURCE_DEFINITIONS]);

/* Writes the request with every default filled in and the labels of `request` (may be NULL). */
void experiment_request_write(struct json_writer *json, const struct experiment_request *asked,
                              const json_t *request);
