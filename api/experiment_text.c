/* Writes a request with every default filled in, its members in their fixed order. */
#include "api/experiment_json.h"

#include <string.h>

#include "api/json_parts.h"
#include "api/kernel_json.h"
#include "kernels/source/source_kernel.h"

static void write_measure(struct json_writer *json, const struct measure *measure)
{
    json_writer_begin_object(json, "measure");
    json_writer_int(json, "min_samples", measure->min_samples);
    json_writer_double(json, "noise", measure->noise);
    json_writer_double(json, "max_seconds", measure->max_seconds);
    json_writer_double(json, "quiet_s", measure->quiet_s);
    json_writer_bool(json, "keep_samples", measure->keep_samples);
    /* Only where it is asked for: requests of earlier versions are shown as they were. */
    if (measure->host_timer)
        json_writer_bool(json, "host_timer", true);
    json_writer_end(json);
}

static void write_counters(struct json_writer *json, const struct counters_wanted *wanted)
{
    if (!wanted->count) {
        json_writer_bool(json, "counters", wanted->on);
        return;
    }
    json_writer_begin_array(json, "counters");
    for (int i = 0; i < wanted->count; i++)
        json_writer_string(json, NULL, wanted->name[i]);
    json_writer_end(json);
}

static void write_conditions(struct json_writer *json, const char *key, const struct device_choice *choice)
{
    json_writer_begin_object(json, key);
    if (choice->arch[0])
        json_writer_string(json, "arch", choice->arch);
    if (choice->product[0])
        json_writer_string(json, "name", choice->product);
    if (choice->memory_bytes)
        json_writer_int(json, "memory_bytes", (int64_t)choice->memory_bytes);
    if (choice->counters)
        json_writer_bool(json, "counters", true);
    json_writer_end(json);
}

void experiment_text_device(struct json_writer *json, const char *key, const struct device_choice *choice)
{
    if (choice->kind == DEVICE_BY_NUMBER)
        json_writer_int(json, key, choice->number);
    else if (choice->kind == DEVICE_BY_CONDITIONS)
        write_conditions(json, key, choice);
    else
        json_writer_string(json, key, choice->kind == DEVICE_ANY ? "any" : choice->called);
}

static void write(struct json_writer *json, const char *key, const struct experiment *e,
                  const json_t *request, const struct source_draft *definition)
{
    const struct kernel *kernel = e->kernel;
    const json_t *labels = json_object_get(request, "labels");
    json_writer_begin_object(json, key);
    json_writer_string(json, "kernel", kernel->name);
    if (definition)
        source_draft_json(json, definition);
    kernel_json_domain(json, kernel, e->dtype, e->size);
    json_writer_ints(json, "block", e->block, 3);
    json_writer_ints(json, "grid", e->grid, 3);
    for (int i = 0; i < kernel->param_count; i++)
        kernel_json_param(json, kernel->params[i].name, &kernel->params[i], e->param[i]);
    json_writer_int(json, "shared_bytes", e->shared_bytes);
    experiment_text_device(json, "device", &e->device);
    if (e->peer_given)
        experiment_text_device(json, "peer", &e->peer);
    if (e->peer_uuid[0])
        json_writer_string(json, "peer_uuid", e->peer_uuid);
    write_measure(json, &e->measure);
    write_counters(json, &e->counters);
    json_writer_string(json, "transfers", transfers_name(e->transfers));
    json_writer_string(json, "placement", placement_text(e->placement));
    json_writer_double(json, "timeout_s", e->timeout_s);
    json_writer_int(json, "priority", e->priority);
    if (labels) {
        json_parts_tree(json, "labels", labels);
    } else {
        json_writer_begin_object(json, "labels");
        json_writer_end(json);
    }
    json_writer_end(json);
}

void experiment_text_write(struct json_writer *json, const char *key, const struct experiment *e,
                           const json_t *request)
{
    const struct source_kernel *brought = source_kernel_of(e->kernel);
    write(json, key, e, request, brought && !brought->stored ? &brought->draft : NULL);
}

void experiment_text_write_launch(struct json_writer *json, const struct experiment *e)
{
    write(json, NULL, e, NULL, NULL);
}

bool experiment_text_wants_counters(const char *request)
{
    static const char member[] = "\"counters\":";
    int depth = 0;
    for (const char *at = request; *at; at++) {
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        if (*at != '"')
            continue;
        if (depth == 1 && strncmp(at, member, sizeof member - 1) == 0)
            return strncmp(at + sizeof member - 1, "false", 5) != 0;
        for (at++; *at && *at != '"'; at++)
            at += *at == '\\' && at[1];
        if (!*at)
            return false;
    }
    return false;
}
