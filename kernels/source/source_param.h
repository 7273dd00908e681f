/* The parameter of a kernel that a scalar argument is. */
#pragma once

#include "kernels/source/source_draft.h"

__BEGIN_DECLS

enum { SOURCE_PARAM_NAME_BYTES = SOURCE_NAME_BYTES + 2 };

/* Describes component `component` of the argument; its name, "v.x" of a vector, is written to `name` and belongs to the
   caller. */
void source_param_make(struct kernel_param *param, const struct source_argument *argument, unsigned component,
                       char name[SOURCE_PARAM_NAME_BYTES]);

__END_DECLS
