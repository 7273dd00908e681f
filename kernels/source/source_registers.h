/* The registers of a source kernel, from the machine code that the compiler made of it. */
#pragma once

#include <stddef.h>
#include <sys/cdefs.h>

__BEGIN_DECLS

/* A thread's; -1: there is no machine code (cubin NULL), or it cannot be read. `symbol`: of the entry, as PTX has it. */
int source_registers(const void *cubin, size_t bytes, const char *symbol);

__END_DECLS
