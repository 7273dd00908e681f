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

/* What a buffer is by its parameter: a pointer to const is an input, one that the function only writes an output, and
   any other is accumulated. */
enum buffer_role source_derive_role(const struct source_parameter *p);

__END_DECLS
