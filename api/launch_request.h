/* A launch of a source kernel as the sandbox is asked for it (kind "launch" of sandbox_protocol.h): a header of JSON on one
   line and parts without separators, as protocol.h has them. The answer is what source_count_pack() writes.

     {"bytes":N,"entry":"_Z5scalePf","check":false,"seconds":4.0,"explain":[0,0,0,1,7],"definition":N1,"request":N2,"ptx":N3,
      "cubin":N4}

   "cubin": 0 where there is no machine code. "explain": the block, the warp and the line to list (0: all lines); missing:
   none. The definition is the kernel's (source_json.h), the request an experiment without it. */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"
#include "base/error.h"
#include "kernels/model/explain.h"
#include "kernels/source/source_count.h"

/* The kind of request. */
#define LAUNCH_REQUEST_KIND "launch"

struct launch_request {
    const char *definition, *request; /* JSON */
    struct source_code code;          /* with a symbol */
    bool check;                       /* for faults, whatever the size */
    double seconds;                   /* the launch's budget */
    bool explained;                   /* a warp is listed: */
    int64_t block[3], warp, line;
    struct json_t
        *header; /* of one that was read: what the texts are borrowed from, besides the bytes; owned */
    char *text, *definition_text; /* likewise */
};

/* The bytes, to be freed with buffer_free(); `failed` is set when there was no memory. */
struct buffer launch_request_write(const struct launch_request *request);

/* PTX and machine code stay within `bytes`. 0; or -1 with nothing to free: ERROR_INVALID, ERROR_MEMORY. */
int launch_request_read(struct launch_request *request, const char *bytes, size_t size, struct error *error);
void launch_request_free(struct launch_request *request);

/* The experiment of a request that was read, checked, and its kernel, which the caller frees after it. NULL:
   ERROR_INVALID, ERROR_MEMORY. */
struct source_kernel *launch_request_experiment(const struct launch_request *request,
                                                struct experiment *experiment, struct error *error);
