/* `debug` of a request: the kernel as it is compiled for a debugger, which is a kernel of its own. */
#ifndef COALESCED_API_DEBUG_JSON_H
#define COALESCED_API_DEBUG_JSON_H

#include <jansson.h>

#include "kernels/experiment.h"

/* The kernel that is wanted where this one is named: itself, or with `true` its debug build. `debug` is NULL where the
   request has none. Adds what is wrong with it, and returns the kernel itself then. */
const struct kernel *debug_from_json(const struct kernel *kernel, const json_t *debug,
                                     struct problems *problems);

/* Has a request that asks for a debug build ask for that kernel by its name instead. One that has none, or is wrong in another
   way, stays as it is. */
void debug_resolve(json_t *request);

#endif
