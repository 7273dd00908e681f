/* An executor without a device, which misbehaves when it is told to.

   In a run: by the request's label "fake", {"labels":{"fake":"crash"}}: see runs[] below.
   From its start: fake_executor [--fake MODE[:N]] [--starts FILE] ...: see starts[]; with N and FILE (which
   gains a byte each start) only in its first N starts. All other arguments are taken as the executor's own.
 */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "api/protocol.h"

static const struct device_facts facts = {
    .backend = "fake",
    .name = "A device that is not there",
    .uuid = "FAKE-0",
    .arch = "sm_90",
    .driver = "1",
    .runtime = "1",
    .multiprocessors = 4,
    .warp_size = 32,
    .max_threads_per_block = 1024,
    .max_threads_per_multiprocessor = 2048,
    .max_block = {1024, 1024, 64},
    .max_grid = {2147483647, 65535, 65535},
    .registers_per_multiprocessor = 65536,
    .registers_per_block = 65536,
    .shared_bytes_per_multiprocessor = 233472,
    .shared_bytes_per_block = 49152,
    .memory_bytes = 16ull << 30,
    .l2_bytes = 50 << 20,
    .clock_khz = 1000000,
    .peak_gbps = 100,
    .peak_source = "made up",
};

static void put(const char *bytes, size_t count)
{
    while (count) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written < 0 && errno != EINTR)
            _exit(0);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        }
    }
}

static void put_text(const char *text)
{
    put(text, strlen(text));
}

static void put_line(char *line)
{
    put_text(line);
    free(line);
}

static void pause_ms(long ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

static void fail(const char *id, enum error_kind kind, const char *result)
{
    struct error failure = {.kind = kind};
    snprintf(failure.text, sizeof failure.text, "made up: %s", error_kind_name(kind));
    put_line(message_error(id, &failure, result));
}

static void answer(const char *id)
{
    put_line(message_progress(id, "check"));
    put_line(message_result(
        id, "{\"device\":{\"index\":0,\"backend\":\"fake\"},"
            "\"timing\":{\"cold\":{\"samples\":30,\"median_us\":10.5}},"
            "\"correctness\":{\"verified\":true,\"elements_checked\":65536,\"mismatches\":0}}"));
}

/* ---- what may happen in a run ---- */

static void run_crash(const char *id)
{
    (void)id;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would make an exit of it */
    raise(SIGSEGV);
}

static void run_exit(const char *id)
{
    (void)id;
    _exit(7);
}

static void run_last_words(const char *id)
{
    (void)id;
    static const char text[] = "first words\nterminate called: \x1b[1mthe last words\x1b[0m\n";
    for (int i = 0; i < 200; i++)
        if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
            _exit(1);
    _exit(1);
}

static void run_hang(const char *id)
{
    (void)id;
    pause_ms(600000);
}

static void run_stubborn(const char *id)
{
    signal(SIGTERM, SIG_IGN);
    run_hang(id);
}

static void run_rubbish(const char *id)
{
    put_text("Segmentation fault? No, just a library that prints\n");
    answer(id);
}

static void run_long_line(const char *id)
{
    static char much[2 << 20];
    memset(much, 'x', sizeof much);
    put(much, sizeof much);
    put_text("\n");
    answer(id);
}

static void run_wrong_id(const char *id)
{
    (void)id;
    answer("somebody-else");
}

static void run_close_stdout(const char *id)
{
    close(STDOUT_FILENO);
    run_hang(id);
}

static void run_partial(const char *id)
{
    char *line = message_result(id, "{\"correctness\":{\"verified\":true}}");
    put(line, strlen(line) / 2);
    _exit(0);
}

static void run_slow(const char *id)
{
    pause_ms(400);
    answer(id);
}

/* Opening takes longer than a short experiment may. */
static void run_slow_open(const char *id)
{
    put_line(message_progress(id, PROTOCOL_PHASE_OPEN));
    pause_ms(1000);
    put_line(message_progress(id, "prepare"));
    answer(id);
}

/* Never silent, never done. */
static void run_flood(const char *id)
{
    for (;;) {
        put_line(message_progress(id, "check"));
        fprintf(stderr, "still at it, and at it, and at it, and at it\n");
    }
}

/* Leaves somebody behind who holds its pipes. */
static void run_orphan(const char *id)
{
    if (fork() == 0)
        run_stubborn(id);
    _exit(7);
}

static void run_cuda_error(const char *id)
{
    fail(id, ERROR_CUDA, NULL);
    _exit(1);
}

static void run_device_lost(const char *id)
{
    fail(id, ERROR_DEVICE_LOST, NULL);
    run_hang(id); /* it should leave, and does not */
}

static void run_out_of_memory(const char *id)
{
    fail(id, ERROR_OUT_OF_MEMORY, NULL);
}

static void run_incorrect(const char *id)
{
    fail(id, ERROR_INCORRECT, "{\"correctness\":{\"verified\":false,\"mismatches\":3}}");
}

static void run_then_dies(const char *id)
{
    answer(id);
    pause_ms(50);
    _exit(9);
}

static void run_then_talks(const char *id)
{
    answer(id);
    pause_ms(50);
    put_text("and another thing\n");
}

static void take_line(struct message *message)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length = getline(&line, &room, stdin);
    if (length <= 0 || message_parse(message, line, (size_t)length, NULL) < 0)
        _exit(4);
    free(line);
}

/* Asks what is ahead and names them in its result. */
static void run_ask(const char *id)
{
    struct message answer;
    char result[8192] = "{\"correctness\":{\"verified\":true},\"ahead\":[";
    put_line(message_ask(id));
    take_line(&answer);
    if (answer.type != MESSAGE_AHEAD || strcmp(answer.id, id) != 0)
        _exit(4);
    for (int i = 0; i < answer.ahead.count; i++) {
        size_t used = strlen(result);
        snprintf(result + used, sizeof result - used, "%s\"%s\"", i ? "," : "", answer.ahead.at[i].id);
    }
    message_free(&answer);
    strcat(result, "]}");
    put_line(message_result(id, result));
}

/* How many are ahead. */
static int ask(const char *id)
{
    struct message ahead;
    put_line(message_ask(id));
    take_line(&ahead);
    int count = ahead.ahead.count;
    message_free(&ahead);
    return count;
}

static void run_ask_crash(const char *id)
{
    (ask(id) ? run_crash : answer)(id); /* in company only, as the next two */
}

static void run_ask_hang(const char *id)
{
    (ask(id) ? run_hang : answer)(id);
}

static void run_ask_cuda_error(const char *id)
{
    (ask(id) ? run_cuda_error : answer)(id);
}

static void run_ask_out_of_memory(const char *id)
{
    ask(id);
    run_out_of_memory(id);
}

static void run_ask_twice(const char *id)
{
    put_line(message_ask(id));
    put_line(message_ask(id));
    run_hang(id);
}

static const struct {
    const char *name;
    void (*run)(const char *id);
} runs[] = {
    {"crash", run_crash},
    {"exit", run_exit},
    {"last_words", run_last_words},
    {"hang", run_hang},
    {"stubborn", run_stubborn},
    {"rubbish", run_rubbish},
    {"long_line", run_long_line},
    {"wrong_id", run_wrong_id},
    {"close_stdout", run_close_stdout},
    {"partial", run_partial},
    {"slow", run_slow},
    {"slow_open", run_slow_open},
    {"flood", run_flood},
    {"orphan", run_orphan},
    {"cuda_error", run_cuda_error},
    {"device_lost", run_device_lost},
    {"out_of_memory", run_out_of_memory},
    {"incorrect", run_incorrect},
    {"then_dies", run_then_dies},
    {"then_talks", run_then_talks},
    {"ask", run_ask},
    {"ask_crash", run_ask_crash},
    {"ask_hang", run_ask_hang},
    {"ask_cuda_error", run_ask_cuda_error},
    {"ask_out_of_memory", run_ask_out_of_memory},
    {"ask_twice", run_ask_twice},
};

/* ---- what may happen at its start ---- */

static bool unproven; /* answers its test copy with a failure */

static void hello(void)
{
    put_line(message_hello(3, &facts));
}

static void start_no_hello(void)
{
    pause_ms(600000);
}

static void start_late_hello(void)
{
    pause_ms(300);
    hello();
}

static void start_chatter(void)
{
    put_text("Welcome to the cluster!\n\n{\"type\":\"progress\",\"id\":\"1\",\"phase\":\"check\"}\n");
    hello();
}

static void start_old_protocol(void)
{
    put_text("{\"type\":\"hello\",\"protocol\":99}\n");
}

static void start_exit(void)
{
    fprintf(stderr, "no such device\n");
    exit(1);
}

static void start_unproven(void)
{
    unproven = true;
    hello();
}

static const struct {
    const char *name;
    void (*start)(void);
} starts[] = {
    {"no_hello", start_no_hello}, {"late_hello", start_late_hello},
    {"chatter", start_chatter},   {"old_protocol", start_old_protocol},
    {"exit", start_exit},         {"unproven", start_unproven},
};

/* Counts this start in the file; how many there were before. */
static int starts_before(const char *path)
{
    struct stat status = {0};
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file)
        return 0;
    fstat(fileno(file), &status);
    fputc('.', file);
    fclose(file);
    return (int)status.st_size;
}

static void start(char *mode, const char *file)
{
    int before = starts_before(file);
    char *colon = mode ? strchr(mode, ':') : NULL;
    if (colon)
        *colon = '\0';
    if (mode && (!colon || before < atoi(colon + 1)))
        for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
            if (strcmp(starts[i].name, mode) == 0) {
                starts[i].start();
                return;
            }
    hello();
}

static void run(const struct message *message)
{
    if (unproven && strcmp(message->id, "selftest") == 0) {
        fail(message->id, ERROR_INCORRECT, "{\"correctness\":{\"verified\":false}}");
        return;
    }
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char label[64];
        snprintf(label, sizeof label, "\"fake\":\"%s\"", runs[i].name);
        if (strstr(message->payload, label)) {
            runs[i].run(message->id);
            return;
        }
    }
    answer(message->id);
}

int main(int argc, char **argv)
{
    char *mode = NULL, *file = NULL, *line = NULL;
    size_t room = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "--fake") == 0)
            mode = argv[i + 1];
        if (strcmp(argv[i], "--starts") == 0)
            file = argv[i + 1];
    }
    start(mode, file);
    for (ssize_t length; (length = getline(&line, &room, stdin)) > 0;) {
        struct message message;
        if (message_parse(&message, line, (size_t)length, NULL) < 0)
            return 4;
        run(&message);
        message_free(&message);
    }
    free(line);
    return 0;
}
