/* Runs in which the executor that misbehaves never comes to an end by itself. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/faults/fake_executor.h"

/* A line without an end, byte by byte. */
static void run_drip(const char *id)
{
    (void)id;
    for (;; fake_pause_ms(1))
        fake_put("x", 1);
}

static void run_beats(const char *id)
{
    (void)id;
    for (;; fake_pause_ms(1))
        fake_send(protocol_write_beat(0));
}

static void run_stopped(const char *id)
{
    (void)id;
    raise(SIGSTOP);
    fake_pause_ms(600000);
}

static void run_half(const char *id)
{
    struct buffer frame = protocol_write_result(id, "{\"correctness\":{\"verified\":true}}", NULL);
    fake_put(frame.data, frame.size / 2);
    fake_run_hang(id);
}

/* About when its time is over. */
static void run_late_rubbish(const char *id)
{
    fake_pause_ms(500);
    fake_put_text("not yet\n");
    fake_run_hang(id);
}

static void run_opens(const char *id)
{
    fake_send(protocol_write_progress(id, PROTOCOL_PHASE_OPEN, 0));
    fake_run_hang(id);
}

static void run_waits(const char *id)
{
    fake_send(protocol_write_progress(id, PROTOCOL_PHASE_LOCKED, 0));
    fake_run_hang(id);
}

/* Ends, and leaves somebody behind in a session of its own who goes on talking. */
static void run_heir(const char *id)
{
    if (fork() == 0) {
        setsid();
        if (fork())
            _exit(0);
        prctl(PR_SET_PDEATHSIG, 0);
        signal(SIGPIPE, SIG_DFL);
        alarm(60); /* nobody ends it where it is another command's */
        for (;; fake_pause_ms(1)) {
            struct buffer frame = protocol_write_progress(id, "check", 0);
            fake_put(frame.data, frame.size);
            buffer_free(&frame);
        }
    }
    fake_pause_ms(200);
    _exit(0);
}

/* Its answer is right, and then it says that it is there, faster than anybody listens. */
static void run_then_beats(const char *id)
{
    static char beats[1 << 16];
    struct buffer beat = protocol_write_beat(0);
    size_t length = beat.size, count = sizeof beats / length;
    for (size_t i = 0; i < count; i++)
        memcpy(beats + i * length, beat.data, length);
    buffer_free(&beat);
    fake_answer(id);
    for (;;)
        fake_put(beats, count * length);
}

const struct behaviour fake_endless_runs[] = {
    {"drip", run_drip},
    {"beats", run_beats},
    {"stopped", run_stopped},
    {"half", run_half},
    {"late_rubbish", run_late_rubbish},
    {"opens", run_opens},
    {"waits", run_waits},
    {"heir", run_heir},
    {"then_beats", run_then_beats},
    {NULL, NULL},
};
