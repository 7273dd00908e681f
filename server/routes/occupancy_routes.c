/* /v1/occupancy: how much of a multiprocessor a launch fills, from its figures alone. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "api/occupancy_json.h"
#include "api/prediction_json.h"
#include "kernels/model/arch.h"
#include "server/http/header_field.h"
#include "server/routes/service.h"

static route_handler occupancy_show;

static const char *const queries[] = {"arch",         "block",           "registers_per_thread",
                                      "shared_bytes", "parameter_bytes", NULL};

const struct route occupancy_routes[] = {
    /* The occupancy of a block with so many registers and so much shared memory, with its staircases, for each
       architecture that is asked for. */
    {"GET", "/v1/occupancy", "application/json", .queries = queries, .flags = ROUTE_SLOW,
     .handle = occupancy_show},
    {0},
};

/* A figure of the launch, in its range over the architectures that are asked for. */
struct launch_figure {
    const char *name, *unit;
    int min, max, value; /* value: unless said; -1: not known */
    const char *of;      /* the architecture that has the max */
};

enum { BLOCK, REGISTERS, SHARED, PARAMETERS, FIGURES };

/* The names between the commas of `arch`, or all. New reference; *problems says what is wrong. */
static json_t *archs_read(const char *text, struct problems *problems)
{
    json_t *names = json_array();
    if (!text)
        for (int i = 0; i < arch_count(); i++)
            json_array_append_new(names, json_string(arch_at(i)->name));
    while (text) {
        size_t length = strcspn(text, ",");
        json_array_append_new(names, json_stringn(text, length));
        text = text[length] ? text + length + 1 : NULL;
    }
    json_t *archs = prediction_json_archs(names, problems);
    json_decref(names);
    return archs;
}

static void limit_raise(struct launch_figure *figure, const struct arch *arch, uint32_t limit)
{
    if ((int)limit <= figure->max)
        return;
    figure->max = (int)limit;
    figure->of = arch->name;
}

/* False: `wrong` says which figure is beyond which limit. */
static bool figures_read(const struct request *request, const json_t *archs,
                         struct launch_figure figures[FIGURES], char wrong[PREDICTION_DETAIL_BYTES])
{
    size_t i;
    const json_t *name;
    json_array_foreach (archs, i, name) {
        const struct arch *arch = arch_find(json_string_value(name));
        limit_raise(&figures[BLOCK], arch, arch->threads_per_block);
        limit_raise(&figures[REGISTERS], arch, arch->registers.per_thread);
        limit_raise(&figures[SHARED], arch, arch->shared.per_block_bytes);
    }
    for (int k = 0; k < FIGURES; k++) {
        struct launch_figure *figure = &figures[k];
        const char *text = request_query(request, figure->name);
        if (!text || header_field_number(text, figure->min, figure->max, &figure->value))
            continue;
        snprintf(wrong, PREDICTION_DETAIL_BYTES, "%s must be a number of %s from %d to %d, the limit of %s",
                 figure->name, figure->unit, figure->min, figure->max, figure->of);
        return false;
    }
    return true;
}

static enum handled reply_occupancies(struct request *request, const json_t *archs,
                                      const struct launch_figure figures[FIGURES])
{
    size_t i;
    const json_t *name;
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    json_writer_begin_object(&json, NULL);
    json_writer_int(&json, "block", figures[BLOCK].value);
    json_writer_known_int(&json, "registers_per_thread", figures[REGISTERS].value >= 0,
                          figures[REGISTERS].value);
    json_writer_int(&json, "shared_bytes", figures[SHARED].value);
    json_writer_begin_array(&json, "occupancies");
    json_array_foreach (archs, i, name) {
        const struct occupancy_case question = {
            .arch = json_string_value(name),
            .registers_per_thread = figures[REGISTERS].value,
            .shared_bytes_per_block = (uint64_t)figures[SHARED].value,
            .parameter_bytes = (uint32_t)figures[PARAMETERS].value,
            .threads_per_block = (uint64_t)figures[BLOCK].value,
            .staircases = true,
        };
        occupancy_json_write(&json, NULL, &question);
    }
    return reply_body(request, 200, service_line(&json));
}

static enum handled occupancy_show(struct request *request)
{
    enum handled handled;
    char wrong[PREDICTION_DETAIL_BYTES];
    struct problems problems = {0};
    struct launch_figure figures[FIGURES] = {
        [BLOCK] = {.name = "block", .unit = "threads", .min = 1, .value = 256},
        [REGISTERS] = {.name = "registers_per_thread", .unit = "registers", .min = 1, .value = -1},
        [SHARED] = {.name = "shared_bytes", .unit = "bytes", .min = 0, .value = 0},
        [PARAMETERS] = {.name = "parameter_bytes", .unit = "bytes", .max = 256, .of = "1.x"},
    };
    json_t *archs = archs_read(request_query(request, "arch"), &problems);
    if (problems.count)
        handled = reply_problem(request, PROBLEM_MALFORMED, "arch: %s", problems.at[0].detail);
    else if (!figures_read(request, archs, figures, wrong))
        handled = service_reply_wrong(request, wrong);
    else
        handled = reply_occupancies(request, archs, figures);
    json_decref(archs);
    return handled;
}
