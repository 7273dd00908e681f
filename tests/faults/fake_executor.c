/* An executor without a device, which misbehaves when it is told to.

   In a run: by the request's label "fake", {"labels":{"fake":"crash"}}: see fake_runs.c and fake_endless.c.
   In a count: by the same label of any of its experiments, see counted[] below.
   From its start: fake_executor [--fake MODE[:N]] [--starts FILE] [--work-log FILE] ...: see starts[]; with N and FILE
   (which gains a byte each start) only in its first N starts. The work log gains a line for all that executors do. With
   --pause-ms N a run without a label takes up to N ms, by its id. With --counting it is the one that counts. All other
   arguments are taken as the executor's own. */
#include "tests/faults/fake_executor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executor/process.h"
#include "executor/channel.h"

static struct device_facts facts = {
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
    .compute_mode = "default",
    .peak_source = "made up",
};

static bool counting; /* it is the one that counts */
static long pause_ms; /* at most, of a run without a label */

/* ---- what may happen in a count ---- */

/* Each is told which one it was and how many there were. */
static void count_all(const char *id)
{
    struct counts counts = {0};
    char texts[PROTOCOL_POINTS][128];
    for (int i = 0; i < fake_asked->ahead.count; i++) {
        snprintf(counts.at[i].id, sizeof counts.at[i].id, "%s", fake_asked->ahead.at[i].id);
        snprintf(texts[i], sizeof texts[i], "{\"of\":\"%s\",\"place\":%d,\"points\":%d}",
                 fake_asked->ahead.at[i].id, i, fake_asked->ahead.count);
        counts.at[counts.count++].counters = texts[i];
    }
    fake_send(protocol_write_progress(id, "counters", 0));
    fake_send(protocol_write_counts(id, &counts));
}

static void count_slow(const char *id)
{
    fake_pause_ms(300);
    count_all(id);
}

static void count_nobody(const char *id)
{
    struct counts counts = {1, {{"somebody-else", (char *)"{}", false}}};
    fake_send(protocol_write_counts(id, &counts));
}

/* There is room when its counting executor has gone, which this one learns by being fake_asked again. */
static void count_no_room(const char *id)
{
    static int refused;
    struct counts counts = {1, {{"", (char *)"{\"reason\":\"no room\",\"remedy\":\"\"}", true}}};
    snprintf(counts.at[0].id, sizeof counts.at[0].id, "%s", id);
    if (refused++)
        count_all(id);
    else
        fake_send(protocol_write_counts(id, &counts));
}

static const struct behaviour counted[] = {
    {"count_crash", fake_run_crash},
    {"count_exit", fake_run_exit},
    {"count_hang", fake_run_hang},
    {"count_rubbish", fake_run_rubbish},
    {"count_result", fake_answer},
    {"count_cuda_error", fake_run_cuda_error},
    {"count_out_of_memory", fake_run_out_of_memory},
    {"count_killed", fake_run_killed},
    {"count_slow", count_slow},
    {"count_nobody", count_nobody},
    {"count_no_room", count_no_room},
    {NULL, NULL},
};

/* ---- what may happen at its start ---- */

static bool mortal;   /* is killed in its first run */
static bool unproven; /* answers its test copy with a failure */

static void hello(void)
{
    fake_send(protocol_write_hello(3, true, getpid(), &facts));
}

static void start_no_hello(void)
{
    fake_pause_ms(600000);
}

static void start_late_hello(void)
{
    fake_pause_ms(300);
    hello();
}

static void start_chatter(void)
{
    fake_put_text("Welcome to the cluster!\n\n{\"type\":\"progress\",\"id\":\"1\",\"phase\":\"check\"}\n");
    hello();
}

static void start_old_protocol(void)
{
    fake_put_text("{\"type\":\"hello\",\"protocol\":99}\n");
}

static void start_banner(void)
{
    fake_put_text("Welcome to the cluster!\n");
    start_old_protocol();
}

static void start_exclusive(void)
{
    strcpy(facts.compute_mode, "exclusive_process");
    hello();
}

static void start_no_counting(void)
{
    if (counting) {
        fprintf(stderr, "no profiler here\n");
        exit(1);
    }
    hello();
}

static void start_slow_counting(void)
{
    if (counting)
        fake_pause_ms(600000);
    hello();
}

/* As behind a scheduler, which gives each what it has. */
static void start_other_device(void)
{
    if (counting)
        strcpy(facts.uuid, "FAKE-1");
    hello();
}

/* Says hello, and reads nothing after it. */
static void start_deaf(void)
{
    hello();
    fake_pause_ms(600000);
}

/* Not even its pipe is there to be written to. */
static void start_closed(void)
{
    close(STDIN_FILENO);
    fake_note("start %ld\n", (long)getpid());
    start_deaf();
}

static void start_exit(void)
{
    fprintf(stderr, "no such device\n");
    exit(1);
}

static void start_mortal(void)
{
    mortal = true;
    hello();
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
    {"no_hello", start_no_hello},
    {"late_hello", start_late_hello},
    {"chatter", start_chatter},
    {"old_protocol", start_old_protocol},
    {"exit", start_exit},
    {"deaf", start_deaf},
    {"closed", start_closed},
    {"unproven", start_unproven},
    {"banner", start_banner},
    {"exclusive", start_exclusive},
    {"no_counting", start_no_counting},
    {"slow_counting", start_slow_counting},
    {"other_device", start_other_device},
    {"mortal", start_mortal},
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

/* As long for the same experiment each time. */
static void pause_by(const char *id)
{
    unsigned long sum = 5381;
    for (const char *letter = id; *letter; letter++)
        sum = sum * 33 + (unsigned char)*letter;
    if (pause_ms > 0 && strcmp(id, "selftest") != 0)
        fake_pause_ms(1 + (long)(sum % (unsigned long)pause_ms));
}

/* The behaviour that the request's label names; NULL: none of these. */
static const struct behaviour *behaviour_of(const char *request, const struct behaviour *of)
{
    for (size_t i = 0; of[i].name; i++) {
        char label[64];
        snprintf(label, sizeof label, "\"fake\":\"%s\"", of[i].name);
        if (strstr(request, label))
            return &of[i];
    }
    return NULL;
}

static void run(const struct message *message)
{
    const struct behaviour *as = behaviour_of(message->request, fake_runs);
    if (!as)
        as = behaviour_of(message->request, fake_endless_runs);
    if (mortal)
        fake_run_killed(message->id);
    fake_note("run %ld %s\n", (long)getpid(), message->id);
    if (!as)
        pause_by(message->id);
    if (unproven && strcmp(message->id, "selftest") == 0)
        fake_fail(message->id, ERROR_INCORRECT, "{\"correctness\":{\"verified\":false}}");
    else
        (as ? as->run : fake_answer)(message->id);
}

static void count(const struct message *message)
{
    const struct behaviour *as = NULL;
    fake_note("count %ld %d\n", (long)getpid(), message->ahead.count);
    for (int i = 0; i < message->ahead.count && !as; i++)
        as = behaviour_of(message->ahead.at[i].request, counted);
    (as ? as->run : count_all)(message->id);
}

static void answer(const struct message *message)
{
    fake_asked = message;
    if (message->type == MESSAGE_COUNT || message->type == MESSAGE_RUN)
        (message->type == MESSAGE_COUNT ? count : run)(message);
}

static void serve_leased(void)
{
    for (;;) {
        struct message *message = channel_read(fake_channel);
        answer(message);
        channel_end(fake_channel);
        protocol_message_free(message);
        free(message);
    }
}

/* Until its input ends. False: what came is no message. It sends no beats. */
static bool serve(void)
{
    struct buffer in = {0};
    struct protocol_frame frame;
    char chunk[4096];
    for (ssize_t count; (count = read(STDIN_FILENO, chunk, sizeof chunk)) > 0;) {
        buffer_append(&in, chunk, (size_t)count);
        for (ssize_t bytes; (bytes = protocol_frame_find(&frame, in.data, in.size)) > 0;) {
            struct message message;
            if (protocol_parse(&message, &frame, NULL) < 0)
                return false;
            answer(&message);
            protocol_message_free(&message);
            buffer_consume(&in, (size_t)bytes);
        }
    }
    buffer_free(&in);
    return true;
}

int main(int argc, char **argv)
{
    char *mode = NULL, *file = NULL;
    bool leased = false;
    double leave_s = 20;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--fake") == 0)
            mode = argv[i + 1];
        if (strcmp(argv[i], "--starts") == 0)
            file = argv[i + 1];
        if (strcmp(argv[i], "--pause-ms") == 0 && argv[i + 1])
            pause_ms = atol(argv[i + 1]);
        if (strcmp(argv[i], "--work-log") == 0)
            fake_work_log = open(argv[i + 1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
        if (strcmp(argv[i], "--leave-seconds") == 0 && argv[i + 1])
            leave_s = atof(argv[i + 1]);
        counting |= strcmp(argv[i], "--counting") == 0;
        leased |= strcmp(argv[i], "--leased") == 0;
    }
    if (!leased)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    else if (channel_open(&fake_channel, leave_s, NULL) < 0)
        return EXECUTOR_FAILED;
    start(mode, file);
    if (leased)
        serve_leased();
    if (!serve())
        return EXECUTOR_BROKEN;
    fake_note("end %ld %s\n", (long)getpid(), counting ? "counting" : "timing");
    return 0;
}
