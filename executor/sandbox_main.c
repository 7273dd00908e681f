/* The sandbox's life: options, the compiler, hello, then requests. */
#include "executor/sandbox_main.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/sandbox_protocol.h"
#include "base/log.h"
#include "executor/compiler.h"
#include "executor/launcher.h"
#include "executor/process.h"
#include "executor/sandbox.h"

enum {
    CHILDREN = 4, /* one for each worker thread of the server; a client gets at most half of those */
    NICE = 3,     /* inherited by the children: the server itself comes first; more would starve them */
};

struct sandbox_options {
    const char *compiler;      /* NULL: the first there is */
    int children, processor_s; /* 0: that kind's own */
    bool launches, help;
};

static int help(void)
{
    puts("coalesced --sandbox: compiles or executes what users send, for a service, over its standard input "
         "and\n"
         "output\n\n"
         "usage: coalesced --sandbox [options]\n\n"
         "  --compiler nvrtc|clang\n"
         "        which compiler; by default NVRTC where it is found, else clang\n"
         "  --launches\n"
         "        executes what was compiled, and loads no compiler\n"
         "  --children N\n"
         "        how many requests are worked on at a time, 1 to 16; by default 4\n"
         "  --help");
    return EXECUTOR_OK;
}

static int read_options(struct sandbox_options *options, int argc, char **argv)
{
    static const struct option known[] = {{"sandbox", no_argument, NULL, 's'},
                                          {"compiler", required_argument, NULL, 'c'},
                                          {"children", required_argument, NULL, 'n'},
                                          {"processor-s", required_argument, NULL, 'p'},
                                          {"launches", no_argument, NULL, 'l'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    *options = (struct sandbox_options){.children = CHILDREN};
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'c')
            options->compiler = optarg;
        else if (option == 'n')
            options->children = atoi(optarg);
        else if (option == 'p')
            options->processor_s = atoi(optarg);
        else if (option == 'l')
            options->launches = true;
        else if (option == 'h')
            options->help = true;
        else if (option != 's')
            return -1;
    }
    if (optind < argc || options->children < 1 || options->children > SANDBOX_CHILDREN ||
        options->processor_s < 0 || options->processor_s > 600) {
        fprintf(stderr, "coalesced --sandbox: see --help\n");
        return -1;
    }
    return 0;
}

/* What a server's environment holds is nothing for a process that reads what users send. */
static void forget_environment(void)
{
    for (char **variable = environ; *variable; variable++)
        memset(*variable, 0, strlen(*variable));
    clearenv();
}

/* `compiler`: NULL where there is none; then *error says why, or nothing where none is needed. */
static void say_hello(struct sandbox_hello *hello, const struct compiler *compiler,
                      const struct wall_parts *parts, const struct error *error)
{
    *hello = (struct sandbox_hello){.seccomp = parts->seccomp, .landlock = parts->landlock};
    if (compiler) {
        snprintf(hello->compiler, sizeof hello->compiler, "%s", compiler->name);
        hello->architecture_count = compiler->architecture_count;
        memcpy(hello->architectures, compiler->architectures, sizeof hello->architectures);
        if (!parts->landlock)
            log_warning("sandbox: this kernel has no Landlock; sources are compiled behind seccomp alone");
    } else if (error->kind != ERROR_NONE) {
        snprintf(hello->reason, sizeof hello->reason, "%.*s", (int)sizeof hello->reason / 3, error->text);
        log_warning("sandbox: no source can be compiled: %s", error->text);
    }
}

/* Takes standard output over for answers: what a library prints goes to standard error. */
static int take_output(void)
{
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    return out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 ? -1 : out;
}

/* The kinds of work that it does; returns how many. Whoever compiles does not execute: a process that has loaded a compiler
   has so much memory that forking it costs more than most launches. */
static int list_kinds(struct sandbox_kind kinds[2], const struct sandbox_options *options,
                      const struct compiler *compiler)
{
    if (options->launches) {
        launcher_kind(&kinds[0]);
        launcher_run_kind(&kinds[1]);
        return 2;
    }
    if (!compiler)
        return 0;
    compiler_kind(compiler, &kinds[0]);
    if (options->processor_s)
        kinds[0].limits.processor_s = (unsigned)options->processor_s;
    return 1;
}

int sandbox_main(int argc, char **argv)
{
    struct sandbox_options options;
    struct sandbox_hello hello;
    struct wall_parts parts;
    struct sandbox_kind kinds[2] = {{0}};
    struct error error = {0};
    log_set_plain();
    if (read_options(&options, argc, argv) < 0)
        return EXECUTOR_USAGE;
    if (options.help)
        return help();
    process_start();
    setpriority(PRIO_PROCESS, 0, NICE);
    int out = take_output();
    /* Compilers write the path of the folder that they run in into what they make. */
    if (out < 0 || chdir("/") < 0)
        return EXECUTOR_FAILED;
    wall_parts_read(&parts);
    const struct compiler *compiler =
        options.launches ? NULL : compiler_open(options.compiler, &parts, &error);
    forget_environment();
    say_hello(&hello, compiler, &parts, &error);
    struct buffer frame = sandbox_protocol_write_hello(&hello);
    bool said = !frame.failed && write(out, frame.data, frame.size) == (ssize_t)frame.size;
    buffer_free(&frame);
    struct sandbox sandbox = {kinds, list_kinds(kinds, &options, compiler), options.children, STDIN_FILENO,
                              out};
    error_clear(&error);
    if (said && sandbox_serve(&sandbox, &error) == 0)
        return EXECUTOR_OK;
    log_error("%s", said ? error.text : "the sandbox cannot say hello");
    return EXECUTOR_FAILED;
}
