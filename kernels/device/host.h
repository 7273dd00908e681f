/* The host's memory, which a CPU device has for its own and a GPU maps and copies from. */
#ifndef COALESCED_KERNELS_DEVICE_HOST_H
#define COALESCED_KERNELS_DEVICE_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The value of the line that begins with `key`, from a "key : value" file; empty when it is not there. */
void host_read_line(const char *path, const char *key, char *value, size_t size);

/* What this process may use: the machine's memory, or its control group's limit when that is less. */
uint64_t host_memory_bytes(void);

/* Are so many bytes available now? Asked before they are taken: beyond that the kernel does not refuse memory, it ends
   processes. 0; or -1: ERROR_OUT_OF_MEMORY. */
int host_memory_check(uint64_t bytes, struct error *error);

#ifdef __cplusplus
}
#endif

#endif
