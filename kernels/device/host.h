/* The host's memory: a CPU device's own memory, which a GPU maps and copies. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/cdefs.h>

#include "base/error.h"

__BEGIN_DECLS

/* The value of the line that begins with `key` in a "key : value" file; empty when there is none. */
void host_read_line(const char *path, const char *key, char *value, size_t size);

/* Bytes that this process may use: the machine's memory, or its control group's limit when that is less. */
uint64_t host_memory_bytes(void);

/* Checks that so many bytes are available now: beyond that Linux does not refuse an allocation, it kills
   processes. Returns 0, or -1: ERROR_OUT_OF_MEMORY. */
int host_memory_check(uint64_t bytes, struct error *error);

__END_DECLS
