/* The parameters of a function and the variables in constant memory as the compiler made them, and whether a kernel's
   arguments and constants are these. */
#pragma once

#include "kernels/problems.h"
#include "kernels/source/source_kernel.h"
#include "kernels/source/source_launch.h"

__BEGIN_DECLS

enum { SOURCE_PARAMETERS = 64 };

/* One of them: a struct by value is one. */
struct source_parameters {
    int count; /* -1: not known */
    struct source_code_parameter {
        unsigned offset, bytes; /* within the parameters of a launch */
        bool real;              /* a floating-point number; else an integer, a pointer, or bytes */
    } at[SOURCE_PARAMETERS];
    int constant_count;
    struct source_code_constant {
        char name[SOURCE_NAME_BYTES];
        uint64_t bytes;
    } constant[SOURCE_CONSTANTS]; /* the first ones; the compiler leaves out what no function uses */
};

/* Reads them from the PTX, which may be any text. Where it cannot be read, or has more, they are not known. */
void source_parameters_read(struct source_parameters *parameters, const struct source_code *code);

/* Compares the declared arguments of a kernel with the parameters of its compiled function. A difference in number, size,
   position or kind becomes a problem at "#/arguments", a constant with more values than its variable holds one at
   "#/constants". */
void source_parameters_check(const struct source_parameters *parameters, const struct source_kernel *kernel,
                             struct problems *problems);

__END_DECLS
