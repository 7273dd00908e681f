/* NVRTC, opened at run time. Its few functions are declared here, so that no header of the toolkit is needed. */
#include "executor/compiler.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "executor/compiler_headers.h"
#include "executor/compiler_log.h"

/* Of <nvrtc.h>. */
enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY = 1 };
typedef struct nvrtc_program *program_t;

static struct nvrtc_library {
    int (*version)(int *major, int *minor);
    int (*architecture_count)(int *count);
    int (*architectures)(int *list);
    int (*create)(program_t *program, const char *source, const char *name, int header_count,
                  const char *const *headers, const char *const *header_names);
    int (*destroy)(program_t *program);
    int (*compile)(program_t program, int option_count, const char *const *options);
    int (*ptx_size)(program_t program, size_t *bytes);
    int (*ptx)(program_t program, char *ptx);
    int (*cubin_size)(program_t program, size_t *bytes);
    int (*cubin)(program_t program, char *cubin);
    int (*log_size)(program_t program, size_t *bytes);
    int (*log)(program_t program, char *log);
    int (*add_name)(program_t program, const char *expression);
    int (*lowered_name)(program_t program, const char *expression, const char **lowered);
} nvrtc;

static struct compiler_headers headers;

static const struct {
    const char *name;
    void *place;
} functions[] = {
    {"nvrtcVersion", &nvrtc.version},
    {"nvrtcGetNumSupportedArchs", &nvrtc.architecture_count},
    {"nvrtcGetSupportedArchs", &nvrtc.architectures},
    {"nvrtcCreateProgram", &nvrtc.create},
    {"nvrtcDestroyProgram", &nvrtc.destroy},
    {"nvrtcCompileProgram", &nvrtc.compile},
    {"nvrtcGetPTXSize", &nvrtc.ptx_size},
    {"nvrtcGetPTX", &nvrtc.ptx},
    {"nvrtcGetCUBINSize", &nvrtc.cubin_size},
    {"nvrtcGetCUBIN", &nvrtc.cubin},
    {"nvrtcGetProgramLogSize", &nvrtc.log_size},
    {"nvrtcGetProgramLog", &nvrtc.log},
    {"nvrtcAddNameExpression", &nvrtc.add_name},
    {"nvrtcGetLoweredName", &nvrtc.lowered_name},
};

/* ---- the library ---- */

static void *open_library(void)
{
    static const char *const folders[] = {"", "/usr/local/cuda/lib64/"};
    static const char *const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t k = 0; k < sizeof folders / sizeof *folders; k++) {
            char path[128];
            snprintf(path, sizeof path, "%s%s", folders[k], names[i]);
            void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
            if (library)
                return library;
        }
    return NULL;
}

static int find_functions(void *library, struct error *error)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        void *function = dlsym(library, functions[i].name);
        if (!function)
            return error_set(error, ERROR_UNAVAILABLE, "this NVRTC has no %s", functions[i].name);
        memcpy(functions[i].place, &function, sizeof function);
    }
    return 0;
}

static int read_architectures(struct compiler *compiler, struct error *error)
{
    int count = 0, major = 0, minor = 0;
    nvrtc.version(&major, &minor);
    snprintf(compiler->name, sizeof compiler->name, "NVRTC %d.%d", major, minor);
    if (nvrtc.architecture_count(&count) != NVRTC_SUCCESS || count < 1 || count > SANDBOX_ARCHITECTURES ||
        nvrtc.architectures(compiler->architectures) != NVRTC_SUCCESS)
        return error_set(error, ERROR_UNAVAILABLE, "%s does not say for which architectures it compiles",
                         compiler->name);
    compiler->architecture_count = count;
    return 0;
}

/* The folder of headers beside the library: /usr/local/cuda/lib64/libnvrtc.so.13 has /usr/local/cuda/include. */
static void read_headers(void)
{
    Dl_info where;
    char path[4096];
    void *function;
    memcpy(&function, &nvrtc.version, sizeof function);
    if (dladdr(function, &where) && strlen(where.dli_fname) < sizeof path / 2) {
        strcpy(path, where.dli_fname);
        char *end = strrchr(path, '/');
        strcpy(end ? end : path, "/../include");
        compiler_headers_read(&headers, path);
    }
    if (headers.count == headers.own)
        compiler_headers_read(&headers, "/usr/local/cuda/include");
}

/* ---- a program ---- */

/* One of the texts that NVRTC has of a program; NULL: there is none, or no memory. */
static char *read_text(program_t program, int (*size)(program_t, size_t *), int (*text)(program_t, char *),
                       size_t *bytes)
{
    char *read = NULL;
    *bytes = 0;
    if (size(program, bytes) == NVRTC_SUCCESS && *bytes > 1 && (read = calloc(1, *bytes + 1)) &&
        text(program, read) == NVRTC_SUCCESS)
        return read;
    free(read);
    *bytes = 0;
    return NULL;
}

static int run_compiler(program_t program, int architecture)
{
    static const char pre_include[] = "--pre-include=" COMPILER_HEADERS_FIRST;
    char target[64];
    snprintf(target, sizeof target, "--gpu-architecture=sm_%d", architecture);
    const char *const options[] = {target, "-lineinfo", "--std=c++17", "-default-device", pre_include};
    return nvrtc.compile(program, sizeof options / sizeof *options, options);
}

static void take_results(program_t program, int status, const char *entry, struct compilation *result)
{
    const char *lowered = NULL;
    size_t bytes;
    char *log = read_text(program, nvrtc.log_size, nvrtc.log, &bytes);
    result->ptx = read_text(program, nvrtc.ptx_size, nvrtc.ptx, &result->ptx_bytes);
    if (result->ptx)
        result->ptx_bytes = strlen(result->ptx); /* NVRTC counts the NUL */
    if (status == NVRTC_SUCCESS)
        result->cubin = read_text(program, nvrtc.cubin_size, nvrtc.cubin, &result->cubin_bytes);
    if (entry[0] && nvrtc.lowered_name(program, entry, &lowered) == NVRTC_SUCCESS)
        snprintf(result->entry, sizeof result->entry, "%s", lowered);
    result->ok = status == NVRTC_SUCCESS && result->ptx;
    result->log = log;
    if (!result->ok && log)
        compiler_log_read_nvrtc(log, result);
}

static int compile(const struct compiler *compiler, const struct compilation_request *request,
                   struct compilation *result, struct error *error)
{
    program_t program = NULL;
    (void)compiler;
    bool includes = strstr(request->source, "include"); /* else three megabytes would be copied for nothing */
    int status = nvrtc.create(&program, request->source, COMPILATION_SOURCE_NAME,
                              includes ? headers.count : headers.own, (const char *const *)headers.texts,
                              (const char *const *)headers.names);
    if (status == NVRTC_SUCCESS && request->entry[0])
        status = nvrtc.add_name(program, request->entry);
    if (status == NVRTC_SUCCESS) {
        status = run_compiler(program, result->architecture);
        take_results(program, status, request->entry, result);
    }
    nvrtc.destroy(&program);
    return status == NVRTC_ERROR_OUT_OF_MEMORY ? error_set(error, ERROR_MEMORY, "the compiler has no memory")
                                               : 0;
}

/* A first compilation loads what the library leaves for later, among it a second library. */
static int warm_up(struct compiler *compiler, struct error *error)
{
    static char source[] =
        "template <class T> __global__ void warm(T *a) { a[threadIdx.x] += sinf(blockIdx.x); }";
    struct compilation_request request = {.source = source, .entry = "warm<float>", .architecture = 90};
    struct compilation result = {.architecture = compiler_architecture(compiler, request.architecture)};
    int status = compile(compiler, &request, &result, error);
    if (status == 0 && !result.ok)
        status = error_set(error, ERROR_UNAVAILABLE, "%s does not compile: %.200s", compiler->name,
                           result.log ? result.log : "it does not say why");
    compilation_free(&result);
    return status;
}

static int open_nvrtc(struct compiler *compiler, struct error *error)
{
    void *library = open_library();
    if (!library)
        return error_set(error, ERROR_UNAVAILABLE, "there is no NVRTC (libnvrtc.so of the CUDA toolkit)");
    if (find_functions(library, error) < 0 || read_architectures(compiler, error) < 0)
        return -1;
    compiler_headers_add_own(&headers);
    read_headers();
    return warm_up(compiler, error);
}

struct compiler compiler_nvrtc = {.option = "nvrtc", .open = open_nvrtc, .compile = compile};
