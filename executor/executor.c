#include "executor/executor.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/counters_text.h"
#include "api/experiment_json.h"
#include "api/protocol.h"
#include "api/result_json.h"
#include "base/log.h"
#include "executor/channel.h"
#include "executor/counts.h"
#include "executor/device_lock.h"
#include "executor/guard.h"
#include "kernels/runner.h"

/* Longer than the server takes to see a process through SIGTERM and SIGKILL. */
static const double lock_wait_s = 6;
/* The server ends what is past its time; this is for when it cannot reach us any more. */
static const double deadline_margin_s = 5, open_deadline_s = 120;

struct executor {
    const struct device_kind *kind;
    int index, devices;
    struct device_facts facts;
    struct channel *channel;
    struct runner *runner; /* NULL until the first run or count: without it there is no context */
};

/* What was asked, from its line to its answer. */
struct request {
    struct executor *executor;
    const struct message *message;
    struct experiment experiment;
    struct result result;
};

/* Writes a line and frees it. */
static void send_line(struct executor *executor, char *line)
{
    if (!line) {
        log_error("executor: no memory for a line");
        _exit(EXECUTOR_BROKEN);
    }
    channel_write(executor->channel, line);
    free(line);
}

static void tell_phase(void *arg, const char *phase)
{
    const struct request *request = arg;
    send_line(request->executor, message_progress(request->message->id, phase));
}

/* The device's context, if it is not there yet: its creation is not the experiment's time. */
static int runner_need(struct request *request, struct error *error)
{
    struct executor *executor = request->executor;
    if (executor->runner)
        return 0;
    tell_phase(request, PROTOCOL_PHASE_OPEN);
    guard_deadline(open_deadline_s);
    return runner_new(&executor->runner, executor->kind, executor->index, error);
}

/* What the sibling counted comes with the request; a device that has none says so itself. */
static void counters_fill(struct request *request)
{
    const struct device_kind *kind = request->executor->kind;
    struct counters *counters = &request->result.counters;
    const char *text = request->message->counters;
    struct error error = {0};
    if (!request->experiment.counters.on)
        return;
    if (!kind->counters)
        counters_unavailable(counters, "run it on an NVIDIA GPU", "the %s device has no hardware counters",
                             kind->name);
    else if (!text || counters_from_text(counters, text, &error) < 0)
        counters_unavailable(counters, "ask again", "%s",
                             text ? error.text : "the service sent no counts with this run");
}

static int run_request(struct request *request, struct error *error)
{
    struct executor *executor = request->executor;
    const struct message *run = request->message;
    if (experiment_from_text(&request->experiment, run->payload, &executor->facts, error) < 0 ||
        runner_need(request, error) < 0)
        return -1;
    guard_deadline(request->experiment.timeout_s + deadline_margin_s);
    runner_set_sibling(executor->runner, run->pid);
    int failed =
        runner_run(executor->runner, &request->experiment, &request->result, tell_phase, request, error);
    counters_fill(request);
    return failed;
}

/* The answer's line, or NULL with *failure; *result may hold a wrong kernel's result then. */
static char *run_answer(struct request *request, char **result, struct error *failure)
{
    int failed = run_request(request, failure);
    if (!failed || failure->kind == ERROR_INCORRECT)
        *result = result_to_text(&request->experiment, &request->result);
    if (!failed && !*result)
        error_set(failure, ERROR_MEMORY, "no memory for a result");
    return failure->kind == ERROR_NONE ? message_result(request->message->id, *result) : NULL;
}

static char *count_answer(struct request *request, struct error *failure)
{
    const struct executor *executor = request->executor;
    if (runner_need(request, failure) < 0)
        return NULL;
    tell_phase(request, "counters");
    guard_deadline(request->message->limit_s + deadline_margin_s);
    return counts_answer(executor->runner, request->message, &executor->facts, failure);
}

/* False: this process is of no use any more. */
static bool serve(struct executor *executor, const struct message *message)
{
    struct request *request = calloc(1, sizeof *request);
    struct error failure = {0};
    char *result = NULL, *line = NULL;
    if (request) {
        *request = (struct request){.executor = executor, .message = message};
        line = message->type == MESSAGE_COUNT ? count_answer(request, &failure)
                                              : run_answer(request, &result, &failure);
    } else {
        error_set(&failure, ERROR_MEMORY, "no memory for a run");
    }
    guard_deadline(0);
    if (failure.kind != ERROR_NONE)
        line = message_error(message->id, &failure, result);
    free(result);
    free(request);
    send_line(executor, line);
    return failure.kind != ERROR_CUDA && failure.kind != ERROR_DEVICE_LOST;
}

static int executor_open(struct executor *executor, const char *spec, const char *lock_dir, bool counting,
                         struct error *error)
{
    char own[PATH_MAX];
    if (!lock_dir)
        lock_dir = device_lock_directory(own);
    if (channel_open(&executor->channel, error) < 0 ||
        device_find(spec, &executor->kind, &executor->index, &executor->devices, error) < 0 ||
        executor->kind->describe(executor->index, &executor->facts, error) < 0)
        return -1;
    if (lock_dir && device_lock(lock_dir, executor->facts.uuid, counting, lock_wait_s, error) < 0)
        return -1;
    send_line(executor,
              message_hello(executor->devices, executor->kind->counters != NULL, getpid(), &executor->facts));
    return 0;
}

static int executor_loop(struct executor *executor)
{
    for (;;) {
        struct message message;
        struct error error = {0};
        size_t length;
        char *line = channel_read(executor->channel, &length);
        int failed = message_parse(&message, line, length, &error);
        free(line);
        if (failed || (message.type != MESSAGE_RUN && message.type != MESSAGE_COUNT)) {
            log_error("executor: not a line of the server's: %s",
                      failed ? error.text : "neither run nor count");
            return EXECUTOR_BROKEN;
        }
        bool usable = serve(executor, &message);
        message_free(&message);
        if (!usable)
            return EXECUTOR_FAILED;
    }
}

int executor_check(const char *spec, struct error *error)
{
    return device_check(spec, error);
}

static int usage(const char *program)
{
    log_error("usage: %s --executor --device auto:N|cuda:N|cpu [--lock-dir DIR] [--counting]", program);
    return EXECUTOR_USAGE;
}

int executor_main(int argc, char **argv)
{
    static const struct option options[] = {
        {"executor", no_argument, NULL, 'e'},
        {"device", required_argument, NULL, 'd'},
        {"lock-dir", required_argument, NULL, 'l'},
        {"counting", no_argument, NULL, 'c'},
        {0},
    };
    static struct executor executor;
    struct error error = {0};
    const char *spec = NULL, *lock_dir = NULL;
    bool counting = false;
    guard_start();
    log_set_plain();
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (option == 'd')
            spec = optarg;
        else if (option == 'l')
            lock_dir = optarg;
        else if (option == 'c')
            counting = true;
        else if (option != 'e')
            return usage(argv[0]);
    }
    if (!spec || optind < argc)
        return usage(argv[0]);
    int status = EXECUTOR_FAILED;
    if (executor_open(&executor, spec, lock_dir, counting, &error) < 0)
        log_error("executor: %s", error.text);
    else
        status = executor_loop(&executor);
    /* Not exit(): the reader is still at work, and handlers of a driver whose context is broken may hang. */
    _exit(status);
}
