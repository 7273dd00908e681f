/* What the server reads of a result that an executor sent. */
#ifndef COALESCED_API_RESULT_READ_H
#define COALESCED_API_RESULT_READ_H

#include <jansson.h>
#include <stdbool.h>

#include "kernels/stability.h"

/* True: the name is that of a member that result_json_write() may write. */
bool result_read_has_member(const char *name);

/* Reads its `stability`. A member that is missing, or has another form, is not known: another program
   wrote it. */
void result_read_stability(struct stability_summary *summary, const json_t *stability);

#endif
