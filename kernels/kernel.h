/* A kernel as a plain table, for all code that does not run it: filled from its one file in suite/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/cdefs.h>

#include "kernels/placement.h"

__BEGIN_DECLS

/* The most parameters and buffers of any kernel; and of one of the suite, whose arrays are copied to a GPU
   with each launch. */
enum { KERNEL_PARAMS = 16, KERNEL_BUFFERS = 16, SUITE_PARAMS = 4, SUITE_BUFFERS = 4 };

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

/* One text in English and Chinese, UTF-8. A NULL for Chinese: the English text serves both, as a formula
   does. */
struct text_pair {
    const char *en KERNEL_INITIAL(NULL), *zh KERNEL_INITIAL(NULL);
};

/* A parameter's value is an int64_t: that integer; for PARAM_UNSIGNED the same 64 bits as a uint64_t; the index of a
   choice; or the bits of a double (kernel_param_number()). */
enum param_type { PARAM_INTEGER, PARAM_CHOICE, PARAM_UNSIGNED, PARAM_NUMBER };

/* Value of `max` of an integer parameter, which no other has: the experiment's size. */
#define PARAM_MAX_IS_SIZE INT64_MIN

struct kernel_param {
    const char *name, *unit;
    struct text_pair text;
    enum param_type type;
    int64_t min, max,
        fallback;      /* inclusive; fallback is the default. All three as values are: see param_type */
    bool power_of_two; /* only powers of two are allowed */
    const char *const *choices; /* PARAM_CHOICE: names, ended by NULL */
};

struct shape {
    uint64_t x, y, z;
};

struct kernel;

/* The domain of one experiment. In one dimension rows is 1 and columns is n; n = rows * columns always
   holds. All are 0 for a kernel without a size. */
struct domain {
    const struct kernel *kernel; /* of the experiment: for functions of kernels that are made while it runs */
    uint64_t n, rows, columns;   /* elements */
    int64_t param[KERNEL_PARAMS];
    struct shape block; /* threads, for kernels whose work depends on the lane within a block */
    struct shape grid;  /* blocks, for kernels whose work depends on the block; 0 until it is derived */
};

/* An accumulated output begins with the generator's values, and the kernel adds to it. */
enum buffer_role { BUFFER_INPUT, BUFFER_OUTPUT, BUFFER_ACCUMULATED };

struct kernel_buffer {
    const char *name, *text;
    enum buffer_role role;
    unsigned element_bytes KERNEL_INITIAL(0); /* 0: those of the experiment's dtype */
};

/* Elements of global memory that a kernel accesses, each access counted; times dtype_bytes(): bytes
   requested. */
struct traffic {
    uint64_t loads, stores;
    uint64_t atomics KERNEL_INITIAL(0); /* updates */
    uint64_t operations
        KERNEL_INITIAL(0); /* arithmetic operations that the kernel measures; 0: it measures memory */
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
    const char *source;      /* the text of its file */
    const char *sha256;      /* of that file, in hex */
    /* A set of 1u << enum dtype: the types that it accepts; empty: a request has no "dtype", and each buffer has an
       element_bytes. */
    unsigned dtypes;
    enum dtype dtype;      /* the default */
    int dims;              /* dimensions of its size: 1, 2 for [rows, columns]; 0: a request has no "size" */
    const char *size_name; /* another name of "size" in a request; NULL: none */
    int grid_dims;         /* grid and block may differ from 1 in so many leading dimensions */
    int block_dims;
    int per_thread;   /* maximum of elements that a thread covers */
    bool grid_stride; /* loops over the grid: any grid covers the domain */
    bool free_grid;   /* a grid that a request asks for need not cover the domain */
    /* Its prediction may be inexact: some addresses are not affine in a block's coordinates, or there are updates, or
       threads that wait for others. */
    bool sampled;
    /* Some buffers lie in the host's memory, or move to it and back: the kernel uses the bus. */
    bool host_memory;
    bool peer;          /* needs another device, whose memory holds some of its buffers */
    bool copied;        /* on a GPU the copy engine copies the first buffer to the second; no threads run */
    bool streamed;      /* on a GPU a run is several launches with copies between, in several streams */
    uint64_t size[2];   /* the default: elements, or rows and columns */
    struct shape block; /* the default, threads */
    int64_t dynamic_shared_bytes KERNEL_INITIAL(0); /* the default of a request's "shared_bytes" */
    int param_count, buffer_count;
    struct kernel_param params[KERNEL_PARAMS];
    struct kernel_buffer buffers[KERNEL_BUFFERS];
    int load_param; /* index of the parameter "load"; -1: none */
    int loads_by;   /* enum load_path of its loads when there is no such parameter */
    /* Its pointers are __restrict__: the compiler uses LOAD_LDG where the architecture has it. */
    bool restricted;
    char mistake[160]; /* an error in its file: a parameter or a buffer out of order; empty: none */

    /* Threads needed in each dimension to cover the domain. */
    struct shape (*cover)(const struct domain *domain);
    /* Elements of a buffer. */
    uint64_t (*elements)(const struct domain *domain, int buffer);
    struct traffic (*ledger)(const struct domain *domain);
    /* The part of the ledger that no load or store of a warp requests: a copy engine, the tensor memory
       accelerator or a texture does. The model does not count it. */
    struct traffic (*unmodelled_traffic)(const struct domain *domain);
    /* Bytes of shared memory that a block needs. */
    uint64_t (*shared_bytes)(const struct domain *domain, enum dtype dtype);
    struct kernel_problem (*refuse)(const struct domain *domain, enum dtype dtype);
    /* Index of the compiled variant; 0 when there is only one. */
    int (*variant)(const struct domain *domain);
    /* Whose memory a buffer lies in; and whether launches can access a peer's memory, or copies alone. */
    enum memory (*memory_of)(const struct domain *domain, int buffer);
    bool (*peer_access)(const struct domain *domain);
    enum pages (*pages_before)(const struct domain *domain);
    /* The minimum compute capability of a GPU times ten, 90 for 9.0; 0: any. */
    int (*architecture)(const struct domain *domain);
    /* Blocks of a cluster along x; the grid is a multiple of it. */
    uint64_t (*cluster)(const struct domain *domain);
    /* The buffer that a part of the L2 is set aside for (persisting accesses); -1: none. */
    int (*l2_persisting)(const struct domain *domain);
    /* Why the model of time does not apply, as part of a sentence; no text: it applies as far as the kernel
       knows. */
    struct text_pair (*untimed)(const struct domain *domain);
    /* The value of element i of an output after one launch, or of an input. False: a launch must not
       change it. */
    bool (*expected)(const struct domain *domain, enum dtype dtype, int buffer, uint64_t i, double *value);
};

/* Bytes an element of a buffer, in an experiment of that dtype. */
uint64_t kernel_element_bytes(const struct kernel *kernel, int buffer, enum dtype dtype);

/* All kernels, in the order of their names. Safe from any thread. */
int suite_count(void);
const struct kernel *suite_at(int index);

/* NULL when there is none of that name. */
const struct kernel *suite_find(const char *name);

/* The debug build of a kernel, which has "_debug" behind its name; for the debug build itself the same. NULL:
   there is none. */
const struct kernel *suite_debug_build(const struct kernel *kernel);

/* Index in the suite: 0 to suite_count() - 1. */
int suite_index(const struct kernel *kernel);

/* True when every index that a thread of a launch can compute fits 31 bits. A GPU then runs the instance with
   32-bit indices. The grid must have been derived. */
bool kernel_index_is_small(const struct kernel *kernel, const struct domain *domain);

/* A row of the generated list of kernels (suite_list.c), one for each file in suite/, ordered by name; the
   last row has no name. For kernel.c only. */
struct suite_row {
    const char *name, *source, *sha256;
    void (*describe)(struct kernel *kernel);
};
extern const struct suite_row suite_rows[];

__END_DECLS
