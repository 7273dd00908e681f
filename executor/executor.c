/* The executor's life: options, locks, hello, then one question after the other. */
#include "executor/executor.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/calibration_json.h"
#include "api/counters_json.h"
#include "api/experiment_json.h"
#include "api/protocol.h"
#include "api/result_json.h"
#include "base/log.h"
#include "executor/channel.h"
#include "executor/machine_lock.h"
#include "executor/process.h"
#include "executor/source_task.h"
#include "kernels/measure/runner.h"

/* Longer than the server takes to end a process by SIGTERM and SIGKILL. */
static const double lock_wait_s = 6;
/* The server ends a run at its limit; these are for an executor that the server cannot reach. */
static const double deadline_margin_s = 5, open_deadline_s = 120;
/* Less than what Slurm grants between SIGTERM and SIGKILL (KillWait, 30 s). */
static const double leave_default_s = 20, leave_max_s = 86400;

/* How long the experiments of a count after the first may take. */
static const double ahead_s = 1;

struct executor {
    const struct device_kind *kind;
    int index, devices;
    struct device_facts facts;
    struct channel *channel;
    struct machine_lock lock;
    struct runner *runner;          /* NULL until the first run or count: without it there is no context */
    struct source_service *sources; /* NULL until a user's own kernel runs */
};

/* One question of the server while it is answered. */
struct executor_task {
    struct executor *executor;
    const struct message *message;
    struct experiment experiment;
    struct calibration calibration; /* of the message */
    struct result result;
};

static void on_samples(void *arg, const char *phase, unsigned count)
{
    const struct executor_task *task = arg;
    channel_write(task->executor->channel, protocol_write_progress(task->message->id, phase, count));
}

/* The wait for a lock is not the experiment's time; the next phase ends it. */
static void on_lock_wait(void *arg)
{
    on_samples(arg, PROTOCOL_PHASE_LOCKED, 0);
}

static void on_phase(void *arg, const char *phase)
{
    const struct executor_task *task = arg;
    if (strcmp(phase, "transfers") == 0) {
        double left_s = process_pause_deadline();
        machine_lock_take_host_link(&task->executor->lock);
        process_deadline(left_s);
    }
    on_samples(arg, phase, 0);
}

/* Creates the device's context where it is missing; this is not the experiment's time. */
static int runner_need(struct executor_task *task, struct error *error)
{
    struct executor *executor = task->executor;
    if (executor->runner)
        return 0;
    on_phase(task, PROTOCOL_PHASE_OPEN);
    process_deadline(open_deadline_s);
    return runner_new(&executor->runner, executor->kind, executor->index, error);
}

/* Fills in what came with the request: the counting executor's counts (a device without counters says so
   itself), and a calibration, which is ignored where it cannot be read, because it is of another build. */
static void result_complete(struct executor_task *task)
{
    const struct device_kind *kind = task->executor->kind;
    struct counters *counters = &task->result.counters;
    const char *text = task->message->counters, *calibration = task->message->calibration;
    struct error error = {0};
    if (task->experiment.counters.on && !kind->counters)
        counters_unavailable(counters, "run it on an NVIDIA GPU", "the %s device has no hardware counters",
                             kind->name);
    else if (task->experiment.counters.on && (!text || counters_json_unpack(counters, text, &error) < 0))
        counters_unavailable(counters, "ask again", "%s",
                             text ? error.text : "the service sent no counts with this run");
    if (calibration && calibration_json_read(&task->calibration, calibration) == 0)
        task->result.calibration = &task->calibration;
}

static int task_run(struct executor_task *task, struct error *error)
{
    struct executor *executor = task->executor;
    const struct message *run = task->message;
    if (experiment_json_read_text(&task->experiment, run->request, &executor->facts, error) < 0)
        return -1;
    task->experiment.device = (struct device_choice){.kind = DEVICE_BY_NUMBER, .number = run->device};
    /* The transfers after the timing lock the host link later. */
    const struct kernel *kernel = task->experiment.kernel;
    machine_lock_take(&executor->lock, kernel->peer ? task->experiment.peer_uuid : "",
                      kernel->host_memory || kernel->peer);
    if (runner_need(task, error) < 0)
        return -1;
    process_deadline(task->experiment.timeout_s + deadline_margin_s);
    runner_set_counting_executor(executor->runner, run->counting_pid);
    runner_set_samples(executor->runner, on_samples, task);
    int failed = runner_run(executor->runner, &task->experiment, &task->result, on_phase, task, error);
    result_complete(task);
    return failed;
}

/* Runs the experiment. The answer is an error's where *failure says one; a result has its samples where they
   are to be stored. */
static struct buffer run_answer(struct executor_task *task, struct error *failure)
{
    const struct result *result = &task->result;
    const char *id = task->message->id;
    struct samples samples = {0};
    struct buffer frame = {.failed = true};
    int failed = task_run(task, failure);
    char *text = NULL;
    if (!failed || failure->kind == ERROR_INCORRECT)
        text = result_json_text(&task->experiment, result);
    if (!failed && !text)
        error_set(failure, ERROR_MEMORY, "no memory for a result");
    if (failure->kind != ERROR_NONE)
        frame = protocol_write_error(id, failure, text);
    else if (!result->cold_series || (samples_pack(&samples.cold, result->cold_series) == 0 &&
                                      samples_pack(&samples.hot, result->hot_series) == 0))
        frame = protocol_write_result(id, text, &samples);
    samples_free(&samples);
    free(text);
    return frame;
}

/* An interpreted run does not touch the device, and locks it like any other. */
static void interpreted_begin(void *arg, double timeout_s)
{
    struct executor_task *task = arg;
    machine_lock_take(&task->executor->lock, "", false);
    on_phase(task, "check");
    process_deadline(timeout_s + deadline_margin_s);
}

/* ---- a count ---- */

/* The experiments that share passes. */
struct count_group {
    int count;
    struct counted points[COUNTERS_POINTS];
    struct experiment experiments[COUNTERS_POINTS];
    const char *ids[COUNTERS_POINTS];
};
_Static_assert((int)COUNTERS_POINTS == (int)PROTOCOL_POINTS, "a group is as large as the protocol allows");

/* An experiment that cannot be understood is left out: its own run will say why. Without the first there is
   no group. */
static void collect(struct count_group *group, const struct ahead *asked, const struct device_facts *facts)
{
    for (int i = 0; i < asked->count; i++) {
        struct error refused = {0};
        struct experiment *next = &group->experiments[group->count];
        if (experiment_json_read_text(next, asked->at[i].request, facts, &refused) < 0) {
            if (i == 0)
                return;
            continue;
        }
        group->ids[group->count] = asked->at[i].id;
        group->points[group->count++].experiment = next;
    }
}

/* Takes over the text; NULL: there was no memory for it. */
static void add(struct counts *counts, const char *id, char *text, bool no_room)
{
    if (!text)
        return;
    snprintf(counts->at[counts->count].id, sizeof counts->at[0].id, "%s", id);
    counts->at[counts->count].counters = text;
    counts->at[counts->count++].no_room = no_room;
}

int executor_count(struct runner *runner, const struct message *message, const struct device_facts *facts,
                   struct buffer *frame, struct error *error)
{
    struct counts counts = {0};
    struct error failure = {0};
    struct count_group *group = calloc(1, sizeof *group);
    if (!group)
        return error_set(error, ERROR_MEMORY, "no memory for what is counted");
    collect(group, &message->ahead, facts);
    if (!group->count)
        add(&counts, message->id, counters_json_pack_failure("the executor does not understand the request"),
            false);
    else if (runner_count(runner, group->points, group->count, ahead_s, &failure) == 0)
        for (int i = 0; i < group->count; i++) {
            const struct counters *counters = &group->points[i].counters;
            if (counters->status != COUNTERS_NOT_REQUESTED) /* it could share the passes */
                add(&counts, group->ids[i], counters_json_pack(counters), false);
        }
    else if (failure.kind == ERROR_OUT_OF_MEMORY)
        add(&counts, message->id, counters_json_pack_failure(failure.text), true);
    else
        *error = failure;
    if (error->kind == ERROR_NONE && !counts.count)
        error_set(error, ERROR_MEMORY, "no memory for what was counted");
    if (error->kind == ERROR_NONE)
        *frame = protocol_write_counts(message->id, &counts);
    protocol_counts_free(&counts);
    free(group);
    return error->kind == ERROR_NONE ? 0 : -1;
}

static struct buffer count_answer(struct executor_task *task, struct error *failure)
{
    struct executor *executor = task->executor;
    struct buffer frame;
    machine_lock_take(&executor->lock, "", false);
    if (runner_need(task, failure) == 0) {
        on_phase(task, "counters");
        process_deadline(task->message->limit_s + deadline_margin_s);
        if (executor_count(executor->runner, task->message, &executor->facts, &frame, failure) == 0)
            return frame;
    }
    return protocol_write_error(task->message->id, failure, NULL);
}

/* ---- its life ---- */

/* Answers one question. False: this process is of no use any more. */
static bool serve(struct executor *executor, const struct message *message)
{
    struct executor_task *task = calloc(1, sizeof *task);
    struct error failure = {0};
    struct buffer frame = {.failed = true};
    if (task) {
        *task = (struct executor_task){.executor = executor, .message = message};
        executor->lock.arg = task;
        if (message->type == MESSAGE_COUNT)
            frame = count_answer(task, &failure);
        else if (!source_task_answer(&executor->sources, message, &executor->facts, interpreted_begin, task,
                                     &frame, &failure))
            frame = run_answer(task, &failure);
    }
    process_deadline(0);
    machine_lock_release(&executor->lock);
    free(task);
    channel_write(executor->channel, frame);
    return failure.kind != ERROR_CUDA && failure.kind != ERROR_DEVICE_LOST;
}

/* The command line. */
struct executor_options {
    const char *spec, *lock_dir;
    bool counting, help;
    double leave_s;
};

static int executor_open(struct executor *executor, const struct executor_options *options,
                         struct error *error)
{
    static char own[PATH_MAX]; /* the locks point to it as long as this process lives */
    if (channel_open(&executor->channel, options->leave_s, error) < 0 ||
        device_find(options->spec, &executor->kind, &executor->index, &executor->devices, error) < 0 ||
        executor->kind->describe(executor->index, &executor->facts, error) < 0)
        return -1;
    process_pin("/sys", &executor->facts);
    /* Where runs are locked. GPUs and the bus belong to the machine: services with lock directories of their
       own share one for them. The CPU as a device is for tests, of which several run on a machine, each in its
       own directory. */
    bool given = options->lock_dir && !executor->kind->host_alloc;
    executor->lock = (struct machine_lock){
        .directory = given ? options->lock_dir : machine_lock_directory(own),
        .uuid = executor->facts.uuid,
        .waits = on_lock_wait,
    };
    const char *lock_dir = options->lock_dir ? options->lock_dir : executor->lock.directory;
    if (lock_dir &&
        machine_lock_device(lock_dir, executor->facts.uuid, options->counting, lock_wait_s, error) < 0)
        return -1;
    channel_write(executor->channel, protocol_write_hello(executor->devices, executor->kind->counters != NULL,
                                                          getpid(), &executor->facts));
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
        bool usable = serve(executor, message);
        channel_end(executor->channel);
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
static int options_read(struct executor_options *options, int argc, char **argv)
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
    *options = (struct executor_options){.leave_s = leave_default_s};
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
    bool time_is_good = !*end && options->leave_s >= 0 && options->leave_s <= leave_max_s;
    return options->spec && optind == argc && time_is_good ? 0 : -1;
}

int executor_main(int argc, char **argv)
{
    static struct executor executor;
    struct executor_options options;
    struct error error = {0};
    process_start();
    log_set_plain();
    if (options_read(&options, argc, argv) < 0) {
        log_error("usage: %s --executor --device auto:N|cuda:N|cpu [--lock-dir DIR] [--counting] "
                  "[--leave-seconds N]; --help says more",
                  argv[0]);
        return EXECUTOR_USAGE;
    }
    if (options.help)
        return help();
    int status = EXECUTOR_FAILED;
    if (executor_open(&executor, &options, &error) < 0)
        log_error("executor: %s", error.text);
    else
        status = executor_loop(&executor);
    /* Not exit(): the thread that reads still runs, and exit handlers of a driver with a broken context may
       hang. */
    _exit(status);
}
