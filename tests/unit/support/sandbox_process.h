/* A sandbox in a process of its own, and its client. */
#pragma once

#include <sys/types.h>

#include "api/sandbox_client.h"

struct sandbox_process {
    pid_t pid;
    struct sandbox_client *client;
};

/* Calls `run` in a new process whose standard input and output are the client's; its result is the exit status. Fails the
   test where no hello comes. */
void sandbox_process_start(struct sandbox_process *process, int (*run)(void *arg), void *arg);

/* Closes its input and waits for its end; returns wait()'s status. */
int sandbox_process_stop(struct sandbox_process *process);

/* Open descriptors of that process. */
int sandbox_process_descriptors(pid_t pid);

/* Waits until of its children only the one is there that waits for a request. Fails the test where that does not come. */
void sandbox_process_rest(pid_t pid);

/* Its private memory that was written, in KiB. */
long sandbox_process_memory(pid_t pid);
