/* Whether a launch is possible. */
#pragma once

#include "ptx/launch.h"

/* 0; -1: the outcome has a fault that says why not. */
int grid_check(const struct ptx_launch *launch, struct ptx_outcome *outcome);

/* The outcome of a launch of which nothing is executed. Always -1. */
int grid_refuse(struct ptx_outcome *outcome, enum ptx_fault_kind kind, const char *text);
