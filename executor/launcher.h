/* The sandbox's work on PTX: a source kernel is executed, and its accesses are counted or its outputs are answered. */
#pragma once

#include "executor/sandbox.h"

/* A kind of work of the sandbox: what api/launch_request.h writes in, what source_count_pack() writes out. */
void launcher_kind(struct sandbox_kind *kind);

/* Another: what api/run_request.h writes in, and out. */
void launcher_run_kind(struct sandbox_kind *kind);
