/* What the text of a source says of its __global__ functions: names and parameters, without a compiler. What cannot be read so
   (macros with arguments, types that are made elsewhere) is left open, with the reason. */
#pragma once

#include "base/error.h"
#include "kernels/source/source_declaration.h"

__BEGIN_DECLS

struct source_signature {
    char entry[SOURCE_ENTRY_BYTES]; /* as it was asked for, or the only function's name */
    unsigned line;                  /* of the function's name, from 1 */
    int parameter_count;
    struct source_parameter parameter[SOURCE_ARGUMENTS];
    char functions[200]; /* the names of all: "scale, add" */
    bool missing;        /* none of them is that of the entry that was asked for */
};

/* Reads the parameters of a __global__ function. `entry`: its name, of a template an instance ("scale<float, 4>"); empty: the
   only one. The source is NUL-terminated text of any content, of at most SOURCE_TEXT_BYTES. -1: ERROR_NOT_FOUND where there is
   no such function at all; ERROR_INVALID, a sentence about the entry (there is none, which ones there are) or why the list of parameters cannot be read; ERROR_MEMORY. */
int source_signature_read(struct source_signature *signature, const char *source, const char *entry,
                          struct error *error);

/* The type of the elements of a variable in constant memory, __constant__ float coefficients[5]. False: it is not there, or its
   type cannot be read. */
bool source_signature_constant(const char *source, const char *name, struct source_type *type);

__END_DECLS
