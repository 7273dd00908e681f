/* One kernel on one kind of device: what the kind's <kind>_way.h makes of a file of the suite, and the plain
   data that its functions take. */
#ifndef COALESCED_KERNELS_DEVICE_KERNEL_ENTRY_H
#define COALESCED_KERNELS_DEVICE_KERNEL_ENTRY_H

#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/* What a check found, summed up on the device. Differences count; of the first ones only the least index is
 * kept. */
struct mismatches {
    unsigned long long mismatches;
    unsigned long long first; /* index of the first wrong element, ~0: none */
    double max_abs_error;     /* over touched elements that are wrong */
};

/* What the guards and the elements that must not be touched hold. */
enum { PATTERN_BYTE = 0xA5 };

/* `where` is the device's own: a stream, a pool of threads. Return 0, or the device's own code. None waits
   for the device. */
struct kernel_entry {
    /* One launch. */
    int (*launch)(const struct run *run, void *where);
    /* An input buffer: generated. An output: the complement of what is expected, the pattern where nothing
     * is. */
    int (*prepare)(const struct run *run, int buffer, void *where);
    /* Compares every element of a buffer with expected(); adds to *found, which is device memory. */
    int (*check)(const struct run *run, int buffer, struct mismatches *found, void *where);
    /* What the device's runtime knows the compiled body by; NULL when there is no such thing. */
    const void *(*symbol)(const struct run *run);
};

struct access;
struct explain;

/* The same body as what it touches; kernels/model/access.h says what is counted, explain.h beside it what is listed
   (explain; NULL: nothing). */
typedef void (*model_entry)(const struct run *run, struct access *access, struct explain *explain);

#ifdef __cplusplus
}
#endif
#endif
