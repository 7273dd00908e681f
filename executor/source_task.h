/* Runs an experiment of a kernel that a user brings: its PTX is interpreted by a sandbox, a child process of the executor's. */
#pragma once

#include "api/protocol.h"

struct source_service;

/* Answers a run: *frame is the result's or the error's, of which *failure has the kind. begin(arg, timeout_s) is called before
   it is executed. *service is made when it is NULL, and stays for the next run. Blocks for the experiment's timeout_s and some
   seconds at most. False: the run is not about such a kernel, and nothing was done. */
bool source_task_answer(struct source_service **service, const struct message *run,
                        const struct device_facts *facts, void (*begin)(void *arg, double timeout_s),
                        void *arg, struct buffer *frame, struct error *failure);
