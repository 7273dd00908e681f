/* What a kernel is, to everyone who does not run it: a plain table, filled from its one file in suite/. */
#ifndef COALESCED_KERNELS_KERNEL_H
#define COALESCED_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/placement.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { KERNEL_PARAMS = 4, KERNEL_BUFFERS = 4 };

enum dtype { DTYPE_F32, DTYPE_F64, DTYPE_I32, DTYPE_U8, DTYPE_U16, DTYPE_COUNT };

/* "f32", "f64", "i32", "u8", "u16" */
const char *dtype_name(enum dtype dtype);

/* -1 when there is none of that name. */
int dtype_of(const char *name);

/* Bytes an element. */
uint64_t dtype_bytes(enum dtype dtype);

/* Which path a global load takes: the values of the parameter "load". */
enum load_path { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_LDG, LOAD_CS, LOAD_VOLATILE, LOAD_COUNT };

/* Initial values for C++, where most kernels' files leave these members out. */
#ifdef __cplusplus
#define KERNEL_INITIAL(value) = value
#else
#define KERNEL_INITIAL(value)
#endif

/* One text in English and Chinese, UTF-8. A NULL for Chinese: the English text serves both, as a formula does. */
struct text_pair {
    const char *en KERNEL_INITIAL(NULL), *zh KERNEL_INITIAL(NULL);
};

enum param_type { PARAM_INTEGER, PARAM_CHOICE };

/* As `max` of an integer parameter: the experiment's size. */
#define PARAM_MAX_IS_SIZE INT64_MAX

struct kernel_param {
    const char *name, *unit;
    struct text_pair text;
    enum param_type type;
    int64_t min, max, fallback; /* inclusive; for a choice: indices into choices */
    bool power_of_two;          /* nothing between the powers of two is allowed */
    const char *const *choices; /* PARAM_CHOICE: names, ended by NULL */
};

struct shape {
    uint64_t x, y, z;
};

/* What a kernel works on. One-dimensional: rows is 1 and columns is n. n = rows * columns, always. */
struct domain {
    uint64_t n, rows, columns; /* elements */
    int64_t param[KERNEL_PARAMS];
    struct shape block; /* threads: for what is defined by the lane within a block */
    struct shape grid;  /* blocks: for what is defined by the block; 0 until it is derived */
};

/* An accumulated output begins with what the generator puts there and is added to. */
enum buffer_role { BUFFER_INPUT, BUFFER_OUTPUT, BUFFER_ACCUMULATED };

struct kernel_buffer {
    const char *name, *text;
    enum buffer_role role;
};

/* Elements of global memory that a kernel asks for, counted once for each access; times dtype_bytes: bytes requested. */
struct traffic {
    uint64_t loads, stores;
    uint64_t atomics KERNEL_INITIAL(0);    /* updates */
    uint64_t operations KERNEL_INITIAL(0); /* arithmetic that the kernel is about; 0: it is about memory */
};

/* Why a kernel cannot run an experiment whose fields are each valid. */
struct kernel_problem {
    const char *pointer; /* the field, as a JSON pointer; NULL: there is no problem */
    char detail[160];
};

struct kernel {
    const char *name;
    struct text_pair title;
    struct text_pair text;   /* what it computes, in one line */
    struct text_pair lesson; /* what it shows, a sentence or two */
    const char *source;      /* its file, as text */
    const char *sha256;      /* of that file, in hex */
    unsigned dtypes;         /* 1u << enum dtype, each that it accepts */
    enum dtype dtype;        /* the default */
    int dims;                /* of its size: 1, or 2 for [rows, columns] */
    int grid_dims;           /* grid and block may differ from 1 in the first so many dimensions */
    int block_dims;
    int per_thread;   /* elements that a thread covers, at most */
    bool grid_stride; /* loops over the grid: any grid covers */
    bool
        /* some of its addresses are not affine in a block's coordinates: its prediction may say so */
        sampled;
    bool
        /* some of its buffers lie in the host's memory, or move there and back: it crosses the bus */
        host_memory;
    bool peer;          /* needs another device: some of its buffers lie in that one's memory */
    bool copied;        /* on a GPU the copy engine does it, the first buffer to the second: no threads */
    bool streamed;      /* on a GPU one run is several launches, with copies between, in several streams */
    uint64_t size[2];   /* the default: elements, or rows and columns */
    struct shape block; /* the default, threads */
    int param_count, buffer_count;
    struct kernel_param params[KERNEL_PARAMS];
    struct kernel_buffer buffers[KERNEL_BUFFERS];
    int load_param; /* which parameter is the load path; -1: none */
    int loads_by;   /* enum load_path: that of its loads where there is no such parameter */
    bool
        /* nobody writes what it reads, and the compiler knows: it takes LOAD_LDG where there is one */
        restricted;
    char mistake[160]; /* in its file: a parameter or a buffer out of order; empty: none */

    /* Threads needed in each dimension to cover the domain. */
    struct shape (*cover)(const struct domain *domain);
    /* Elements of a buffer. */
    uint64_t (*elements)(const struct domain *domain, int buffer);
    struct traffic (*ledger)(const struct domain *domain);
    /* What of the ledger no load or store of a warp asks for: a copy engine, the tensor memory accelerator, a texture. */
    struct traffic (*unmodelled_traffic)(const struct domain *domain);
    /* Bytes of shared memory that a block needs. */
    uint64_t (*shared_bytes)(const struct domain *domain, enum dtype dtype);
    struct kernel_problem (*refuse)(const struct domain *domain, enum dtype dtype);
    /* Which of the variants that it is compiled in: 0 where there is one. */
    int (*variant)(const struct domain *domain);
    /* Whose memory a buffer lies in. And do launches reach a peer's, or copies alone? */
    enum memory (*memory_of)(const struct domain *domain, int buffer);
    bool (*peer_access)(const struct domain *domain);
    enum pages (*pages_before)(const struct domain *domain);
    /* The compute capability that a GPU must have at least, times ten: 90 for 9.0; 0: whatever it has. */
    int (*architecture)(const struct domain *domain);
    /* Blocks of a cluster, along x: a grid is a multiple of it. */
    uint64_t (*cluster)(const struct domain *domain);
    /* The buffer for which a part of the L2 is set aside, -1: none. */
    int (*l2_persisting)(const struct domain *domain);
    /* Why the model of time does not apply, as part of a sentence; without a text: it does, as far as the kernel knows. */
    struct text_pair (*untimed)(const struct domain *domain);
    /* What element i of an output buffer must be after one launch, or what the generator put into an input.
       False: it must not have been touched. */
    bool (*expected)(const struct domain *domain, enum dtype dtype, int buffer, uint64_t i, double *value);
};

/* All kernels, in the order of their names. Safe from any thread. */
int suite_count(void);
const struct kernel *suite_at(int index);

/* NULL when there is none of that name. */
const struct kernel *suite_find(const char *name);

/* The same kernel compiled for a debugger, which is one of the suite with "_debug" behind its name; of that one itself it is
   the same. NULL: there is none. */
const struct kernel *suite_debug_build(const struct kernel *kernel);

/* Its place in the suite: 0 to suite_count() - 1. */
int suite_index(const struct kernel *kernel);

/* Does every index that a thread of a launch could form fit into 31 bits? The grid must have been derived. A GPU is then
   given the instance with 32-bit indices. */
bool kernel_index_is_small(const struct kernel *kernel, const struct domain *domain);

/* A row of the generated list of kernels (suite_list.c), one a file in suite/: kernel.c alone reads it. In the order of the
   names; ended by a row without a name. */
struct suite_row {
    const char *name, *source, *sha256;
    void (*describe)(struct kernel *kernel);
};
extern const struct suite_row suite_rows[];

#ifdef __cplusplus
}
#endif
#endif
