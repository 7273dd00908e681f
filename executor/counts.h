/* The answer of an executor to a count: the experiment that runs next, and along with it those after it that may share its
   passes. */
#ifndef COALESCED_EXECUTOR_COUNTS_H
#define COALESCED_EXECUTOR_COUNTS_H

#include "api/protocol.h"
#include "kernels/measure/runner.h"

/* Counts what `message` asks for. 0 with the answer in *frame, to be freed; or -1 with *error: what the device said of a
   launch, or ERROR_MEMORY. */
int counts_answer(struct runner *runner, const struct message *message, const struct device_facts *facts,
                  struct buffer *frame, struct error *error);

#endif
