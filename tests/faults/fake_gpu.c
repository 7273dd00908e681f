/* An executor of a GPU that is not there, whose times are what the model of time says: with the constants that are shipped
   for its name, and those that are named changed. fake_gpu [NAME=FACTOR ...] [fail=N] [pause_ms=N] [driver=N] [uuid=TEXT]: each FACTOR is of
   the shipped value; the first N experiments fail; each takes so long; its driver is of that version, 1 unless given; its uuid is that text. All other arguments are the executor's own.

   So what a calibration must find is known. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/calibration_json.h"
#include "api/experiment_json.h"
#include "api/result_json.h"
#include "executor/channel.h"
#include "kernels/time/predicted_time.h"
#include "tests/faults/h200_facts.h"

static struct device_facts facts = {
    H200_FACTS,
    .uuid = "GPU-of-the-model",
    .driver = "1",
    .runtime = "1",
    .peak_gbps = 4814,
    .compute_mode = "default",
    .peak_source = "made up",
    .numa_node = FACTS_NO_NODE,
};

static struct calibration truth;
static long failing, pause_ms;
static struct channel *channel;

static void argument_read(const char *text)
{
    const char *is = strchr(text, '=');
    if (!is)
        return;
    if (strncmp(text, "fail=", 5) == 0)
        failing = atol(is + 1);
    if (strncmp(text, "pause_ms=", 9) == 0)
        pause_ms = atol(is + 1);
    if (strncmp(text, "driver=", 7) == 0)
        snprintf(facts.driver, sizeof facts.driver, "%s", is + 1);
    if (strncmp(text, "uuid=", 5) == 0)
        snprintf(facts.uuid, sizeof facts.uuid, "%s", is + 1);
    for (int i = 0; i < CALIBRATION_CONSTANTS; i++) {
        const char *name = calibration_about((enum calibration_constant)i)->name;
        if (strlen(name) == (size_t)(is - text) && strncmp(text, name, strlen(name)) == 0)
            truth.constant[i].value *= atof(is + 1);
    }
}

/* Where loads wait for one another they take their latency each: the model is not asked. */
static void times_of(const struct experiment *experiment, const struct access *access, double *cold_us,
                     double *hot_us)
{
    struct time_prediction prediction;
    double floor_us = truth.constant[CALIBRATION_FLOOR].value, loads = (double)access->load.requests;
    if (strcmp(experiment->kernel->name, "pointer_chase") == 0) {
        *cold_us = floor_us + loads * truth.constant[CALIBRATION_DRAM_LATENCY].value / 1e3;
        *hot_us = floor_us + loads * truth.constant[CALIBRATION_L2_LATENCY].value / 1e3;
        return;
    }
    predicted_time_predict(experiment, access, &truth, -1, -1, &prediction);
    *cold_us = *hot_us = prediction.why_not.en ? floor_us : prediction.us;
}

static void run(const struct message *asked)
{
    struct experiment experiment;
    struct access access;
    struct error error = {0};
    struct calibration own;
    double cold_us, hot_us;
    usleep((useconds_t)pause_ms * 1000);
    if (failing-- > 0 || experiment_json_read_text(&experiment, asked->request, &facts, &error) < 0) {
        error_set(&error, ERROR_OUT_OF_MEMORY, "made up");
        channel_write(channel, protocol_write_error(asked->id, &error, NULL));
        return;
    }
    access_count(&experiment, &access);
    times_of(&experiment, &access, &cold_us, &hot_us);
    const struct result result = {
        .device = facts,
        .launch = {.registers_per_thread = -1},
        .correctness = {.checked = true, .verified = true, .elements_checked = 1},
        .cold = {.samples = 30, .launches = 1, .median_us = cold_us},
        .hot = {.samples = 30, .launches = 1, .median_us = hot_us},
        .floor_us = truth.constant[CALIBRATION_FLOOR].value,
        .calibration =
            asked->calibration && calibration_json_read(&own, asked->calibration) == 0 ? &own : NULL,
    };
    char *text = result_json_text(&experiment, &result);
    channel_write(channel, protocol_write_result(asked->id, text, NULL));
    free(text);
}

int main(int argc, char **argv)
{
    const struct calibration *shipped = calibration_find(facts.name);
    if (!shipped)
        return 1;
    truth = *shipped;
    for (int i = 1; i < argc; i++)
        argument_read(argv[i]);
    if (channel_open(&channel, 0, NULL) < 0)
        return 1;
    channel_write(channel, protocol_write_hello(1, false, getpid(), &facts));
    for (;;) {
        struct message *asked = channel_read(channel);
        if (asked->type == MESSAGE_RUN)
            run(asked);
        channel_end(channel);
        protocol_message_free(asked);
        free(asked);
    }
}
