#include "server/store/job.h"

#include <stdlib.h>

#include "base/words.h"

static const char *const state_names[JOB_STATES] = {
    [JOB_QUEUED] = "queued", [JOB_RUNNING] = "running",     [JOB_SUCCEEDED] = "succeeded",
    [JOB_FAILED] = "failed", [JOB_CANCELLED] = "cancelled",
};

const char *job_state_name(enum job_state state)
{
    return (unsigned)state < JOB_STATES ? state_names[state] : "unknown";
}

int job_state_of(const char *name)
{
    return words_find(name, WORDS_TABLE(state_names));
}

static const char *const sweep_state_names[SWEEP_STATES] = {
    [SWEEP_RUNNING] = "running",
    [SWEEP_SUCCEEDED] = "succeeded",
    [SWEEP_FINISHED] = "finished",
    [SWEEP_CANCELLED] = "cancelled",
};

const char *sweep_state_name(enum sweep_state state)
{
    return sweep_state_names[state];
}

int sweep_state_of(const char *name)
{
    return words_find(name, WORDS_TABLE(sweep_state_names));
}

enum sweep_state sweep_row_state(const struct sweep_row *row)
{
    if (!sweep_row_ended(row))
        return SWEEP_RUNNING;
    int succeeded = row->states[JOB_SUCCEEDED];
    if (row->cancelled || (row->states[JOB_CANCELLED] && !succeeded && !row->states[JOB_FAILED]))
        return SWEEP_CANCELLED;
    return succeeded && succeeded + row->removed == row->total ? SWEEP_SUCCEEDED : SWEEP_FINISHED;
}

void sweep_row_clear(struct sweep_row *row)
{
    free(row->request);
    free(row->recipe);
    free(row->entry);
    *row = (struct sweep_row){0};
}

void job_free(struct job *job)
{
    if (!job)
        return;
    free(job->kernel);
    free(job->entry);
    free(job->request);
    free(job->result);
    free(job->lost);
    free(job);
}
