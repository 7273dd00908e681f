/* A kernel that a user brings as CUDA source: what it is called, what its arguments are, what its buffers hold. Nothing here
   compiles or runs it.

   It is made once, of a struct source_draft, and does not change then: any thread may use it. It contains a struct kernel,
   which experiments, sweeps and answers use as they use one of the suite. Its buffers are the pointers among its arguments;
   its parameters are the scalars, a component of a vector and a field of a struct by value each ("p.x"), but for those whose
   value is the experiment's size. */
#pragma once

#include "base/error.h"
#include "kernels/experiment.h"
#include "kernels/source/source_draft.h"
#include "kernels/source/source_layout.h"
#include "kernels/source/source_param.h"

__BEGIN_DECLS

struct source_kernel {
    struct kernel kernel; /* first: its functions find the rest by domain->kernel */
    struct source_draft draft;
    struct source_layout layout;
    int slot_of_buffer[KERNEL_BUFFERS];
    char param_name[KERNEL_PARAMS][SOURCE_PARAM_NAME_BYTES];
    char elements_pointer[KERNEL_BUFFERS][40]; /* of a request's member: "#/arguments/2/elements" */
    struct source_expression *elements[KERNEL_BUFFERS], *threads[3]; /* threads: NULL where not told */
    bool stored;     /* its definition lies where its name finds it: a request need not have it */
    char name[20];   /* "src-" and twelve hexadecimal digits of `sha256` */
    char sha256[65]; /* of what source_draft_json() writes */
};

enum { SOURCE_DEFINITIONS = 2 /* of an experiment: its kernel and a reference */ };

/* A kernel that an experiment uses, as it is stored with it. Texts are borrowed. */
struct source_definition {
    const char *name, *entry, *definition; /* definition: JSON, as source_draft_json() writes it */
};

/* Takes over what the draft owns, which is then {0}, also after a failure. NULL: *problems says what is wrong, by the
   members of a request ("#/arguments/2/elements"), or nothing where there was no memory (*error). The caller frees it when
   nothing uses it any more. */
struct source_kernel *source_kernel_new(struct source_draft *draft, struct problems *problems,
                                        struct error *error);
void source_kernel_free(struct source_kernel *kernel);

/* True: the name has the form of a source kernel's, which no kernel of the suite has. */
bool source_kernel_is_name(const char *name);

/* The source kernel that contains it; NULL: it is none. */
const struct source_kernel *source_kernel_of(const struct kernel *kernel);

/* What a sentence calls the kernel: a source kernel's function, else the name. */
const char *source_kernel_spoken(const struct kernel *kernel);

__END_DECLS
