/* A run of a source kernel, perhaps beside a reference, as the sandbox is asked for it (kind "run" of sandbox_protocol.h): a
   header of JSON on one line, and a launch of launch_request.h for each of the two.

     {"bytes":N,"tolerance":0.001,"shown":[[1,0,31]],"kernel":N1,"reference":N2}

   The answer is an object: {"failure":null,"members":{"correctness":{...},"interpreter":{...},"outputs":[...],"faults":[...],
   "notes":[...]}}. A failure is {"kind","detail"}. The members are of the result, in their final form. */
#pragma once

#include "api/launch_request.h"
#include "api/experiment_request.h"

struct source_run;

/* The kind of request. */
#define RUN_REQUEST_KIND "run"

/* One that was read: borrowed from its bytes, and to be freed. */
struct run_request {
    struct launch_request kernel, reference;
    bool has_reference;
    double tolerance;
    struct source_shown shown[SOURCE_SHOWN];
    int shown_count;
};

/* reference NULL: none. The bytes, to be freed with buffer_free(); `failed` is set when there was no memory. */
struct buffer run_request_write(const struct experiment_request *asked, const struct launch_request *kernel,
                                const struct launch_request *reference);

/* 0; or -1 with nothing to free: ERROR_INVALID, ERROR_MEMORY. */
int run_request_read(struct run_request *request, const char *bytes, size_t size, struct error *error);
void run_request_free(struct run_request *request);

/* The answer. `reference` NULL: there was none, or the kernel had a fault and it was not executed. */
void run_request_answer(struct json_writer *json, const struct run_request *request,
                        const struct source_run *run, const struct source_run *reference);

/* Reads an answer, which nobody trusts. New reference to its members; *failure has a kind where the run failed. NULL: it is no
   answer (ERROR_INVALID in *error). */
json_t *run_request_read_answer(const char *bytes, size_t size, struct error *failure, struct error *error);
