/* The executor's answer to a count: the counters of the experiment that runs next, and of those after it that
   can share its passes. */
#ifndef COALESCED_EXECUTOR_COUNT_ANSWER_H
#define COALESCED_EXECUTOR_COUNT_ANSWER_H

#include "api/protocol.h"
#include "kernels/measure/runner.h"

/* Counts what `message` asks for. 0 with the answer in *frame, to be freed; or -1 with *error: the device's
   error of a launch, or ERROR_MEMORY. */
int count_answer_make(struct runner *runner, const struct message *message, const struct device_facts *facts,
                      struct buffer *frame, struct error *error);

#endif
