/* What was counted of a source kernel's launch, as plain data: sums, instructions and their places, the listing of a warp,
   faults. */
#pragma once

#include <sys/cdefs.h>

#include "base/buffer.h"
#include "base/error.h"
#include "kernels/model/explain.h"
#include "kernels/source/source_draft.h"
#include "kernels/time/machine_code.h"

__BEGIN_DECLS

enum {
    SOURCE_COUNT_CHECKED_THREADS = 1 << 20,
    SOURCE_COUNT_INSTRUCTIONS = 4096,  /* at most; more is ERROR_INVALID */
    SOURCE_COUNT_FAULTS = 16,          /* listed at most */
    SOURCE_COUNT_REGISTERS = 255,      /* a thread's at most */
    SOURCE_COUNT_BYTES_MAX = 256 << 20 /* of all buffers, to be executed in numbers */
};

/* Where an instruction stands. */
struct source_place {
    int line, column; /* of the user's source, from 1; 0: not known, or not the user's, or of several lines */
    int ptx_line;
    int joined
        [2]; /* two lines whose accesses the compiler joined into this one, the lesser first; 0: it did not */
    char array[SOURCE_NAME_BYTES]; /* the argument or variable; empty in shared memory */
};

struct source_fault {
    int line, column, ptx_line; /* as in struct source_place */
    bool note;                  /* worth knowing, and no fault */
    char text[400];             /* a sentence, with thread, block, and element */
};

/* The text of the note for a launch that ran to its end and stored to none of its outputs. */
#define SOURCE_NOTHING_STORED                                                                                \
    "no thread stored anything: the compiler leaves out what has no effect or is not defined, as a "         \
    "division by a constant 0"

/* Plain data but for two arrays; freed with source_count_free(). */
struct source_count {
    struct access access;
    int instruction_count;
    struct access_instruction *instructions; /* by place in the PTX */
    struct source_place *places;             /* of each instruction */
    struct explain listed; /* of the warp that was asked for; its `instructions` are those above, borrowed */
    int fault_count;
    struct source_fault faults[SOURCE_COUNT_FAULTS];
    bool failed;          /* a fault is among them: the counts are of what ran before it */
    bool watched;         /* faults were looked for */
    bool checked;         /* faults, races among them, were looked for in every thread of the grid */
    bool races_unchecked; /* races were not looked for, because that needs more memory than the budget has */
    uint64_t blocks, blocks_counted; /* of the grid; that were executed, or lie in counted boxes */
    uint64_t warp_instructions;      /* of the executed blocks */
    uint64_t local_bytes;            /* a thread's, as the PTX declares */
    uint64_t static_shared_bytes;    /* a block's */
    unsigned registers;              /* a thread's, in the machine code; 0: there is none */
    bool has_code;                   /* `code` was read from it, */
    char no_code[160];               /* or why not */
    struct code code;
    char inexact
        [200]; /* why the counts may differ from the hardware's; empty: they do not, as far as the PTX tells */
};

/* Frees the arrays. */
void source_count_free(struct source_count *count);

/* As bytes for a process of the same build, and back. Nothing in the bytes is trusted: -1 with ERROR_INVALID. */
void source_count_pack(const struct source_count *count, struct buffer *out);
int source_count_unpack(struct source_count *count, const void *bytes, size_t size, struct error *error);

__END_DECLS
