/* Reading those members of an experiment's request that are objects or lists of their own. */
#ifndef COALESCED_API_EXPERIMENT_MEMBERS_H
#define COALESCED_API_EXPERIMENT_MEMBERS_H

#include <jansson.h>

#include "kernels/experiment.h"

/* Each adds what is wrong to *problems. */

/* "measure": how it is measured. Members that are not there stay as they are. */
void experiment_members_measure(struct measure *measure, const json_t *value, struct problems *problems);

/* "counters": true, false or a list of names. *wanted stays as it is where something is wrong. */
void experiment_members_counters(struct counters_wanted *wanted, const json_t *value,
                                 struct problems *problems);

/* "labels": names and texts that the service keeps and never reads; only checked. */
void experiment_members_labels(const json_t *labels, struct problems *problems);

/* "debug": returns the kernel itself, or where the member is true its build for a debugger, which is a
   kernel of its own. NULL: the request has no such member. Where the member is wrong the kernel itself is
   returned. */
const struct kernel *experiment_members_debug(const struct kernel *kernel, const json_t *debug,
                                              struct problems *problems);

/* Replaces the kernel of a request with "debug": true by the debug build's name, and removes the member. A
   request without it, or that is wrong in another way, stays as it is. */
void experiment_members_resolve_debug(json_t *request);

#endif
