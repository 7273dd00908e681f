/* What the time of a kernel depends on, read off its machine code: how docs/model.md says, "What the machine code
   tells". The suite's kernels were read once (scripts/machine_code); a user's is read when it comes. */
#pragma once

#include "kernels/time/machine_code.h"
#include "ptx/cubin.h"

/* Reads a kernel. -1: ERROR_INVALID with a sentence (a loop that spills registers, too many blocks), ERROR_MEMORY. */
int code_reader_read(struct code *code, const struct cubin_entry *entry, struct error *error);
