#include "executor/executor.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/calibration_json.h"
#include "api/counters_text.h"
#include "api/experiment_json.h"
#include "api/protocol.h"
#include "api/result_json.h"
#include "base/log.h"
#include "executor/channel.h"
#include "executor/counts.h"
#include "executor/device_lock.h"
#include "executor/guard.h"
#include "executor/pinning.h"
#include "executor/turns.h"
#include "executor/watch.h"
#include "kernels/measure/runner.h"

/* Longer than the server takes to see a process through SIGTERM and SIGKILL. */
static const double lock_wait_s = 6;
/* The server ends what is past its time; this is for when it cannot reach us any more. */
static const double deadline_margin_s = 5, open_deadline_s = 120;
/* Shorter than what Slurm grants between SIGTERM and SIGKILL (KillWait, 30 s). */
static const double leave_default_s = 20, leave_most_s = 86400;

struct executor {
    const struct device_kind *kind;
    int index, devices;
    struct device_facts facts;
    struct channel *channel;
    struct watch *watch;
    struct turns turns;
    struct runner *runner; /* NULL until the first run or count: without it there is no context */
};

/* What was asked, from its line to its answer. */
struct request {
    struct executor *executor;
    const struct message *message;
    struct experiment experiment;
    struct calibration calibration; /* that came with it */
    struct result result;
};

static void send(struct executor *executor, struct buffer frame)
{
    watch_check(executor->watch);
    channel_write(executor->channel, frame);
}

/* The wait is not the experiment's time; what comes after it is another phase. */
static void tell_turn(void *arg)
{
    const struct request *request = arg;
    send(request->executor, protocol_write_progress(request->message->id, PROTOCOL_PHASE_LOCKED, 0));
}

static void tell_phase(void *arg, const char *phase)
{
    const struct request *request = arg;
    if (strcmp(phase, "transfers") == 0) {
        double left_s = guard_pause();
        turns_take_host_link(&request->executor->turns);
        guard_deadline(left_s);
    }
    send(request->executor, protocol_write_progress(request->message->id, phase, 0));
}

static void tell_samples(void *arg, const char *phase, unsigned count)
{
    const struct request *request = arg;
    send(request->executor, protocol_write_progress(request->message->id, phase, count));
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

/* The constants that the device measured itself. What cannot be read is of another build: it is as if there were none. */
static void calibration_fill(struct request *request)
{
    const char *text = request->message->calibration;
    if (text && calibration_read(&request->calibration, text) == 0)
        request->result.calibration = &request->calibration;
}

/* Not what is transferred after the timing: that has its turn then. */
static bool crosses_the_bus(const struct request *request)
{
    const struct kernel *kernel = request->experiment.kernel;
    return kernel->host_memory || kernel->peer;
}

static int run_request(struct request *request, struct error *error)
{
    struct executor *executor = request->executor;
    const struct message *run = request->message;
    if (experiment_from_text(&request->experiment, run->request, &executor->facts, error) < 0)
        return -1;
    request->experiment.device = (struct device_choice){.kind = DEVICE_BY_NUMBER, .number = run->device};
    turns_take(&executor->turns, request->experiment.kernel->peer ? request->experiment.peer_uuid : "",
               crosses_the_bus(request));
    if (runner_need(request, error) < 0)
        return -1;
    guard_deadline(request->experiment.timeout_s + deadline_margin_s);
    runner_set_counting_executor(executor->runner, run->counting_pid);
    runner_set_samples(executor->runner, tell_samples, request);
    int failed =
        runner_run(executor->runner, &request->experiment, &request->result, tell_phase, request, error);
    counters_fill(request);
    calibration_fill(request);
    return failed;
}

/* The frame of a result, with its samples where they are to be stored. */
static struct buffer result_frame(const struct request *request, const char *text)
{
    const struct result *result = &request->result;
    struct samples samples = {0};
    if (result->cold_series && (samples_pack(&samples.cold, result->cold_series) < 0 ||
                                samples_pack(&samples.hot, result->hot_series) < 0)) {
        samples_free(&samples);
        return (struct buffer){.failed = true};
    }
    struct buffer frame = protocol_write_result(request->message->id, text, &samples);
    samples_free(&samples);
    return frame;
}

/* Runs the experiment; the answer is an error's where *failure says one. */
static struct buffer run_answer(struct request *request, struct error *failure)
{
    int failed = run_request(request, failure);
    char *result = NULL;
    if (!failed || failure->kind == ERROR_INCORRECT)
        result = result_to_text(&request->experiment, &request->result);
    if (!failed && !result)
        error_set(failure, ERROR_MEMORY, "no memory for a result");
    struct buffer frame = failure->kind == ERROR_NONE
                              ? result_frame(request, result)
                              : protocol_write_error(request->message->id, failure, result);
    free(result);
    return frame;
}

static struct buffer count_answer(struct request *request, struct error *failure)
{
    struct executor *executor = request->executor;
    struct buffer frame;
    turns_take(&executor->turns, "", false);
    if (runner_need(request, failure) == 0) {
        tell_phase(request, "counters");
        guard_deadline(request->message->limit_s + deadline_margin_s);
        if (counts_answer(executor->runner, request->message, &executor->facts, &frame, failure) == 0)
            return frame;
    }
    return protocol_write_error(request->message->id, failure, NULL);
}

/* Answers one question. False: this process is of no use any more. */
static bool serve(struct executor *executor, const struct message *message)
{
    struct request *request = calloc(1, sizeof *request);
    struct error failure = {0};
    struct buffer frame = {.failed = true};
    if (request) {
        *request = (struct request){.executor = executor, .message = message};
        executor->turns.arg = request;
        frame =
            message->type == MESSAGE_COUNT ? count_answer(request, &failure) : run_answer(request, &failure);
    }
    guard_deadline(0);
    turns_give(&executor->turns);
    free(request);
    send(executor, frame);
    return failure.kind != ERROR_CUDA && failure.kind != ERROR_DEVICE_LOST;
}

/* What its command line says. */
struct options {
    const char *spec, *lock_dir;
    bool counting, help;
    double leave_s;
};

/* GPUs and the bus are the machine's: services with directories of their own take turns on them all the same. A CPU as a
   device is for trials, of which there are several on a machine. */
static const char *turns_directory(const struct executor *executor, const char *given, char own[PATH_MAX])
{
    return given && !executor->kind->host_alloc ? given : device_lock_directory(own);
}

static int executor_open(struct executor *executor, const struct options *options, struct error *error)
{
    static char own[PATH_MAX]; /* turns are taken in it as long as this process lives */
    if (watch_open(&executor->watch, &executor->channel, options->leave_s, error) < 0 ||
        device_find(options->spec, &executor->kind, &executor->index, &executor->devices, error) < 0 ||
        executor->kind->describe(executor->index, &executor->facts, error) < 0)
        return -1;
    pinning_pin("/sys", &executor->facts);
    executor->turns = (struct turns){.directory = turns_directory(executor, options->lock_dir, own),
                                     .uuid = executor->facts.uuid,
                                     .waits = tell_turn};
    const char *lock_dir = options->lock_dir ? options->lock_dir : executor->turns.directory;
    if (lock_dir && device_lock(lock_dir, executor->facts.uuid, options->counting, lock_wait_s, error) < 0)
        return -1;
    send(executor, protocol_write_hello(executor->devices, executor->kind->counters != NULL, getpid(),
                                        &executor->facts));
    return 0;
}

static int executor_loop(struct executor *executor)
{
    for (;;) {
        struct message *message = channel_read(executor->channel);
        if (message->type != MESSAGE_RUN && message->type != MESSAGE_COUNT) {
            log_error("executor: the server sent \"%s\", which only an executor sends",
                      protocol_type_name(message->type));
            return EXECUTOR_BROKEN;
        }
        watch_begin(executor->watch);
        bool usable = serve(executor, message);
        watch_end(executor->watch);
        protocol_message_free(message);
        free(message);
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
    log_error("usage: %s --executor --device auto:N|cuda:N|cpu [--lock-dir DIR] [--counting] "
              "[--leave-seconds N]; --help says more",
              program);
    return EXECUTOR_USAGE;
}

static int help(void)
{
    puts(
        "coalesced --executor: runs experiments for a service, over its standard input and output\n\n"
        "usage: coalesced --executor --device SPEC [options]\n\n"
        "  --device SPEC\n"
        "        which device: auto:0 (the first one there is), cuda:1, cpu; the service appends it\n"
        "  --lock-dir DIR\n"
        "        where locks on the device are held; by default in $XDG_RUNTIME_DIR or /tmp, this user's "
        "own\n"
        "  --counting\n"
        "        it is the one that counts, beside the one that times; the service appends it\n"
        "  --leave-seconds S\n"
        "        how long what runs may still take when SIGTERM comes, 0 to 86400; less than the scheduler's "
        "own grace [20]\n"
        "  --help\n"
        "        print this and exit");
    return fflush(stdout) == 0 ? EXECUTOR_OK : EXECUTOR_FAILED;
}

/* 0, or -1: the command line is wrong. */
static int options_read(struct options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"executor", no_argument, NULL, 'e'},
        {"device", required_argument, NULL, 'd'},
        {"lock-dir", required_argument, NULL, 'l'},
        {"counting", no_argument, NULL, 'c'},
        {"leave-seconds", required_argument, NULL, 't'},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    char *end = "";
    *options = (struct options){.leave_s = leave_default_s};
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'd')
            options->spec = optarg;
        else if (option == 'l')
            options->lock_dir = optarg;
        else if (option == 'c')
            options->counting = true;
        else if (option == 't')
            options->leave_s = strtod(optarg, &end);
        else if (option == 'h')
            options->help = true;
        else if (option != 'e')
            return -1;
    }
    if (options->help)
        return 0;
    bool time_is_good = !*end && options->leave_s >= 0 && options->leave_s <= leave_most_s;
    return options->spec && optind == argc && time_is_good ? 0 : -1;
}

int executor_main(int argc, char **argv)
{
    static struct executor executor;
    struct options options;
    struct error error = {0};
    guard_start();
    log_set_plain();
    if (options_read(&options, argc, argv) < 0)
        return usage(argv[0]);
    if (options.help)
        return help();
    int status = EXECUTOR_FAILED;
    if (executor_open(&executor, &options, &error) < 0)
        log_error("executor: %s", error.text);
    else
        status = executor_loop(&executor);
    /* Not exit(): the reader is still at work, and handlers of a driver whose context is broken may hang. */
    _exit(status);
}
