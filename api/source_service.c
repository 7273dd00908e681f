/* The sandbox's two processes, and the questions that they are asked. */
#include "api/source_service.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/experiment_json.h"
#include "api/launch_request.h"
#include "api/run_request.h"
#include "api/sandbox_client.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/spawn.h"

enum { CACHE_BYTES = 32 << 20 };
static const double hello_s = 20, launch_s = 4, restart_s = 1;

/* One sandbox process; freed when nobody asks it any more and it is not the service's any more. */
struct sandbox_process {
    pid_t pid;
    struct sandbox_client *client;
    int users;
};

/* A place for such a process: one compiles, one executes. */
struct sandbox_place {
    const char *const *command;
    pthread_mutex_t lock; /* guards what follows; held while a sandbox starts, as others wait for it then */
    struct sandbox_process *process;
    int64_t started_ns; /* when the last one was */
};

struct source_service {
    struct source_cache *cache;
    struct sandbox_place compiler, launcher;
};

static const char *const compiler_command[] = {"/proc/self/exe", "--sandbox", NULL};
static const char *const launcher_command[] = {"/proc/self/exe", "--sandbox", "--launches", NULL};

static void place_make(struct sandbox_place *place, const char *const *command)
{
    *place = (struct sandbox_place){.command = command};
    pthread_mutex_init(&place->lock, NULL);
}

struct source_service *source_service_new(void)
{
    struct source_service *service = calloc(1, sizeof *service);
    if (service && !(service->cache = source_cache_new(CACHE_BYTES))) {
        free(service);
        return NULL;
    }
    if (service) {
        place_make(&service->compiler, compiler_command);
        place_make(&service->launcher, launcher_command);
    }
    return service;
}

/* ---- the process ---- */

static void process_end(struct sandbox_process *process)
{
    sandbox_client_free(process->client); /* at which it ends */
    for (int tries = 0; waitpid(process->pid, NULL, WNOHANG) == 0; tries++) {
        if (tries == 200)
            kill(-process->pid, SIGKILL);
        usleep(10000);
    }
    free(process);
}

static void place_clear(struct sandbox_place *place)
{
    if (place->process)
        process_end(place->process);
    pthread_mutex_destroy(&place->lock);
}

void source_service_free(struct source_service *service)
{
    if (!service)
        return;
    place_clear(&service->compiler);
    place_clear(&service->launcher);
    source_cache_free(service->cache);
    free(service);
}

static struct sandbox_process *process_start(const char *const *command, struct error *error)
{
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    /* What libraries and programs are found by; nothing else of the server's environment goes to the sandbox. */
    static const char *const names[] = {"PATH", "LD_LIBRARY_PATH"};
    /* What is bound once is not bound in each child. */
    static char bind_now[] = "LD_BIND_NOW=1";
    char variables[2][4096], *environment[4] = {bind_now};
    for (int i = 0, used = 1; i < 2; i++) {
        const char *value = getenv(names[i]);
        if (value &&
            snprintf(variables[i], sizeof variables[i], "%s=%s", names[i], value) < (int)sizeof variables[i])
            environment[used++] = variables[i];
    }
    struct sandbox_process *process = calloc(1, sizeof *process);
    int number = !process ? ENOMEM : pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 ? errno : 0;
    if (!number)
        number = spawn_start(&process->pid, command, environment, (int[3]){in[0], out[1], STDERR_FILENO});
    if (in[0] >= 0)
        close(in[0]);
    if (out[1] >= 0)
        close(out[1]);
    if (number) {
        if (in[1] >= 0)
            close(in[1]);
        if (out[0] >= 0)
            close(out[0]);
        free(process);
        error_set_errno(error, number, "cannot start the sandbox");
        return NULL;
    }
    if (sandbox_client_new(&process->client, in[1], out[0], hello_s, error) < 0) {
        process_end(process);
        return NULL;
    }
    return process;
}

/* The sandbox, started where there is none; held until process_release(). NULL: *error says why. */
static struct sandbox_process *process_take(struct sandbox_place *place, struct error *error)
{
    pthread_mutex_lock(&place->lock);
    int64_t now = clock_monotonic_ns();
    if (!place->process && place->started_ns && now - place->started_ns < (int64_t)(restart_s * 1e9)) {
        error_set(error, ERROR_UNAVAILABLE, "the sandbox has just ended; try again in a second");
    } else if (!place->process) {
        place->started_ns = now;
        place->process = process_start(place->command, error);
    }
    struct sandbox_process *process = place->process;
    if (process)
        process->users++;
    pthread_mutex_unlock(&place->lock);
    return process;
}

/* `gone`: it answers no more, and the next request starts another one. */
static void process_release(struct sandbox_place *place, struct sandbox_process *process, bool gone)
{
    pthread_mutex_lock(&place->lock);
    if (gone && place->process == process)
        place->process = NULL;
    bool last = --process->users == 0 && place->process != process;
    pthread_mutex_unlock(&place->lock);
    if (last)
        process_end(process);
}

static int ask(struct sandbox_place *place, const char *kind, const struct buffer *request, double wait_s,
               struct buffer *answer, struct error *error)
{
    struct sandbox_process *process = process_take(place, error);
    struct error why = {0};
    if (!process)
        return -1;
    const struct sandbox_hello *hello = sandbox_client_hello(process->client);
    int status = -1;
    if (hello->reason[0])
        error_set(error, ERROR_UNAVAILABLE, "no source can be compiled: %s", hello->reason);
    else
        status =
            sandbox_client_ask(process->client, kind, request->data, request->size, wait_s, answer, &why);
    if (status < 0 && why.kind != ERROR_NONE)
        error_set(error, why.kind, "%s", why.text);
    process_release(place, process, why.kind == ERROR_UNAVAILABLE);
    return status;
}

/* ---- the questions ---- */

static struct source_build *build_make(struct source_service *service, const struct source_kernel *kernel,
                                       int architecture, const char *key, struct error *error)
{
    struct compilation compilation;
    struct buffer answer = {0};
    struct compilation_request request = {.source = kernel->draft.source, .architecture = architecture};
    struct source_build *build = NULL;
    snprintf(request.entry, sizeof request.entry, "%s", kernel->draft.entry);
    struct buffer question = compilation_write_request(&request);
    if (question.failed)
        error_set(error, ERROR_MEMORY, "no memory for a compilation");
    else if (ask(&service->compiler, COMPILATION_KIND, &question, SOURCE_SERVICE_WAIT_S, &answer, error) ==
                 0 &&
             compilation_read(&compilation, answer.data, answer.size, error) == 0 &&
             !(build = source_cache_add(service->cache, key, architecture, &compilation)))
        error_set(error, ERROR_MEMORY, "no memory for a compilation");
    buffer_free(&question);
    buffer_free(&answer);
    return build;
}

struct source_build *source_service_build(struct source_service *service, const struct source_kernel *kernel,
                                          int architecture, struct error *error)
{
    char key[80];
    snprintf(key, sizeof key, "%s %d", kernel->sha256, architecture);
    struct source_build *build = source_cache_find(service->cache, key);
    return build ? build : build_make(service, kernel, architecture, key, error);
}

int source_service_count(struct source_service *service, const struct source_build *build,
                         const struct source_launch_question *question, struct source_count *count,
                         struct error *error)
{
    const struct explain *listed = question->listed;
    struct buffer definition = source_draft_text(&source_kernel_of(question->experiment->kernel)->draft);
    struct buffer text = {0}, bytes = {0}, answer = {0};
    struct json_writer json = {.out = &text};
    int status = -1;
    experiment_text_write_launch(&json, question->experiment);
    struct launch_request request = {
        .definition = definition.data,
        .request = text.data,
        .code = {.symbol = build->compilation.entry,
                 .ptx = build->compilation.ptx,
                 .ptx_bytes = build->compilation.ptx_bytes,
                 .cubin = build->compilation.cubin,
                 .cubin_bytes = build->compilation.cubin_bytes},
        .check = question->check,
        .seconds = question->seconds > 0 && question->seconds < launch_s ? question->seconds : launch_s,
        .explained = listed != NULL,
    };
    if (listed) {
        memcpy(request.block, listed->block, sizeof request.block);
        request.warp = listed->warp;
        request.line = listed->line;
    }
    bool failed = definition.failed || text.failed;
    if (!failed)
        bytes = launch_request_write(&request);
    if (failed || bytes.failed)
        error_set(error, ERROR_MEMORY, "no memory for a launch");
    else if (ask(&service->launcher, LAUNCH_REQUEST_KIND, &bytes, SOURCE_SERVICE_WAIT_S, &answer, error) == 0)
        status = source_count_unpack(count, answer.data, answer.size, error);
    buffer_free(&definition);
    buffer_free(&text);
    buffer_free(&bytes);
    buffer_free(&answer);
    return status;
}

/* One of the two launches of a run. To be cleared in either case. */
struct run_side {
    struct source_build *build;
    struct buffer definition, text;
    struct launch_request request;
};

static int side_make(struct run_side *side, struct source_service *service,
                     const struct experiment *experiment, double seconds, struct error *error)
{
    enum { ARCHITECTURE = 90 }; /* what is executed is the PTX, whatever it is for */
    const struct source_kernel *kernel = source_kernel_of(experiment->kernel);
    *side = (struct run_side){.build = source_service_build(service, kernel, ARCHITECTURE, error)};
    if (!side->build)
        return -1;
    const struct compilation *compilation = &side->build->compilation;
    if (!compilation->ok)
        return error_set(error, ERROR_INVALID, "%s does not compile here: line %u: %s", kernel->name,
                         compilation->faults[0].line, compilation->faults[0].text);
    side->definition = source_draft_text(&kernel->draft);
    experiment_text_write_launch(&(struct json_writer){.out = &side->text}, experiment);
    side->request = (struct launch_request){
        .definition = side->definition.data,
        .request = side->text.data,
        .code = {.symbol = compilation->entry, .ptx = compilation->ptx, .ptx_bytes = compilation->ptx_bytes},
        .seconds = seconds,
    };
    return side->definition.failed || side->text.failed
               ? error_set(error, ERROR_MEMORY, "no memory for a launch")
               : 0;
}

static void side_clear(struct run_side *side)
{
    source_cache_release(side->build);
    buffer_free(&side->definition);
    buffer_free(&side->text);
}

int source_service_run(struct source_service *service, const struct experiment_request *asked, double seconds,
                       struct buffer *answer, struct error *error)
{
    struct run_side kernel, reference = {.build = NULL};
    struct buffer bytes = {0};
    const bool two = asked->reference.kernel != NULL;
    int status = side_make(&kernel, service, &asked->experiment, seconds, error);
    if (status == 0 && two)
        status = side_make(&reference, service, &asked->reference, seconds, error);
    if (status == 0) {
        bytes = run_request_write(asked, &kernel.request, two ? &reference.request : NULL);
        status = bytes.failed ? error_set(error, ERROR_MEMORY, "no memory for a launch")
                              : ask(&service->launcher, RUN_REQUEST_KIND, &bytes,
                                    2 * seconds + SOURCE_SERVICE_WAIT_S, answer, error);
    }
    side_clear(&kernel);
    side_clear(&reference);
    buffer_free(&bytes);
    return status;
}
