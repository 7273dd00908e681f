/* /v1/predictions: the model alone. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/explain_json.h"
#include "api/json_parts.h"
#include "api/occupancy_json.h"
#include "api/prediction_json.h"
#include "api/source_json.h"
#include "api/sweep.h"
#include "api/time_json.h"
#include "server/routes/service.h"
#include "api/source_predictions.h"
#include "server/routes/stored_source.h"

static route_handler predict;

const struct route prediction_routes[] = {
    /* Predicts an experiment for a list of architectures, or for a calibrated device by its name, without
       queue and device. */
    {"POST", "/v1/predictions", "application/json", .flags = ROUTE_READ | ROUTE_JSON | ROUTE_SLOW,
     .body_max = 256 << 10, .handle = predict},
    {0},
};

/* What the request says besides an experiment. */
struct question {
    json_t *archs;                /* a list of names; owned */
    struct calibration constants; /* of the device that is named: its own, or those that are shipped */
    const struct calibration *calibration; /* the same; NULL: none is named */
    bool one_arch;                         /* one architecture is asked for */
    const struct calibration *meant;       /* by the product that stands for it; NULL: none */
    int what_if;                           /* 1, 0 or -1: not said, as the next three */
    int registers;                         /* a thread */
    int shared_bytes;                      /* a block */
    int parameter_bytes;                   /* of the launch */
    enum l1_setting l1;
    struct explain_question explain;
    struct explain warp; /* where explain is asked for */
    int check;           /* of a source: looked for faults whatever the size; 1, 0 or -1 */
};

/* What is counted. */
struct prediction_counts {
    const struct experiment *experiment;
    struct access access;                   /* of a kernel of the suite */
    struct source_predictions *predictions; /* of a source kernel, by architecture; NULL */
};

/* What was counted of a source for an architecture; NULL: it is a kernel of the suite. */
static const struct source_prediction *source_of(const struct prediction_counts *counted, const char *arch)
{
    return counted->predictions ? source_predictions_find(counted->predictions, arch) : NULL;
}

/* The counts for an architecture: not exact where another one's code was executed. */
static struct access access_of(const struct prediction_counts *counted, const char *arch)
{
    const struct source_prediction *made = source_of(counted, arch);
    return made ? source_predictions_access(made, arch) : counted->access;
}

/* Removes a member from the request, a whole number or, with a `max` of 0, true or false; -1: there is none. */
static int number_take(json_t *request, const char *name, int min, int max, struct problems *problems)
{
    const json_t *value = json_object_get(request, name);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;
    char pointer[64];
    snprintf(pointer, sizeof pointer, "#/%s", name);
    if (!max && json_is_boolean(value))
        number = json_is_true(value);
    else if (value && !max)
        problem_add(problems, pointer, "must be true or false");
    else if (value && (!json_is_integer(value) || number < min || number > max))
        problem_add(problems, pointer, "must be a whole number from %d to %d", min, max);
    json_object_del(request, name);
    return (int)number;
}

static void device_take(struct question *question, struct calibrations *calibrations, json_t *request,
                        struct problems *problems)
{
    const json_t *name = json_object_get(request, "device_name");
    char known[160] = "";
    if (name && !json_is_string(name))
        problem_add(problems, "#/device_name", "must be a string, the name of a calibrated device");
    else if (name && calibrations_of(calibrations, json_string_value(name), &question->constants) == 0)
        question->calibration = &question->constants;
    for (int i = 0; i < calibration_count(); i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s\"%s\"", i ? ", " : "", calibration_at(i)->name);
    }
    if (json_is_string(name) && !question->calibration)
        problem_add(problems, "#/device_name", "no constants are known for \"%.40s\", but for %s",
                    json_string_value(name), known);
    json_object_del(request, "device_name");
}

/* The device that is named has one architecture. */
static void check_device_arch(const struct question *question, struct problems *problems)
{
    size_t i;
    const json_t *name;
    json_array_foreach (question->archs, i, name)
        if (json_is_string(name) && strcmp(json_string_value(name), question->calibration->arch) != 0)
            problem_add(problems, "#/arch", "\"%.64s\" is %s: leave arch out, or leave device_name out",
                        question->calibration->name, question->calibration->arch);
}

/* Removes from the request what is not an experiment's. */
static void question_take(struct question *question, struct calibrations *calibrations, json_t *request,
                          struct problems *problems)
{
    const json_t *asked = json_object_get(request, "arch");
    const json_t *one = json_array_size(asked) == 1 ? json_array_get(asked, 0) : asked;
    question->one_arch = json_is_string(one);
    question->meant = question->one_arch ? calibration_of_product(json_string_value(one)) : NULL;
    device_take(question, calibrations, request, problems);
    question->what_if = number_take(request, "what_if", 0, 0, problems);
    int l1 = number_take(request, "l1", 0, 0, problems);
    question->l1 = l1 < 0 ? L1_BY_ARCH : l1 ? L1_ON : L1_OFF;
    question->archs = !asked && question->calibration ? json_pack("[s]", question->calibration->arch)
                                                      : prediction_json_archs(asked, problems);
    if (question->calibration)
        check_device_arch(question, problems);
    question->registers = number_take(request, "registers_per_thread", 1, 255, problems);
    question->shared_bytes = number_take(request, "shared_bytes_per_block", 0, 1 << 20, problems);
    question->check = number_take(request, "check", 0, 0, problems);
    question->parameter_bytes = number_take(request, "parameter_bytes", 0, 256, problems);
    explain_json_read(&question->explain, json_object_get(request, "explain"), problems);
    json_object_del(request, "explain");
    json_object_del(request, "arch");
    sweep_repeat(request, problems); /* how often it runs changes no prediction */
    json_object_del(request, "repeat");
}

/* The constants of the device that is named, of the product that stands for the architecture, or of its first calibrated one. */
static const struct calibration *constants_of(const struct question *question, const char *arch)
{
    if (question->calibration)
        return question->calibration;
    return question->one_arch ? question->meant : calibration_of_arch(arch);
}

static void write_time(struct json_writer *json, const struct experiment *experiment,
                       const struct access *access, const struct question *question,
                       const struct source_prediction *made, const char *arch)
{
    static const struct text_pair less_sure = {
        "less sure than of a kernel of the suite: the model was fitted to those, and this one was never "
        "timed",
        "不如内置内核的预测可靠：模型是用内置内核拟合的，而这个内核从未计时"};
    const char *untimed = made ? source_predictions_untimed(made) : NULL;
    struct time_question asked = {
        .calibration = constants_of(question, arch),
        .registers = question->registers,
        .shared_bytes = question->shared_bytes,
        .what_if = question->what_if >= 0 ? question->what_if : question->calibration && access->exact,
        .device = -1,
    };
    if (made) { /* another launch of it would have to be executed */
        asked.what_if = false;
        asked.note = less_sure;
    }
    if (made && asked.shared_bytes < 0)
        asked.shared_bytes = (int64_t)(experiment_shared_bytes(experiment) + made->count.static_shared_bytes);
    if (!asked.calibration)
        return;
    if (untimed)
        json_parts_missing(json, "time", "unavailable", untimed);
    else if (question->l1 == L1_OFF)
        json_parts_missing(json, "time", "unavailable",
                           "a device's L1 is not turned off: \"load\": \"cg\" goes past it");
    else
        time_json_write(json, "time", experiment, access, &asked);
}

static void write_prediction(struct json_writer *json, const struct prediction_counts *counted,
                             const struct question *question, const char *arch)
{
    struct prediction_answer answer;
    const struct source_prediction *made = source_of(counted, arch);
    const struct experiment experiment =
        made ? source_predictions_experiment(counted->experiment, made) : *counted->experiment;
    const struct access access = access_of(counted, arch);
    struct occupancy_case fill = occupancy_json_case(&experiment, arch);
    if (made)
        source_predictions_occupancy(&fill, &experiment, made);
    if (question->registers >= 0)
        fill.registers_per_thread = question->registers;
    if (question->shared_bytes >= 0)
        fill.shared_bytes_per_block = (uint64_t)question->shared_bytes;
    if (question->parameter_bytes >= 0)
        fill.parameter_bytes = (uint32_t)question->parameter_bytes;
    prediction_json_make(&answer, &experiment, &access, arch, question->l1);
    if (made)
        source_predictions_code(&answer, made);
    prediction_json_unlaunchable(&answer, occupancy_json_no_room(&fill));
    prediction_json_open(json, NULL, &answer);
    occupancy_json_write(json, "occupancy", &fill);
    write_time(json, &experiment, &access, question, made, arch);
    if (made)
        source_predictions_write(json, &experiment, made, &answer);
    json_writer_end(json);
}

/* One for each name. An architecture that is named twice is predicted once, and the text is repeated. */
static void write_predictions(struct json_writer *json, const struct prediction_counts *counted,
                              const struct question *question)
{
    size_t count = json_array_size(question->archs), begin[PREDICTION_ARCHS] = {0};
    json_writer_begin_array(json, "predictions");
    for (size_t i = 0; i < count && i < PREDICTION_ARCHS && !json->out->failed; i++) {
        const json_t *name = json_array_get(question->archs, i);
        size_t same = 0;
        while (!json_equal(json_array_get(question->archs, same), name))
            same++;
        begin[i] = json->out->size + (i > 0);
        if (same == i) {
            write_prediction(json, counted, question, json_string_value(name));
            continue;
        }
        struct buffer copy = {0};
        buffer_append(&copy, json->out->data + begin[same], begin[same + 1] - 1 - begin[same]);
        json_writer_json(json, NULL, copy.data);
        buffer_free(&copy);
    }
    json_writer_end(json);
}

/* The explanation is in the units of the first architecture whose requests are counted. Where there is none, shared memory
   is counted in the banks of the first that was asked for. */
static void write_explanation(struct json_writer *json, const struct prediction_counts *counted,
                              const struct question *question)
{
    size_t i;
    const json_t *name;
    const char *arch = json_string_value(json_array_get(question->archs, 0));
    struct prediction_answer answer = {0};
    struct access access = counted->access;
    json_array_foreach (question->archs, i, name) {
        access = access_of(counted, json_string_value(name));
        prediction_json_make(&answer, counted->experiment, &access, json_string_value(name), question->l1);
        arch = answer.known ? json_string_value(name) : arch;
        if (answer.known)
            break;
    }
    const struct source_prediction *made = source_of(counted, arch);
    const struct explain *warp = made ? &made->count.listed : &question->warp;
    explain_json_write(json, "explain", counted->experiment, &access, warp, arch_find(arch),
                       answer.known ? &answer.prediction : NULL, made ? &made->count : NULL);
}

static int answer_write(struct buffer *out, const struct prediction_counts *counted,
                        const struct question *question)
{
    struct json_writer json = {.out = out};
    json_writer_begin_object(&json, NULL);
    experiment_text_write(&json, "request", counted->experiment, NULL);
    write_predictions(&json, counted, question);
    if (question->explain.asked)
        write_explanation(&json, counted, question);
    if (counted->predictions)
        source_predictions_write_check(&json, counted->predictions);
    json_writer_end(&json);
    return json_writer_finish(&json) < 0 ? -1 : buffer_text(out, "\n");
}

static enum handled reply_counts(struct request *request, const struct prediction_counts *counted,
                                 const struct question *question)
{
    struct buffer answer = {0};
    enum handled handled = answer_write(&answer, counted, question) == 0
                               ? reply_body(request, 200, &answer)
                               : service_reply_no_memory(request, "for predictions");
    buffer_free(&answer);
    return handled;
}

static enum handled predict_suite(struct request *request, struct prediction_counts *counted,
                                  struct question *question)
{
    enum handled handled;
    if (!question->explain.asked)
        access_count(counted->experiment, &counted->access);
    else if (explain_make(counted->experiment, &counted->access, &question->warp) < 0)
        return service_reply_no_memory(request, "for predictions");
    handled = reply_counts(request, counted, question);
    explain_free(&question->warp);
    return handled;
}

/* Replies with what is wrong with a source, and with the request as it was understood: its launch, and the sizes that were
   derived from the source. */
static enum handled reply_source_faults(struct request *request, const struct experiment *experiment,
                                        const struct problems *problems)
{
    struct buffer taken = {0};
    struct json_writer json = {.out = &taken};
    experiment_text_write(&json, NULL, experiment, NULL);
    const bool written = json_writer_finish(&json) == 0 && buffer_text(&taken, "") == 0;
    enum handled handled = written ? reply_fields_as(request, PROBLEM_INVALID, problems, taken.data)
                                   : service_reply_no_memory(request, "for predictions");
    buffer_free(&taken);
    return handled;
}

static enum handled predict_source(struct request *request, struct prediction_counts *counted,
                                   struct question *question)
{
    enum handled handled;
    struct source_predictions predictions;
    struct problems problems = {0};
    struct error error = {0};
    const struct source_launch_question launch = {
        .experiment = counted->experiment,
        .listed = question->explain.asked ? &question->warp : NULL,
        .check = question->check == 1,
    };
    if (source_predictions_make(&predictions, service_of(request)->sources, &launch, question->archs,
                                &problems, &error) < 0) {
        handled = reply_error(request, &error);
    } else if (problems.count) {
        handled = reply_source_faults(request, counted->experiment, &problems);
    } else {
        counted->predictions = &predictions;
        handled = reply_counts(request, counted, question);
        counted->predictions = NULL;
    }
    source_predictions_free(&predictions);
    return handled;
}

/* Reads the experiment: of a kernel of the suite, or of one that a user brings. Returns the latter, to be freed; NULL: it is
   none. */
static struct source_kernel *experiment_read(struct request *request, struct experiment *experiment,
                                             json_t *object, struct problems *problems, struct error *error)
{
    const struct service *service = service_of(request);
    experiment->kernel = NULL;
    if (!stored_source_is_asked(object)) {
        experiment_json_read(experiment, object, problems);
        return NULL;
    }
    struct source_kernel *brought =
        stored_source_take(service->sources, service->store, request_user(request), object, problems, error);
    if (brought) {
        experiment_json_read_of(experiment, &brought->kernel, object, problems);
        source_json_require(brought, object, problems);
    }
    return brought;
}

static enum handled predict(struct request *request)
{
    enum handled handled;
    struct experiment experiment;
    struct problems problems = {0};
    struct error error = {0};
    struct question question = {0};
    struct prediction_counts counted = {.experiment = &experiment};
    struct device_facts facts;
    char detail[JSON_PARTS_DETAIL_BYTES];
    size_t length;
    const char *body = request_body(request, &length);
    json_t *object = json_parts_body(body, length, "{\"kernel\": \"...\"}", detail);
    if (!object)
        return service_reply_wrong(request, detail);
    question_take(&question, service_of(request)->calibrations, object, &problems);
    struct source_kernel *brought = experiment_read(request, &experiment, object, &problems, &error);
    if (question.what_if == 1 && brought)
        problem_add(&problems, "#/what_if",
                    "is for kernels of the suite: changes of a source's launch are not looked for");
    if (question.check >= 0 && !brought && experiment.kernel)
        problem_add(&problems, "#/check", "is for a source: every result of %s is checked",
                    experiment.kernel->name);
    /* The default grid of a grid-stride loop fills the device; for several architectures it covers the size. */
    const struct calibration *device = question.calibration;
    if (!device && experiment.kernel && experiment.kernel->grid_stride)
        device = question.meant;
    if (device)
        calibration_facts(device, &facts);
    if (experiment.kernel)
        experiment_check(&experiment, device ? &facts : NULL, &problems);
    if (!problems.count && experiment.kernel) /* else the grid is not the one that is meant */
        explain_json_locate(&question.explain, &experiment, &question.warp, &problems);
    if (problems.count)
        handled = reply_fields(request, &problems);
    else if (!experiment.kernel)
        handled = error.kind ? reply_error(request, &error) : reply_fields(request, &problems);
    else
        handled = brought ? predict_source(request, &counted, &question)
                          : predict_suite(request, &counted, &question);
    source_kernel_free(brought);
    json_decref(question.archs);
    json_decref(object);
    return handled;
}
