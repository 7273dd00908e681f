/* JSON <-> struct experiment. */
#ifndef COALESCED_API_EXPERIMENT_JSON_H
#define COALESCED_API_EXPERIMENT_JSON_H

#include <jansson.h>

#include "api/json_parts.h"
#include "api/suggest.h"
#include "base/error.h"
#include "kernels/experiment.h"

/* Reads a request object: every field's type and name, not yet its value against the kernel and the device
   (that is experiment_check()). Fields that are not there take the kernel's defaults. Returns 0, or -1
   with every wrong field in *problems, up to the bound of problems_full(); the wrong ones then hold the
   defaults too, and `kernel` is NULL when there is none of that name. */
int experiment_json_read(struct experiment *experiment, const json_t *request, struct problems *problems);

/* Has an experiment with that kernel a field of that name? */
bool experiment_json_takes(const struct kernel *kernel, const char *name);

/* How a sentence goes on that says that there is no kernel of that name, as suggest_text(). */
const char *experiment_json_suggest_kernel(struct suggestion *meant, const char *name);

/* Says that there is no kernel of that name, and which one may have been meant. */
void experiment_json_no_kernel(struct problems *problems, const char *pointer, const char *name);

/* The same from the text of a request that was checked before: 0, or -1 (ERROR_INVALID) with its first fault.
   The device's facts are checked against too. */
int experiment_json_read_text(struct experiment *experiment, const char *text,
                              const struct device_facts *facts, struct error *error);

/* The request with every default filled in, without labels: what experiment_text_write() writes, read
   again. New reference; NULL: no memory. */
json_t *experiment_json_tree(const struct experiment *experiment);

#endif
