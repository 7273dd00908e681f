/* The wall around work on what users sent: what a process gives up before it begins. docs/source.md says what is
   closed and why. The calls are made in this order, by the only thread of a forked process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Exit statuses of a sealed process that stopped by itself. */
enum {
    WALL_OUT_OF_MEMORY = 100, /* it could have no more */
    WALL_OUT_OF_STACK = 101,  /* it called itself too deeply */
    WALL_FORBIDDEN = 102,     /* and what follows: it tried what wall_forbidden() names */
};

struct wall_limits {
    uint64_t memory_bytes; /* of address space, beyond what is mapped already */
    unsigned processor_s;  /* of processor time; SIGXCPU ends it */
    uint64_t file_bytes;   /* that a file may have which it writes; a pipe is none */
};

/* What this machine's kernel has. */
struct wall_parts {
    bool seccomp;
    int landlock; /* the version of its interface; 0: none */
};

void wall_parts_read(struct wall_parts *parts);

/* (optional) In the parent, before it forks: makes what wall_seal() and wall_seal_program() need, once for all children. */
void wall_prepare(void);

/* Closes every descriptor but `keep`, which becomes descriptor 0. The rest stay closed: nothing that prints can
   reach the answer. Returns 0 or -1. */
int wall_close_files(int keep, struct error *error);

/* No core dump, no signals of its parent's making, death with the parent, the limits. 0 or -1. */
int wall_limit(const struct wall_limits *limits, struct error *error);

/* Forbids all but memory, reading and writing of open descriptors, and waiting for children: no file can be
   opened, nothing started, nothing signalled, no connection made, and no memory made executable. An attempt to open
   a file fails (EACCES), because compilers look for includes; the others end the process with WALL_FORBIDDEN.
   Without seccomp: ERROR_UNAVAILABLE. Without Landlock, seccomp alone does it. */
int wall_seal(struct error *error);

/* For a process that is about to execute a program: it may open and execute only the files at `paths` (ended by NULL),
   for reading, and may do what wall_seal() allows besides. An attempt at anything else ends it with SIGSYS. Needs
   both seccomp and Landlock: else ERROR_UNAVAILABLE. */
int wall_seal_program(const char *const *paths, struct error *error);

/* What an exit status from WALL_FORBIDDEN on says that was tried: "open a file"; NULL: it is none of these. */
const char *wall_forbidden(int status);
