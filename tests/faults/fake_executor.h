/* What the executor that misbehaves is made of: what it says, and what may happen in a run. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "api/protocol.h"
#include "executor/channel.h"

extern int fake_work_log; /* a descriptor, or -1 */
extern const struct message *fake_asked;
extern struct channel *fake_channel; /* NULL: it speaks on its standard output itself */

/* One write, so that lines of several executors do not mix. */
void fake_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void fake_put(const char *bytes, size_t count); /* as they are */
void fake_put_text(const char *text);
void fake_send(struct buffer frame); /* and frees it */
void fake_pause_ms(long ms);
void fake_fail(const char *id, enum error_kind kind, const char *result);

/* A good result. What the run was given of counters and of its counting executor is in it. */
void fake_answer(const char *id);

struct behaviour {
    const char *name;
    void (*run)(const char *id);
};

extern const struct behaviour fake_runs[]; /* ended by a NULL name, as the next */
extern const struct behaviour fake_endless_runs[];

/* Those of them that may happen in a count too. */
void fake_run_crash(const char *id);
void fake_run_exit(const char *id);
void fake_run_hang(const char *id);
void fake_run_rubbish(const char *id);
void fake_run_cuda_error(const char *id);
void fake_run_out_of_memory(const char *id);
void fake_run_killed(const char *id);
