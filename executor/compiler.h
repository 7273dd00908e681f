/* CUDA source to PTX, inside the sandbox. There are two compilers: NVRTC of the CUDA toolkit, opened at run time, and
   clang of the distribution, executed (compiler_nvrtc.c, compiler_clang.c). */
#pragma once

#include <stdbool.h>

#include "api/compilation.h"
#include "api/sandbox_protocol.h"
#include "base/error.h"
#include "executor/sandbox.h"

struct compiler {
    const char *option;                                           /* "nvrtc": as --compiler says it */
    char name[64];                                                /* "NVRTC 13.0" */
    int architectures[SANDBOX_ARCHITECTURES], architecture_count; /* ascending; 90 is sm_90 */

    /* Loads what requests need, and compiles once. 0; -1: ERROR_UNAVAILABLE: it is not there, or does not work. Once in
       the life of the process. */
    int (*open)(struct compiler *compiler, struct error *error);

    /* (optional) As begin of struct sandbox_kind. */
    int (*begin)(const struct compiler *compiler, const struct compilation_request *request,
                 struct error *error);

    /* Fills in ok, ptx, cubin (where it has an assembler), log, entry and faults, for result->architecture; in the
       sealed process. 0; -1: ERROR_MEMORY, ERROR_SYSTEM. */
    int (*compile)(const struct compiler *compiler, const struct compilation_request *request,
                   struct compilation *result, struct error *error);
};

/* The first that there is, of all or of that name. NULL: ERROR_UNAVAILABLE says why, of each. */
const struct compiler *compiler_open(const char *option, const struct wall_parts *parts, struct error *error);

/* The architecture that is made where `asked` is wanted: the same; else the next newer one; else the newest. */
int compiler_architecture(const struct compiler *compiler, int asked);

/* A kind of work of the sandbox: a struct compilation_request in, a struct compilation out. */
void compiler_kind(const struct compiler *compiler, struct sandbox_kind *kind);

/* The two there are. */
extern struct compiler compiler_nvrtc, compiler_clang;
