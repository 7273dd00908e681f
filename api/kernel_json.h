/* What a kernel tells about itself. */
#ifndef COALESCED_API_KERNEL_JSON_H
#define COALESCED_API_KERNEL_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "kernels/kernel.h"

/* Text, parameters, buffers, defaults, the ledger at the defaults, and the source when asked for. New reference;
   NULL: no memory. */
json_t *kernel_to_json(const struct kernel *kernel, bool with_source);

#endif
