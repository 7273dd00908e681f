/* The executor that counts beside the one that times: whatever becomes of it, no experiment fails for it. */
#include "tests/faults/worked.h"

enum { SWEEP = 20 };

/* ---- what the executors wrote down ---- */

struct work_log {
    int runs, counts, together; /* how many were counted at once, at most */
    int timing_ends;            /* of executors that time, in order */
    bool overlap;               /* somebody began while somebody else was at it; a crash looks the same */
    bool crowded;               /* somebody began while another process held a context */
};

static struct work_log work_log_read(const char *path)
{
    struct work_log work_log = {0};
    char line[128], what[16];
    long pid, holder = 0, busy = 0;
    FILE *file = fopen(path, "r");
    for (int points; file && fgets(line, sizeof line, file);) {
        points = 0;
        if (sscanf(line, "%15s %ld %d", what, &pid, &points) < 2)
            continue;
        bool run = strcmp(what, "run") == 0, count = strcmp(what, "count") == 0;
        work_log.runs += run && !strstr(line, "selftest");
        work_log.counts += count;
        if (count && points > work_log.together)
            work_log.together = points;
        if (run || count) {
            work_log.overlap |= busy != 0;
            work_log.crowded |= holder != 0 && holder != pid;
            busy = holder = pid;
        } else if (strcmp(what, "end") == 0) {
            work_log.timing_ends += strstr(line, "timing") != NULL;
            holder = holder == pid ? 0 : holder;
        } else {
            busy = 0;
        }
    }
    if (file)
        fclose(file);
    return work_log;
}

/* ---- experiments ---- */

static void submit_counted(struct fixture *f, const char *behaviour, double timeout_s, char id[ID_BYTES])
{
    char request[128];
    struct plain submission = service_request(0, 0);
    snprintf(request, sizeof request, "{\"kernel\":\"copy\",\"counters\":true,\"labels\":{\"fake\":\"%s\"}}",
             behaviour);
    submission.request = request;
    submission.timeout_s = timeout_s;
    struct submitted submitted = service_submit(&f->service, &submission);
    assert_int_equal(submitted.outcome, SUBMITTED_NEW);
    memcpy(id, submitted.id, ID_BYTES);
}

/* It succeeds at its first attempt, and this is in its result. */
static void succeeds_with(struct fixture *f, const char *id, const char *text)
{
    struct job *job = wait_for(f, id, JOB_SUCCEEDED);
    assert_int_equal(job->attempt, 1);
    if (!strstr(job->result, text))
        fail_msg("no %s in %s", text, job->result);
    job_free(job);
}

/* A sweep of SWEEP experiments, of which one behaves as told; and waits until all of it has ended. */
static struct sweep_row sweep(struct fixture *f, int which, const char *behaviour)
{
    char texts[SWEEP][96], id[ID_BYTES];
    const char *requests[SWEEP];
    struct sweep_row row = {0};
    for (int i = 0; i < SWEEP; i++) {
        snprintf(texts[i], sizeof texts[i],
                 "{\"kernel\":\"copy\",\"counters\":true,\"labels\":{\"fake\":\"%s\"}}",
                 i == which ? behaviour : "nothing");
        requests[i] = texts[i];
    }
    service_sweep(&f->service, requests, SWEEP, 0.3, id);
    int ended = 0;
    for (int tries = 0; tries < WITHIN_S * 200 && ended < SWEEP; tries++, pause_ms(5)) {
        sweep_row_clear(&row);
        assert_int_equal(store_sweep(f->service.store, id, &row, NULL), 0);
        ended = row.states[JOB_SUCCEEDED] + row.states[JOB_FAILED] + row.states[JOB_CANCELLED];
    }
    return row;
}

static void begin_quickly(struct fixture *f)
{
    f->config.count_s = 0.2;
    begin(f);
}

/* ---- tests ---- */

static void counts_come_from_a_process_of_their_own_and_go_into_the_result(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES], plain[ID_BYTES], text[96];
    begin(f);
    submit(f, "nothing", 10, plain);
    succeeds_with(f, plain, "\"counting_pid\":0");
    submit_counted(f, "nothing", 10, id);
    snprintf(text, sizeof text, "\"counters\":{\"of\":\"%s\",\"place\":0,\"points\":1}", id);
    succeeds_with(f, id, text);
    struct device_status status = wait_for_health(f);
    assert_true(status.own.pid[0] > 0 && status.own.pid[1] > 0);
    assert_int_not_equal(status.own.pid[0], status.own.pid[1]);
    assert_int_equal(status.executor, status.own.pid[0]);
    submit(f, "nothing", 10, plain);
    snprintf(text, sizeof text, "\"counting_pid\":%ld", (long)status.own.pid[1]);
    succeeds_with(f, plain, text);
}

static void sixteen_of_a_sweep_are_counted_at_once_and_never_while_one_is_timed(void **state)
{
    struct fixture *f = *state;
    begin(f);
    struct sweep_row row = sweep(f, -1, "");
    assert_int_equal(row.states[JOB_SUCCEEDED], SWEEP);
    sweep_row_clear(&row);
    struct work_log work_log = work_log_read(f->work_log);
    assert_int_equal(work_log.runs, SWEEP);
    assert_int_equal(work_log.counts, 2);
    assert_int_equal(work_log.together, PROTOCOL_POINTS);
    assert_false(work_log.overlap);
}

/* The others are counted all the same, one by one. */
static void a_point_that_cannot_be_counted_costs_its_own_count_alone(void **state)
{
    static const char *const behaviours[] = {"count_crash",   "count_exit",   "count_hang",
                                             "count_rubbish", "count_result", "count_cuda_error",
                                             "count_killed",  "count_nobody", "count_out_of_memory"};
    struct fixture *f = *state;
    begin_quickly(f);
    for (size_t i = 0; i < sizeof behaviours / sizeof *behaviours; i++) {
        struct sweep_row row = sweep(f, 3, behaviours[i]);
        if (row.states[JOB_SUCCEEDED] != SWEEP)
            fail_msg("%s: %d of %d succeeded", behaviours[i], (int)row.states[JOB_SUCCEEDED], SWEEP);
        sweep_row_clear(&row);
        /* Once together with the sixteen, then each of these, then those behind. */
        struct work_log work_log = work_log_read(f->work_log);
        assert_in_range(work_log.counts, 1 + PROTOCOL_POINTS, 1 + SWEEP);
        unlink(f->work_log);
        stop_worker(f);
        service_stop(&f->service);
        begin(f);
    }
    assert_int_equal(wait_for_health(f).failures, 0);
}

static void a_lost_count_says_why(void **state)
{
    static const struct {
        const char *behaviour, *reason;
    } cases[] = {
        {"count_crash", "killed by SIGSEGV"},
        {"count_exit", "exit status 7"},
        {"count_hang", "not counted within"},
        {"count_rubbish", "broke the protocol"},
        {"count_cuda_error", "made up: cuda_error"},
        {"count_killed", "killed by SIGKILL"},
        {"count_nobody", "left out what it was asked for"},
    };
    struct fixture *f = *state;
    begin_quickly(f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char id[ID_BYTES];
        submit_counted(f, cases[i].behaviour, 0.3, id);
        succeeds_with(f, id, "\"counters\":{\"reason\":");
        succeeds_with(f, id, cases[i].reason);
    }
}

static void without_an_executor_that_counts_experiments_run_at_once(void **state)
{
    struct fixture *f = *state;
    char ids[5][ID_BYTES];
    misbehave(f, "no_counting");
    begin(f);
    int64_t start = clock_monotonic_ns();
    for (int i = 0; i < 5; i++)
        submit_counted(f, "nothing", 10, ids[i]);
    for (int i = 0; i < 5; i++)
        succeeds_with(f, ids[i], "no profiler here");
    assert_true(clock_monotonic_ns() - start < INT64_C(10000000000));
    assert_true(wait_for_health(f).healthy);
}

/* Whatever it was at: no experiment fails, and each has its counts or says why not. */
static void a_cancel_does_not_wait_for_the_one_that_counts_to_start(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->config.listing.start_s = 30; /* longer than a state is waited for */
    misbehave(f, "slow_counting");
    begin(f);
    submit_counted(f, "nothing", 10, id);
    job_free(wait_for(f, id, JOB_RUNNING));
    pause_ms(200);
    assert_int_equal(service_cancel(&f->service, id, NULL), 0);
    job_free(wait_for(f, id, JOB_CANCELLED));
}

static void counts_of_another_device_are_no_counts(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    misbehave(f, "other_device");
    begin(f);
    for (int i = 0; i < 2; i++) {
        submit_counted(f, "nothing", 10, id);
        succeeds_with(f, id, "got another device, FAKE-1, than the one that times, FAKE-0");
    }
    struct work_log work_log = work_log_read(f->work_log);
    assert_int_equal(work_log.counts, 0);
}

/* Another command may cost an allocation each time that it is started. */
static void another_command_counts_where_that_is_said(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->config.listing.own = false;
    for (int i = 0; i < 2; i++) {
        f->config.listing.counting = i;
        begin(f);
        submit_counted(f, "nothing", 10, id);
        succeeds_with(f, id, i ? "\"points\":1" : "\\\"counting\\\": true");
        assert_int_equal(work_log_read(f->work_log).counts, i);
        stop_worker(f);
        service_stop(&f->service);
    }
}

/* Was that executor given a count, by its own account? */
static bool was_asked(struct fixture *f, pid_t wanted)
{
    char line[128];
    long pid;
    bool found = false;
    FILE *file = fopen(f->work_log, "r");
    while (file && !found && fgets(line, sizeof line, file))
        found = sscanf(line, "count %ld", &pid) == 1 && pid == wanted;
    if (file)
        fclose(file);
    return found;
}

static void twenty_kills_in_the_middle_of_counting_fail_no_experiment(void **state)
{
    struct fixture *f = *state;
    char ids[20][ID_BYTES];
    begin(f);
    for (int i = 0; i < 20; i++) {
        struct device_status status = {0};
        submit_counted(f, "count_hang", 10, ids[i]);
        for (int tries = 0; tries < 10000 && !was_asked(f, (pid_t)status.own.pid[1]); tries++, pause_ms(2))
            devices_get(f->devices, 0, &status);
        assert_int_equal(kill((pid_t)status.own.pid[1], SIGKILL), 0);
        succeeds_with(f, ids[i], "killed by SIGKILL");
    }
}

static void a_cancelled_experiment_is_ended_while_it_is_counted(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES], next[ID_BYTES];
    begin(f);
    submit_counted(f, "count_hang", 60, id);
    job_free(wait_for(f, id, JOB_RUNNING));
    pause_ms(50);
    assert_int_equal(service_cancel(&f->service, id, NULL), 0);
    job_free(wait_for(f, id, JOB_CANCELLED));
    submit_counted(f, "nothing", 10, next);
    succeeds_with(f, next, next);
}

static void a_stop_hands_back_what_is_being_counted(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    f->config.grace_s = 30;
    begin(f);
    submit_counted(f, "count_hang", 60, id);
    job_free(wait_for(f, id, JOB_RUNNING));
    pause_ms(50);
    int64_t start = clock_monotonic_ns();
    stop_worker(f);
    assert_true(clock_monotonic_ns() - start < INT64_C(10000000000));
    struct job *job = wait_for(f, id, JOB_QUEUED);
    assert_int_equal(job->attempt, 0);
    job_free(job);
}

/* It cannot be within the experiment's time, which is shorter. */
static void counting_is_not_the_experiments_time(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    begin(f);
    submit_counted(f, "count_slow", 0.1, id);
    succeeds_with(f, id, id);
}

static void an_exclusive_device_is_used_in_turns(void **state)
{
    struct fixture *f = *state;
    misbehave(f, "exclusive");
    begin(f);
    struct sweep_row row = sweep(f, -1, "");
    assert_int_equal(row.states[JOB_SUCCEEDED], SWEEP);
    sweep_row_clear(&row);
    struct work_log work_log = work_log_read(f->work_log);
    assert_int_equal(work_log.counts, 2);
    assert_false(work_log.overlap || work_log.crowded);
}

static void who_timed_makes_room_for_a_count_that_does_not_fit(void **state)
{
    struct fixture *f = *state;
    char plain[ID_BYTES], id[ID_BYTES];
    begin(f);
    submit(f, "nothing", 10, plain);
    succeeds(f, plain);
    assert_int_equal(work_log_read(f->work_log).timing_ends, 0);
    submit_counted(f, "count_no_room", 10, id);
    succeeds_with(f, id, id);
    assert_int_equal(work_log_read(f->work_log).timing_ends, 1);
}

static void who_counted_makes_room_for_a_run_that_does_not_fit(void **state)
{
    struct fixture *f = *state;
    char id[ID_BYTES];
    begin(f);
    submit_counted(f, "crowded", 10, id);
    succeeds_with(f, id, id);
    assert_int_equal(wait_for_health(f).own.pid[1], 0);
}

static void an_idle_executor_that_counts_is_ended(void **state)
{
    struct fixture *f = *state;
    struct device_status status;
    char id[ID_BYTES];
    f->config.listing.idle_s = 0.3;
    begin(f);
    submit_counted(f, "nothing", 10, id);
    succeeds_with(f, id, id);
    for (int tries = 0; tries < 1000; tries++, pause_ms(5)) {
        devices_get(f->devices, 0, &status);
        if (!status.own.pid[1])
            break;
    }
    assert_int_equal(status.own.pid[1], 0);
    submit_counted(f, "nothing", 10, id);
    succeeds_with(f, id, id);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORKED(counts_come_from_a_process_of_their_own_and_go_into_the_result),
        WORKED(sixteen_of_a_sweep_are_counted_at_once_and_never_while_one_is_timed),
        WORKED(a_point_that_cannot_be_counted_costs_its_own_count_alone),
        WORKED(a_lost_count_says_why),
        WORKED(without_an_executor_that_counts_experiments_run_at_once),
        WORKED(a_cancel_does_not_wait_for_the_one_that_counts_to_start),
        WORKED(counts_of_another_device_are_no_counts),
        WORKED(another_command_counts_where_that_is_said),
        WORKED(twenty_kills_in_the_middle_of_counting_fail_no_experiment),
        WORKED(a_cancelled_experiment_is_ended_while_it_is_counted),
        WORKED(a_stop_hands_back_what_is_being_counted),
        WORKED(counting_is_not_the_experiments_time),
        WORKED(an_exclusive_device_is_used_in_turns),
        WORKED(who_timed_makes_room_for_a_count_that_does_not_fit),
        WORKED(who_counted_makes_room_for_a_run_that_does_not_fit),
        WORKED(an_idle_executor_that_counts_is_ended),
    };
    worked_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
