/* JSON -> a kernel that a request brings along: its members "source", "entry", "arguments", "constants" and "threads". The
   values of its scalar arguments are members of the request, which experiment_json_read_of() reads. */
#pragma once

#include <jansson.h>

#include "api/compilation.h"
#include "kernels/source/source_kernel.h"

/* True: the request brings a kernel along. */
bool source_json_is_there(const json_t *request);

/* Reads those members, and removes them from the request. "kernel" may be there with the name that the content has. Arguments that are left out are derived from the function's
   parameters. NULL: *problems has every wrong member, up to the bound of problems_full(), or *error says that there was
   no memory. The caller frees the kernel (source_kernel_free()) when no experiment borrows it any more. */
struct source_kernel *source_json_take(json_t *request, struct problems *problems, struct error *error);

/* The same of a definition: an object with those members, and "shared_bytes", the default of requests. Any other member is a
   problem. The object loses its members. */
struct source_kernel *source_json_define(json_t *definition, struct problems *problems, struct error *error);

/* The same of the text of a definition that was checked before, as source_draft_json() writes it. NULL: ERROR_INVALID with
   its first fault, ERROR_MEMORY. */
struct source_kernel *source_json_read_text(const char *text, struct error *error);

/* Adds what the compiler found wrong, at "#/source", or at "#/entry" where it knows no function of that name. */
void source_json_add_faults(const struct source_kernel *kernel, const struct compilation *compilation,
                            struct problems *problems);

/* Adds each scalar argument that must have a value and has no member in the request. */
void source_json_require(const struct source_kernel *kernel, const json_t *request,
                         struct problems *problems);
