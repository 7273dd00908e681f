/* Starts a program as a child process. */
#pragma once

#include <sys/types.h>

/* Starts argv (searched in PATH, ended by NULL, without a shell) in a process group of its own, with default signals, none
   blocked, and `standard` as its only descriptors: its standard input, output and error. `environment`: ended by NULL.
   Any thread. 0, or an errno value. */
int spawn_start(pid_t *pid, const char *const *argv, char *const *environment, const int standard[3]);
