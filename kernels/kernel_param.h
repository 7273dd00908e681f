/* Values of a kernel's parameters: an int64_t each, whatever the type (enum param_type). */
#pragma once

#include "kernels/kernel.h"
#include "kernels/problems.h"

__BEGIN_DECLS

/* The number in a value of a PARAM_NUMBER, and the value that holds it. */
double kernel_param_number(int64_t value);
int64_t kernel_param_value(double number);

/* Adds what is wrong with a value, at `pointer`. `size`: the experiment's elements; NULL: not known. */
void kernel_param_check(const struct kernel_param *param, int64_t value, const uint64_t *size,
                        const char *pointer, struct problems *problems);

__END_DECLS
