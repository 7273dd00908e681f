/* clang of the distribution. It is a program: the sealed child (executor/sandbox.c) starts it before its own seal, behind a
   wall that lets it open its own libraries and nothing else. The source comes from memory, and what clang prints goes into
   memory. Without a toolkit's headers, executor/clang_device.cuh stands before the user's source. */
#include "executor/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor/compiler_headers.h"
#include "executor/compiler_log.h"

extern const char compiler_clang_header[],
    compiler_clang_math[]; /* executor/clang_device.cuh, clang_math.cuh */

enum { LIBRARIES = 60, TEXT_BYTES = 16 << 20 };

/* What is found once, by the parent. */
static struct clang_program {
    char path[PATH_MAX];
    const char *libraries[LIBRARIES + 4]; /* and the loader's files; what clang may open; ended by NULL */
} clang;

/* One compilation: files in memory, and the process. */
static struct clang_run {
    int source, assembly, log; /* descriptors */
    pid_t pid;
} run;

/* Of address space: its libraries alone take more than half of this. */
static const struct wall_limits program_limits = {
    .memory_bytes = UINT64_C(1024) << 20,
    .processor_s = 5,
    .file_bytes = TEXT_BYTES,
};

/* ---- what is found once ---- */

/* Runs clang unsealed, with nothing of a user's; NULL: it cannot be run. To be closed with pclose(). */
static FILE *ask_clang(const char *before, const char *arguments)
{
    char command[PATH_MAX + 256];
    snprintf(command, sizeof command, "%s '%s' %s 2>&1 </dev/null", before, clang.path, arguments);
    return popen(command, "re");
}

static int find_program(struct error *error)
{
    char name[64];
    if (realpath("/usr/bin/clang", clang.path) && access(clang.path, X_OK) == 0)
        return 0;
    for (int version = 29; version >= 14; version--) {
        snprintf(name, sizeof name, "/usr/bin/clang-%d", version);
        if (realpath(name, clang.path) && access(clang.path, X_OK) == 0)
            return 0;
    }
    return error_set(error, ERROR_UNAVAILABLE, "there is no clang (install the distribution's package)");
}

/* "Debian clang version 14.0.6", then architectures, a line each. */
static int read_architectures(struct compiler *compiler, struct error *error)
{
    char line[256], version[32];
    int architecture;
    FILE *answer = ask_clang("", "--target=nvptx64-nvidia-cuda --print-supported-cpus");
    while (answer && fgets(line, sizeof line, answer)) {
        const char *found = strstr(line, "clang version ");
        if (found && sscanf(found, "clang version %31[0-9.]", version) == 1)
            snprintf(compiler->name, sizeof compiler->name, "clang %s", version);
        if (sscanf(line, " sm_%d", &architecture) == 1 &&
            compiler->architecture_count < SANDBOX_ARCHITECTURES &&
            (!compiler->architecture_count ||
             architecture > compiler->architectures[compiler->architecture_count - 1]))
            compiler->architectures[compiler->architecture_count++] = architecture;
    }
    bool works = answer && pclose(answer) == 0 && compiler->name[0] && compiler->architecture_count;
    return works ? 0 : error_set(error, ERROR_UNAVAILABLE, "%s does not compile for NVIDIA GPUs", clang.path);
}

/* As ldd does it: the loader prints "libz.so.1 => /lib/libz.so.1 (0x...)" and runs nothing. */
static int read_libraries(struct error *error)
{
    char line[PATH_MAX + 256], path[PATH_MAX];
    int count = 0;
    clang.libraries[count++] = clang.path;
    clang.libraries[count++] = "/etc/ld.so.cache";
    FILE *answer = ask_clang("LD_TRACE_LOADED_OBJECTS=1", "");
    while (answer && fgets(line, sizeof line, answer) && count < LIBRARIES) {
        const char *begin = strchr(line, '/');
        if (begin && sscanf(begin, "%4095[^ ]", path) == 1)
            clang.libraries[count++] = strdup(path);
    }
    bool works = answer && pclose(answer) == 0 && count > 2 && count < LIBRARIES;
    return works ? 0 : error_set(error, ERROR_UNAVAILABLE, "the libraries of %s cannot be found", clang.path);
}

static int open_clang(struct compiler *compiler, struct error *error)
{
    return find_program(error) < 0 || read_architectures(compiler, error) < 0 || read_libraries(error) < 0
               ? -1
               : 0;
}

/* ---- before the seal: the program ---- */

/* The first version of PTX that knows the architecture, and the oldest that is of use here: shuffles need 6.0. */
static int ptx_version(int architecture)
{
    static const struct {
        int architecture, version;
    } rows[] = {{86, 71}, {87, 74}, {90, 78}, {101, 86}, {121, 88}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (architecture <= rows[i].architecture)
            return rows[i].version;
    return 88;
}

/* Above 2: the program's own descriptors are put there. */
static int memory_file(void)
{
    int low = memfd_create("compilation", 0), file = low < 0 ? -1 : fcntl(low, F_DUPFD, 3);
    if (low >= 0)
        close(low);
    return file;
}

/* The header, the source, and what instantiates an entry and names its symbol. */
static int write_source(int file, const struct compilation_request *request)
{
    FILE *out = fdopen(dup(file), "w");
    if (!out)
        return -1;
    compiler_headers_blank(request->source);
    fprintf(out, "%s%s\n# 1 \"" COMPILATION_SOURCE_NAME "\"\n%s\n", compiler_clang_header,
            compiler_clang_math, request->source);
    if (request->entry[0])
        fprintf(out, "# 1 \"" COMPILATION_ENTRY_NAME "\"\n__device__ auto coalesced_entry = &%s;\n",
                request->entry);
    return fclose(out) == 0 && lseek(file, 0, SEEK_SET) == 0 ? 0 : -1;
}

/* In the new process. Does not return. */
static void execute(int architecture, struct error *error)
{
    char cpu[16], feature[16];
    snprintf(cpu, sizeof cpu, "sm_%d", architecture);
    snprintf(feature, sizeof feature, "+ptx%d", ptx_version(architecture));
    const char *const arguments[] = {
        "clang",
        "-cc1",
        "-triple",
        "nvptx64-nvidia-cuda",
        "-aux-triple",
        "x86_64-unknown-linux-gnu",
        "-target-cpu",
        cpu,
        "-target-feature",
        feature,
        "-fcuda-is-device",
        "-fcuda-allow-variadic-functions",
        "-x",
        "cuda",
        "-std=c++17",
        "-fdeclspec",
        "-fno-rtti",
        "-fno-threadsafe-statics",
        "-O3",
        "-debug-info-kind=line-directives-only",
        "-main-file-name",
        COMPILATION_SOURCE_NAME,
        "-nostdsysteminc",
        "-nobuiltininc",
        "-ferror-limit",
        "20",
        "-fno-caret-diagnostics",
        "-S",
        "-o",
        "-",
        "-",
        NULL,
    };
    char *const environment[] = {NULL};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(run.source, 0) < 0 || dup2(run.assembly, 1) < 0 || dup2(run.log, 2) < 0)
        _exit(1);
    closefrom(3);
    if (wall_limit(&program_limits, error) == 0 && wall_seal_program(clang.libraries, error) == 0)
        execve(clang.path, (char *const *)arguments, environment);
    _exit(1);
}

/* Descriptor 0 is the answer's, and stays out of the program. */
static int begin(const struct compiler *compiler, const struct compilation_request *request,
                 struct error *error)
{
    (void)compiler;
    run = (struct clang_run){memory_file(), memory_file(), memory_file(), -1};
    if (run.source < 0 || run.assembly < 0 || run.log < 0 || write_source(run.source, request) < 0)
        return error_set_errno(error, errno, "no memory for a compilation's files");
    run.pid = fork();
    if (run.pid == 0)
        execute(request->architecture, error);
    return run.pid > 0 ? 0 : error_set_errno(error, errno, "clang cannot be started");
}

/* ---- behind the seal: what it made ---- */

/* To be freed; NULL: no memory. */
static char *read_file(int file, size_t *bytes)
{
    off_t size = lseek(file, 0, SEEK_END);
    size_t done = 0;
    char *text = size < 0 || size > TEXT_BYTES ? NULL : malloc((size_t)size + 1);
    if (!text || lseek(file, 0, SEEK_SET) < 0) {
        free(text);
        return NULL;
    }
    for (ssize_t count; (count = read(file, text + done, (size_t)size - done)) > 0;)
        done += (size_t)count;
    text[done] = '\0';
    *bytes = done;
    return text;
}

/* The line that names the symbol goes: it is no variable of the user's. */
static void take_entry(struct compilation *result)
{
    static const char name[] = " coalesced_entry = ";
    char *found = result->ptx ? strstr(result->ptx, name) : NULL;
    if (!found)
        return;
    const char *symbol = found + strlen(name);
    snprintf(result->entry, sizeof result->entry, "%.*s", (int)strcspn(symbol, ";\n"), symbol);
    while (found > result->ptx && found[-1] != '\n')
        found--;
    memset(found, ' ', strcspn(found, "\n"));
}

/* It ends as the program did, so that the parent says so of the compiler. */
static int end_as_program(int status, const char *log, struct error *error)
{
    if (strstr(log, "out of memory") || strstr(log, "bad_alloc"))
        return error_set(error, ERROR_MEMORY, "clang has no memory");
    if (WTERMSIG(status) == SIGSYS)
        return error_set(error, ERROR_INVALID,
                         "the compiler was stopped: it tried what a sealed process may not do");
    if (WTERMSIG(status) == SIGXFSZ)
        return error_set(error, ERROR_INVALID, "the compiler made more than %d MB", TEXT_BYTES >> 20);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return error_set(error, ERROR_INVALID, "the compiler was killed (%s)", strsignal(WTERMSIG(status)));
}

static int compile(const struct compiler *compiler, const struct compilation_request *request,
                   struct compilation *result, struct error *error)
{
    int status = 0;
    size_t bytes = 0;
    (void)compiler;
    if (wait4(run.pid, &status, 0, NULL) != run.pid)
        return error_set_errno(error, errno, "clang is gone");
    result->log = read_file(run.log, &bytes);
    if (!result->log)
        return error_set(error, ERROR_MEMORY, "no memory for what clang says");
    if (WIFSIGNALED(status))
        return end_as_program(status, result->log, error);
    result->ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (result->ok) {
        result->ptx = read_file(run.assembly, &result->ptx_bytes);
        if (!result->ptx)
            return error_set(error, ERROR_MEMORY, "no memory for what clang made");
        if (request->entry[0])
            take_entry(result);
    } else
        compiler_log_read_clang(result->log, result);
    return 0;
}

struct compiler compiler_clang = {.option = "clang", .open = open_clang, .begin = begin, .compile = compile};
