/* JSON <-> struct experiment. */
#ifndef COALESCED_API_EXPERIMENT_JSON_H
#define COALESCED_API_EXPERIMENT_JSON_H

#include <jansson.h>

#include "kernels/experiment.h"

/* Reads a request object: every field's type and name, not yet its value against the kernel and the device
   (that is experiment_check()). Fields that are not there take the kernel's defaults. Returns 0, or -1 with
   every wrong field in *problems. */
int experiment_from_json(struct experiment *experiment, const json_t *request, struct problems *problems);

/* The request with every default filled in, labels of `request` (may be NULL) carried over. New reference;
   NULL: no memory. */
json_t *experiment_to_json(const struct experiment *experiment, const json_t *request);

/* "read_offset" -> its description: text, parameters, buffers, ledger at the default, source when asked for.
 */
json_t *kernel_to_json(const struct kernel *kernel, bool with_source);

#endif
