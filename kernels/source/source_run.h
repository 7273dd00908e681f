/* Executes a launch of a source kernel whole, in numbers, watched for faults, and has its outputs; and compares the outputs of
   two such launches. */
#pragma once

#include "kernels/result.h"
#include "kernels/source/source_launch.h"
#include "kernels/source/source_result.h"

__BEGIN_DECLS

struct source_output {
    const char *name; /* the kernel's */
    struct source_type type;
    int buffer;                 /* the index into the kernel's buffers */
    uint64_t elements, written; /* written: those that an access of the launch stored to */
    /* Before the launch the array holds numbers from 0 to 255: the kernel reads it, and its argument has no fill. */
    bool unfilled;
    unsigned char *bytes;
    uint16_t *
        stored; /* of each element: 0, nobody wrote it; or 1 + the line of the last store, 1 where that is not known */
};

/* Freed with source_run_free(). */
struct source_run {
    struct source_output output[KERNEL_BUFFERS]; /* in the order of the arguments */
    int output_count;
    int fault_count;
    struct source_fault faults[SOURCE_COUNT_FAULTS];
    bool failed;    /* a fault is among them that is no note */
    bool complete;  /* every block was executed to its end */
    bool timed_out; /* the seconds were spent before */
    uint64_t blocks, blocks_run, warp_instructions;
    double seconds; /* that the execution took on this processor */
};

/* Checks that the buffers of a checked experiment hold no more than a launch is executed with. 0, or -1 with
   ERROR_OUT_OF_MEMORY. */
int source_run_check(const struct experiment *experiment, struct error *error);

/* Executes a checked experiment, of the code its PTX alone. `seconds`: at most. 0, also where there are faults; or -1 with nothing to free: ERROR_INVALID, the PTX or the launch cannot be executed, with the
   reason; ERROR_MEMORY. */
int source_run_make(struct source_run *run, const struct experiment *experiment,
                    const struct source_code *code, double seconds, struct error *error);
void source_run_free(struct source_run *run);

/* Compares each element of each output with the one of the other run, which has the same outputs. Equal are equal numbers, two
   NaNs, numbers that differ by `tolerance` at most, and two elements that nobody wrote. */
void source_run_compare(const struct source_run *run, const struct source_run *reference, double tolerance,
                        struct correctness *correctness);

/* Have both the same arguments, so that one can be the other's reference: names, types, numbers of elements, roles, what buffers hold
   before? False: `detail` says what differs. */
bool source_run_same_arguments(const struct source_kernel *kernel, const struct source_kernel *reference,
                               char *detail, size_t size);

__END_DECLS
