/* The arguments of a kernel, from the parameters of its function. */
#pragma once

#include "kernels/problems.h"
#include "kernels/source/source_signature.h"

__BEGIN_DECLS

/* Makes the draft's arguments of the parameters: a pointer to const is an input, another one an output where it is only
   written and else an output that begins with the generator's values; an integer named n, size, count or length is the experiment's
   size, which is then the number of every buffer's elements; other scalars are 0 unless a request says more. What
   cannot be derived is asked for in *problems, by name, at "#/arguments". -1: something is. */
int source_derive_arguments(const struct source_signature *signature, struct source_draft *draft,
                            struct problems *problems);

__END_DECLS
