/* The machine code of a kernel, as the CUDA compiler wrote it into a cubin: what of it the number and the width
   of memory accesses depend on, and its time. The bytes are untrusted. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "ptx/machine_word.h"

struct cubin_instruction {
    struct machine_word word;
    int32_t target;       /* the index of the instruction that it leads to; -1: none within the entry */
    uint32_t ptx_line;    /* from 1; 0: not known */
    uint32_t source_line; /* likewise; needs code that was made with line information */
    uint32_t source_file; /* its number in the line table, from 1 */
    bool slow_path;       /* the first instruction of a function that the compiler calls for unusual floats */
};

/* A kernel, with the functions that it calls and that were not inlined: the compiler puts a copy of them behind
   it. */
struct cubin_entry {
    const char *name;
    unsigned registers;      /* a thread */
    unsigned shared_bytes;   /* a block, static; without what the system takes of its own */
    unsigned local_bytes;    /* a thread: arrays, and registers that were spilled */
    unsigned constant_bytes; /* of __constant__ variables of the whole file */
    size_t count;            /* without the padding at the end */
    const struct cubin_instruction *code;
    bool has_ptx_lines; /* false: made without line information */
};

struct cubin {
    int arch; /* 90: sm_90 */
    size_t count;
    struct cubin_entry *entries;
    void *bytes; /* its own copy of the file */
};

enum { CUBIN_BYTES_MAX = 16 << 20 };

/* Reads a copy of the bytes. -1: ERROR_INVALID (no cubin, damaged, or of an architecture before sm_75, whose
   instructions have another form), ERROR_MEMORY. To be freed with cubin_free(). */
int cubin_read(struct cubin **cubin, const void *bytes, size_t count, struct error *error);
void cubin_free(struct cubin *cubin);

/* The kernel of that name, as it stands in PTX; NULL: there is none. */
const struct cubin_entry *cubin_entry_find(const struct cubin *cubin, const char *name);
