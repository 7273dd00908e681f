/* Which compiler there is, and one request with it. */
#include "executor/compiler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/compiler_assembly.h"

enum { COMPILERS = 2 };
static struct compiler *const compilers[COMPILERS] = {&compiler_nvrtc, &compiler_clang};

static const struct wall_limits limits = {
    .memory_bytes = UINT64_C(512) << 20,
    .processor_s = 5,
};
static const double wall_s = 20; /* on a machine that does other things besides */

const struct compiler *compiler_open(const char *option, const struct wall_parts *parts, struct error *error)
{
    char reasons[256] = "";
    size_t used = 0;
    if (!parts->seccomp)
        return error_set(error, ERROR_UNAVAILABLE, "the kernel has no filter of system calls (seccomp)"),
               NULL;
    for (int i = 0; i < COMPILERS; i++) {
        struct error why = {0};
        if (option && strcmp(option, compilers[i]->option) != 0)
            continue;
        if (compilers[i]->begin && !parts->landlock)
            error_set(&why, ERROR_UNAVAILABLE, "%s needs Landlock, which the kernel has not",
                      compilers[i]->option);
        else if (compilers[i]->open(compilers[i], &why) == 0)
            return compilers[i];
        if (used < sizeof reasons)
            used +=
                (size_t)snprintf(reasons + used, sizeof reasons - used, "%s%s", used ? "; " : "", why.text);
    }
    error_set(error, ERROR_UNAVAILABLE, "%s", used ? reasons : "no compiler has this name");
    return NULL;
}

int compiler_architecture(const struct compiler *compiler, int asked)
{
    for (int i = 0; i < compiler->architecture_count; i++)
        if (compiler->architectures[i] >= asked)
            return compiler->architectures[i];
    return compiler->architecture_count ? compiler->architectures[compiler->architecture_count - 1] : 0;
}

/* ---- the kind of work ---- */

static int begin(void *context, const char *bytes, size_t size, struct error *error)
{
    const struct compiler *compiler = context;
    struct compilation_request request;
    if (!compiler->begin)
        return 0;
    if (compilation_read_request(&request, bytes, size, error) < 0)
        return -1;
    request.architecture = compiler_architecture(compiler, request.architecture);
    int status = compiler->begin(compiler, &request, error);
    compilation_request_free(&request);
    return status;
}

/* What the compiler made may only go on without directives that a user wrote. */
static void check(struct compilation *result)
{
    struct compiler_directive found;
    if (!result->ptx || !compiler_assembly_find(result->ptx, &found))
        return;
    result->ok = false;
    result->fault_count = 0;
    compilation_add_fault(result, found.line, found.column,
                          "inline assembly has the directive %s; only .reg is allowed", found.name);
}

static int work(void *context, const char *bytes, size_t size, struct buffer *answer, struct error *error)
{
    const struct compiler *compiler = context;
    struct compilation_request request;
    if (compilation_read_request(&request, bytes, size, error) < 0)
        return -1;
    struct compilation *result = calloc(1, sizeof *result);
    int status = result ? 0 : error_set(error, ERROR_MEMORY, "no memory for a compilation");
    if (status == 0) {
        snprintf(result->compiler, sizeof result->compiler, "%s", compiler->name);
        result->architecture = compiler_architecture(compiler, request.architecture);
        status = compiler->compile(compiler, &request, result, error);
    }
    if (status == 0) {
        check(result);
        if (!result->ok && !result->fault_count)
            compilation_add_fault(result, 0, 0, "the compiler refuses this source and does not say why");
        result->parameters.count = -1;
        if (result->ok)
            source_parameters_read(&result->parameters,
                                   &(struct source_code){.symbol = result->entry,
                                                         .ptx = result->ptx,
                                                         .ptx_bytes = result->ptx_bytes});
        *answer = compilation_write(result);
        compilation_free(result);
    }
    free(result);
    compilation_request_free(&request);
    return status;
}

void compiler_kind(const struct compiler *compiler, struct sandbox_kind *kind)
{
    *kind = (struct sandbox_kind){
        .name = COMPILATION_KIND,
        .subject = "the compiler",
        .limits = limits,
        .wall_s = wall_s,
        .context = (void *)compiler,
        .begin = begin,
        .work = work,
    };
}
