/* What the executor that misbehaves may do in a run. */
#include "tests/faults/fake_executor.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int fake_work_log = -1;
const struct message *fake_asked;
struct channel *fake_channel;

void fake_put(const char *bytes, size_t count)
{
    if (fake_channel) {
        struct buffer copy = {0};
        buffer_append(&copy, bytes, count);
        channel_write(fake_channel, copy);
        return;
    }
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

/* One write, so that lines of several executors do not mix. */
void fake_note(const char *format, ...)
{
    char line[128];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (fake_work_log >= 0 && write(fake_work_log, line, (size_t)length) != length)
        _exit(5);
}

void fake_put_text(const char *text)
{
    fake_put(text, strlen(text));
}

void fake_send(struct buffer frame)
{
    /* Noted before the service can know of it and ask somebody else. */
    if (!strstr(frame.data, "\"type\":\"progress\"") && !strstr(frame.data, "\"type\":\"hello\""))
        fake_note("done %ld\n", (long)getpid());
    fake_put(frame.data, frame.size);
    buffer_free(&frame);
}

void fake_pause_ms(long ms)
{
    struct timespec left = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    while (nanosleep(&left, &left) < 0 && errno == EINTR)
        ;
}

void fake_fail(const char *id, enum error_kind kind, const char *result)
{
    struct error failure = {.kind = kind};
    snprintf(failure.text, sizeof failure.text, "made up: %s", error_kind_name(kind));
    fake_send(protocol_write_error(id, &failure, result));
}

/* What it was given to know of counters and of its counting executor is in the result. */
void fake_answer(const char *id)
{
    char result[8192];
    fake_send(protocol_write_progress(id, "check", 0));
    snprintf(result, sizeof result,
             "{\"device\":{\"index\":0,\"backend\":\"fake\",\"counting_pid\":%d},"
             "\"timing\":{\"cold\":{\"samples\":30,\"median_us\":10.5}},\"counters\":%s,"
             "\"correctness\":{\"verified\":true,\"elements_checked\":65536,\"mismatches\":0}}",
             (int)fake_asked->counting_pid, fake_asked->counters ? fake_asked->counters : "{}");
    fake_send(protocol_write_result(id, result, NULL));
}

/* ---- what may happen in a run ---- */

void fake_run_crash(const char *id)
{
    (void)id;
    signal(SIGSEGV, SIG_DFL); /* a sanitizer's handler would make an exit of it */
    raise(SIGSEGV);
}

void fake_run_exit(const char *id)
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

void fake_run_hang(const char *id)
{
    (void)id;
    fake_pause_ms(600000);
}

static void run_stubborn(const char *id)
{
    signal(SIGTERM, SIG_IGN);
    fake_run_hang(id);
}

void fake_run_rubbish(const char *id)
{
    fake_put_text("Segmentation fault? No, just a library that prints\n");
    fake_answer(id);
}

static void run_long_line(const char *id)
{
    static char much[2 << 20];
    memset(much, 'x', sizeof much);
    fake_put(much, sizeof much);
    fake_put_text("\n");
    fake_answer(id);
}

static void put_result(const char *id, long bytes, const char *result)
{
    char header[128];
    snprintf(header, sizeof header, "{\"bytes\":%ld,\"type\":\"result\",\"id\":\"%s\",\"result\":%zu}\n",
             bytes, id, strlen(result));
    fake_put_text(header);
    fake_put_text(result);
}

static void run_huge_payload(const char *id)
{
    put_result(id, 1L << 40, "{}");
    fake_run_hang(id);
}

/* The payload ends the process before it is whole. */
static void run_cut_payload(const char *id)
{
    put_result(id, 100, "{\"correctness\":{\"verified\":true}}");
    _exit(0);
}

static void run_two_lines(const char *id)
{
    static const char result[] = "{\"correctness\":\n{\"verified\":true}}";
    put_result(id, sizeof result - 1, result);
}

static void run_no_json(const char *id)
{
    static const char result[] = "{\"correctness\":{\"verified\":true}";
    put_result(id, sizeof result - 1, result);
}

static void run_wrong_id(const char *id)
{
    (void)id;
    fake_answer("somebody-else");
}

static void run_close_stdout(const char *id)
{
    close(STDOUT_FILENO);
    fake_run_hang(id);
}

static void run_partial(const char *id)
{
    struct buffer frame = protocol_write_result(id, "{\"correctness\":{\"verified\":true}}", NULL);
    fake_put(frame.data, frame.size / 2);
    _exit(0);
}

static void run_slow(const char *id)
{
    fake_pause_ms(400);
    fake_answer(id);
}

/* The work log has a line each 20 ms, as long as the process is there. */
static void work(const char *id, int ms)
{
    fake_send(protocol_write_progress(id, "check", 0));
    for (; ms > 0; ms -= 20) {
        fake_note("at %ld\n", (long)getpid());
        fake_pause_ms(20);
    }
    fake_answer(id);
}

static void run_works(const char *id)
{
    work(id, 1500);
}

/* For much longer, when nothing else has happened before. */
static void run_works_long_first(const char *id)
{
    struct stat work_log = {0};
    bool first = fstat(fake_work_log, &work_log) == 0 && work_log.st_size < 100;
    work(id, first ? 60000 : 1500);
}

/* Opening takes longer than a short experiment may. */
static void run_slow_open(const char *id)
{
    fake_send(protocol_write_progress(id, PROTOCOL_PHASE_OPEN, 0));
    fake_pause_ms(1000);
    fake_send(protocol_write_progress(id, "prepare", 0));
    fake_answer(id);
}

/* So do waits for a lock before the run, and before the copies. */
static void run_slow_locks(const char *id)
{
    for (int i = 0; i < 2; i++) {
        fake_send(protocol_write_progress(id, PROTOCOL_PHASE_LOCKED, 0));
        fake_pause_ms(500);
        fake_send(protocol_write_progress(id, i ? "transfers" : "prepare", 0));
    }
    fake_answer(id);
}

static void run_locks_without_end(const char *id)
{
    for (int i = 0; i < 3; i++)
        fake_send(protocol_write_progress(id, PROTOCOL_PHASE_LOCKED, 0));
    fake_pause_ms(600000);
}

/* Never silent, never done. */
static void run_flood(const char *id)
{
    for (;;) {
        fake_send(protocol_write_progress(id, "check", 0));
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

void fake_run_cuda_error(const char *id)
{
    fake_fail(id, ERROR_CUDA, NULL);
    _exit(1);
}

static void run_device_lost(const char *id)
{
    fake_fail(id, ERROR_DEVICE_LOST, NULL);
    fake_run_hang(id); /* it should leave, and does not */
}

void fake_run_out_of_memory(const char *id)
{
    fake_fail(id, ERROR_OUT_OF_MEMORY, NULL);
}

static void run_incorrect(const char *id)
{
    fake_fail(id, ERROR_INCORRECT, "{\"correctness\":{\"verified\":false,\"mismatches\":3}}");
}

static void run_then_dies(const char *id)
{
    fake_answer(id);
    fake_pause_ms(50);
    _exit(9);
}

static void run_then_talks(const char *id)
{
    fake_answer(id);
    fake_pause_ms(50);
    fake_put_text("and another thing\n");
}

static void run_twice(const char *id)
{
    fake_answer(id);
    fake_answer(id);
}

/* The second answer comes when the next run is on its way. */
static void run_late(const char *id)
{
    fake_answer(id);
    if (fork() == 0) {
        fake_pause_ms(100);
        fake_answer(id);
        _exit(0);
    }
}

static void run_open_again(const char *id)
{
    for (;;) {
        fake_send(protocol_write_progress(id, PROTOCOL_PHASE_OPEN, 0));
        fake_pause_ms(20);
    }
}

/* Between two openings it says that it goes on, which begins its time anew. */
static void run_reopen(const char *id)
{
    for (;;) {
        fake_send(protocol_write_progress(id, PROTOCOL_PHASE_OPEN, 0));
        fake_send(protocol_write_progress(id, "prepare", 0));
        fake_pause_ms(20);
    }
}

static void run_nothing_in_it(const char *id)
{
    fake_send(protocol_write_result(id, "{}", NULL));
}

static void run_unverified(const char *id)
{
    fake_send(protocol_write_result(id, "{\"correctness\":{\"verified\":false,\"mismatches\":3}}", NULL));
}

static void run_members(const char *id)
{
    fake_send(protocol_write_result(
        id, "{\"correctness\":{\"verified\":true},\"state\":\"queued\",\"id\":\"01\"}", NULL));
}

static void run_cancelled(const char *id)
{
    fake_fail(id, ERROR_CANCELLED, NULL);
}

/* Leaves somebody behind who is in no group of its. */
static void run_leaver(const char *id)
{
    if (fork() == 0) {
        setsid();
        if (fork())
            _exit(0);
        close(STDOUT_FILENO);
        close(STDERR_FILENO);
        fake_note("leaver %ld\n", (long)getpid());
        prctl(PR_SET_PDEATHSIG, 0);
        fake_pause_ms(600000);
    }
    fake_pause_ms(200);
    fake_answer(id);
}

void fake_run_killed(const char *id)
{
    (void)id;
    raise(SIGKILL);
}

/* As long as somebody counts beside it. */
static void run_crowded(const char *id)
{
    if (fake_asked->counting_pid)
        fake_run_out_of_memory(id);
    else
        fake_answer(id);
}

const struct behaviour fake_runs[] = {
    {"crash", fake_run_crash},
    {"exit", fake_run_exit},
    {"last_words", run_last_words},
    {"hang", fake_run_hang},
    {"stubborn", run_stubborn},
    {"rubbish", fake_run_rubbish},
    {"long_line", run_long_line},
    {"huge_payload", run_huge_payload},
    {"cut_payload", run_cut_payload},
    {"two_lines", run_two_lines},
    {"no_json", run_no_json},
    {"wrong_id", run_wrong_id},
    {"close_stdout", run_close_stdout},
    {"partial", run_partial},
    {"slow", run_slow},
    {"works", run_works},
    {"works_long_first", run_works_long_first},
    {"slow_open", run_slow_open},
    {"slow_locks", run_slow_locks},
    {"locks_without_end", run_locks_without_end},
    {"flood", run_flood},
    {"orphan", run_orphan},
    {"cuda_error", fake_run_cuda_error},
    {"device_lost", run_device_lost},
    {"out_of_memory", fake_run_out_of_memory},
    {"incorrect", run_incorrect},
    {"then_dies", run_then_dies},
    {"then_talks", run_then_talks},
    {"twice", run_twice},
    {"late", run_late},
    {"open_again", run_open_again},
    {"reopen", run_reopen},
    {"nothing_in_it", run_nothing_in_it},
    {"unverified", run_unverified},
    {"members", run_members},
    {"cancelled", run_cancelled},
    {"leaver", run_leaver},
    {"killed", fake_run_killed},
    {"crowded", run_crowded},
    {NULL, NULL},
};
