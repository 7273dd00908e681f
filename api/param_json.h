/* JSON -> the value of a kernel's parameter; kernel_json_param() writes it. */
#pragma once

#include <jansson.h>

#include "kernels/kernel_param.h"

/* Reads the member of a request at `pointer`. Adds what is wrong to *problems, and *to then stays. Whether the value
   is in the parameter's range is kernel_param_check()'s. */
void param_json_read(int64_t *to, const struct kernel_param *param, const json_t *value, const char *pointer,
                     struct problems *problems);
