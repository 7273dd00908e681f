/* Kernels that users bring, compiled and executed by the sandbox, two child processes (`coalesced --sandbox`), of which nothing
   is read but the answers: for the server, and for an executor that interprets their PTX.

   Each is started by the first request that needs it, and started again when it is gone. What was compiled is in a
   cache by source, entry and architecture. Functions block, for some tens of milliseconds as a rule and SOURCE_SERVICE_WAIT_S
   at most: they are for threads of the worker pool. Any thread. */
#pragma once

#include "api/compilation.h"
#include "kernels/source/source_count.h"
#include "api/source_cache.h"
#include "api/experiment_request.h"

enum { SOURCE_SERVICE_WAIT_S = 30 };

struct source_service;

/* NULL: no memory. */
struct source_service *source_service_new(void);

/* Ends the sandbox. No thread may be in a function of it. NULL is allowed. */
void source_service_free(struct source_service *service);

/* The kernel compiled for that architecture (90 is sm_90), or the nearest one that the compiler makes: from the cache, or
   anew. What the compiler found wrong is in the build too (compilation.ok). To be released with source_cache_release().
   NULL: ERROR_INVALID: the wall stopped the compiler, the text says at what; ERROR_UNAVAILABLE: there is no compiler, or the
   sandbox failed; ERROR_TIMED_OUT; ERROR_MEMORY. */
struct source_build *source_service_build(struct source_service *service, const struct source_kernel *kernel,
                                          int architecture, struct error *error);

struct source_launch_question {
    const struct experiment *experiment; /* checked, of a source kernel */
    const struct explain *listed;        /* as for source_count_make() */
    bool check;
    double seconds; /* at most; 0: as long as a prediction may take */
};

/* Executes the build's PTX and counts. 0: *count is to be freed with source_count_free(). -1: as above; ERROR_INVALID also
   where the PTX has something that is not executed. */
int source_service_count(struct source_service *service, const struct source_build *build,
                         const struct source_launch_question *question, struct source_count *count,
                         struct error *error);

/* Has a checked experiment executed, with its reference, each for `seconds` at most, and compared. 0: *answer is what
   run_request_read_answer() reads, to be freed with buffer_free(). -1: as above; ERROR_INVALID also where the compiler takes
   the source no more. */
int source_service_run(struct source_service *service, const struct experiment_request *asked, double seconds,
                       struct buffer *answer, struct error *error);
