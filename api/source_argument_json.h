/* JSON -> the arguments of a source kernel. */
#pragma once

#include <jansson.h>

#include "kernels/problems.h"
#include "kernels/source/source_signature.h"

/* Reads the list "arguments" into the draft. `signature`: what the source says of the function; its parameters are not known
   where parameter_count is 0 and `known` false. Adds what is wrong to *problems. */
void source_argument_json_read(struct source_draft *draft, const json_t *arguments,
                               const struct source_signature *signature, bool known,
                               struct problems *problems);

/* A number or a text of an expression, of at most SOURCE_EXPRESSION_BYTES. False: it is neither, which *problems says. */
bool source_argument_json_expression(const json_t *value, const char *pointer,
                                     char text[SOURCE_EXPRESSION_BYTES + 1], struct problems *problems);

/* A list of 1 to SOURCE_FILL_VALUES_MAX numbers; *values belongs to the caller. False: it is none, or there was no memory
   (*values is NULL then, and *problems says it). */
bool source_argument_json_values(const json_t *list, const char *pointer, struct source_number **values,
                                 size_t *count, struct problems *problems);

/* A type by its name in a request or in CUDA C++. False: it is none, which *problems says. */
bool source_argument_json_type(const json_t *value, const char *pointer, struct source_type *type,
                               struct problems *problems);
