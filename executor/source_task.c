#include "executor/source_task.h"

#include <math.h>
#include <stdlib.h>

#include "api/result_json.h"
#include "api/run_request.h"
#include "api/experiment_request.h"
#include "api/source_predictions.h"
#include "api/source_service.h"
#include "base/clock.h"
#include "kernels/source/source_run.h"

/* For each of the two launches: what the limit leaves beside compiling, at most what the sandbox allows. */
static double launch_seconds(const struct experiment_request *asked)
{
    static const double most_s = 55;
    double left_s = asked->experiment.timeout_s * 0.9;
    return fmin(asked->reference.kernel ? left_s / 2 : left_s, most_s);
}

/* A source that cannot be executed is the kernel's fault. */
static void failure_settle(struct error *failure)
{
    if (failure->kind == ERROR_INVALID)
        failure->kind = ERROR_INCORRECT;
    else if (failure->kind == ERROR_UNAVAILABLE || failure->kind == ERROR_MEMORY)
        failure->kind = ERROR_CRASHED;
}

/* Counts what the launch touches, where it came to its end, in what is left of its time. NULL: `why` says why not. */
static const struct source_prediction *count(struct source_predictions *predictions,
                                             struct source_service *service,
                                             const struct experiment *experiment, double spent_s,
                                             struct error *why)
{
    static const double least_s = 0.1;
    const struct source_launch_question question = {.experiment = experiment,
                                                    .seconds = experiment->timeout_s * 0.95 - spent_s};
    struct problems problems = {0};
    *predictions = (struct source_predictions){.count = 0};
    if (question.seconds < least_s) {
        error_set(why, ERROR_TIMED_OUT, "there was no time left to count what the launch touches");
        return NULL;
    }
    json_t *archs = json_pack("[s]", PREDICTION_STAND_IN);
    if (source_predictions_make(predictions, service, &question, archs, &problems, why) == 0 &&
        problems.count)
        error_set(why, ERROR_INVALID, "the launch had a fault: nothing is predicted of it");
    json_decref(archs);
    return why->kind == ERROR_NONE ? &predictions->at[0] : NULL;
}

/* The result's text, to be freed; with *failure where the kernel is wrong or its time was over. NULL: *failure says why there
   is none. */
static char *interpret(struct source_service **service, const struct experiment_request *asked,
                       const struct device_facts *facts, int device, struct error *failure)
{
    struct buffer answer = {0};
    struct experiment told = asked->experiment;
    struct result result = {.device = *facts, .launch = {.registers_per_thread = -1}};
    json_t *members = NULL;
    char *text = NULL;
    told.device = (struct device_choice){.kind = DEVICE_BY_NUMBER, .number = device};
    result.began_ns = clock_monotonic_ns();
    if (!*service && !(*service = source_service_new()))
        error_set(failure, ERROR_MEMORY, "no memory for the sandbox");
    else if (source_service_run(*service, asked, launch_seconds(asked), &answer, failure) == 0)
        members = run_request_read_answer(answer.data, answer.size, failure, failure);
    result.ended_ns = clock_monotonic_ns();
    if (members) {
        struct source_predictions predictions;
        struct error why = {0};
        double spent_s = (double)(result.ended_ns - result.began_ns) / 1e9;
        const struct source_prediction *made = count(&predictions, *service, &told, spent_s, &why);
        if (!(text = result_json_interpreted(&told, &result, members, made, why.text)))
            error_set(failure, ERROR_MEMORY, "no memory for a result");
        source_predictions_free(&predictions);
    }
    if (!text)
        failure_settle(failure);
    json_decref(members);
    buffer_free(&answer);
    return text;
}

bool source_task_answer(struct source_service **service, const struct message *run,
                        const struct device_facts *facts, void (*begin)(void *arg, double timeout_s),
                        void *arg, struct buffer *frame, struct error *failure)
{
    struct request_kernels kernels = {.count = 0};
    struct experiment_request asked;
    struct problems problems = {0};
    char *text = NULL;
    if (!request_kernels_are_joined(run->request))
        return false;
    int status = experiment_request_read_text(&asked, &kernels, run->request, failure);
    if (status == 0 && (experiment_check(&asked.experiment, facts, &problems) < 0 ||
                        experiment_request_check(&asked, &problems) < 0))
        status = error_set(failure, ERROR_INVALID, "%s %s", problems.at[0].pointer, problems.at[0].detail);
    if (status == 0)
        status = source_run_check(&asked.experiment, failure);
    if (status == 0 && asked.reference.kernel)
        status = source_run_check(&asked.reference, failure);
    if (status == 0) {
        begin(arg, asked.experiment.timeout_s);
        text = interpret(service, &asked, facts, run->device, failure);
    }
    *frame = failure->kind != ERROR_NONE ? protocol_write_error(run->id, failure, text)
                                         : protocol_write_result(run->id, text, NULL);
    free(text);
    request_kernels_clear(&kernels);
    return true;
}
