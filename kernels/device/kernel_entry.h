/* One kernel on one kind of device: what <kind>_way.h makes of a file of the suite, and the data of its
   functions. */
#pragma once

#include <sys/cdefs.h>

#include "kernels/kernel.h"

__BEGIN_DECLS

/* One experiment, laid out in the device's memory. */
struct run {
    const struct kernel *kernel;
    enum dtype dtype;
    struct domain domain;
    struct shape grid;
    uint64_t shared_bytes; /* dynamic shared memory a block: the kernel's own, and what the request adds */
    void *buffer[KERNEL_BUFFERS]; /* device addresses of the first elements */
    uint64_t elements[KERNEL_BUFFERS];
};

/* The result of a check, summed up on the device. */
struct mismatches {
    unsigned long long mismatches;
    unsigned long long first; /* index of the first wrong element, ~0: none */
    double max_abs_error;     /* over wrong elements that the launch may change */
};

/* The byte of the guards and of elements that must not change. */
enum { PATTERN_BYTE = 0xA5 };

/* `where` is the device's: a stream, or a pool of threads. The functions return 0 or the device's own
   code, and do not wait for the device. */
struct kernel_entry {
    /* One launch. */
    int (*launch)(const struct run *run, void *where);
    /* Fills a buffer: an input with generated values; an output with the complement of the expected value,
       and the pattern where none is expected. */
    int (*prepare)(const struct run *run, int buffer, void *where);
    /* Compares every element of a buffer with expected(), and adds to *found, which is in the device's
       memory. */
    int (*check)(const struct run *run, int buffer, struct mismatches *found, void *where);
    /* The compiled body's symbol in the device's runtime; NULL: there is none. */
    const void *(*symbol)(const struct run *run);
};

struct access;
struct explain;

/* The same body, traced: kernels/model/access.h says what is counted, explain.h what is listed (explain;
   NULL: nothing). */
typedef void (*model_entry)(const struct run *run, struct access *access, struct explain *explain);

/* Bytes of a buffer. */
static inline uint64_t run_buffer_bytes(const struct run *run, int buffer)
{
    return run->elements[buffer] * kernel_element_bytes(run->kernel, buffer, run->dtype);
}

__END_DECLS
