#include "api/experiment_text.h"

#include <string.h>

#include "api/json.h"
#include "api/text.h"

static void write_name(struct buffer *out, const char *name)
{
    buffer_text(out, ",\"");
    buffer_text(out, name);
    buffer_text(out, "\":");
}

static void write_integer(struct buffer *out, const char *name, int64_t value)
{
    write_name(out, name);
    text_integer(out, value);
}

static void write_real(struct buffer *out, const char *name, double value)
{
    write_name(out, name);
    text_real(out, value);
}

static void write_string(struct buffer *out, const char *name, const char *value)
{
    write_name(out, name);
    text_string(out, value);
}

static void write_list(struct buffer *out, const char *name, const int64_t *values, int count)
{
    write_name(out, name);
    for (int i = 0; i < count; i++) {
        buffer_text(out, i ? "," : "[");
        text_integer(out, values[i]);
    }
    buffer_text(out, "]");
}

static void write_param(struct buffer *out, const struct kernel_param *param, int64_t value)
{
    if (param->type == PARAM_CHOICE)
        write_string(out, param->name, param->choices[value]);
    else
        write_integer(out, param->name, value);
}

static void write_measure(struct buffer *out, const struct measure *measure)
{
    buffer_text(out, ",\"measure\":{\"min_samples\":");
    text_integer(out, measure->min_samples);
    write_real(out, "noise", measure->noise);
    write_real(out, "max_seconds", measure->max_seconds);
    write_real(out, "quiet_s", measure->quiet_s);
    buffer_text(out, measure->keep_samples ? ",\"keep_samples\":true" : ",\"keep_samples\":false");
    /* Only where asked for: a request of a version before it is told back as it was. */
    buffer_text(out, measure->host_timer ? ",\"host_timer\":true}" : "}");
}

static void write_counters(struct buffer *out, const struct counters_wanted *wanted)
{
    write_name(out, "counters");
    if (!wanted->count)
        buffer_text(out, wanted->on ? "true" : "false");
    for (int i = 0; i < wanted->count; i++) {
        buffer_text(out, i ? "," : "[");
        text_string(out, wanted->name[i]);
    }
    buffer_text(out, wanted->count ? "]" : "");
}

static int append(const char *bytes, size_t count, void *out)
{
    return buffer_append(out, bytes, count);
}

static void write_labels(struct buffer *out, const json_t *labels)
{
    write_name(out, "labels");
    if (!json_object_size(labels))
        buffer_text(out, "{}");
    else if (json_dump_callback(labels, append, out, API_JSON_FLAGS) < 0)
        out->failed = true;
}

static void write_conditions(struct buffer *out, const struct device_choice *choice)
{
    const char *comma = "";
    buffer_text(out, "{");
    if (choice->arch[0]) {
        buffer_text(out, "\"arch\":");
        text_string(out, choice->arch);
        comma = ",";
    }
    if (choice->product[0]) {
        buffer_format(out, "%s\"name\":", comma);
        text_string(out, choice->product);
        comma = ",";
    }
    if (choice->memory_bytes) {
        buffer_format(out, "%s\"memory_bytes\":%lld", comma, (long long)choice->memory_bytes);
        comma = ",";
    }
    if (choice->counters)
        buffer_format(out, "%s\"counters\":true", comma);
    buffer_text(out, "}");
}

int device_choice_write(struct buffer *out, const struct device_choice *choice)
{
    if (choice->kind == DEVICE_BY_NUMBER)
        text_integer(out, choice->number);
    else if (choice->kind == DEVICE_BY_CONDITIONS)
        write_conditions(out, choice);
    else
        text_string(out, choice->kind == DEVICE_ANY ? "any" : choice->called);
    return out->failed ? -1 : 0;
}

int experiment_write(struct buffer *out, const struct experiment *e, const json_t *request)
{
    const struct kernel *kernel = e->kernel;
    buffer_text(out, "{\"kernel\":");
    text_string(out, kernel->name);
    write_string(out, "dtype", dtype_name(e->dtype));
    if (kernel->dims == 2)
        write_list(out, "size", e->size, 2);
    else
        write_integer(out, "size", e->size[0]);
    write_list(out, "block", e->block, 3);
    write_list(out, "grid", e->grid, 3);
    for (int i = 0; i < kernel->param_count; i++)
        write_param(out, &kernel->params[i], e->param[i]);
    write_integer(out, "shared_bytes", e->shared_bytes);
    write_name(out, "device");
    device_choice_write(out, &e->device);
    if (e->peer_given) {
        write_name(out, "peer");
        device_choice_write(out, &e->peer);
    }
    if (e->peer_uuid[0])
        write_string(out, "peer_uuid", e->peer_uuid);
    write_measure(out, &e->measure);
    write_counters(out, &e->counters);
    write_string(out, "transfers", transfers_name(e->transfers));
    write_string(out, "placement", placement_text(e->placement));
    write_real(out, "timeout_s", e->timeout_s);
    write_integer(out, "priority", e->priority);
    write_labels(out, json_object_get(request, "labels"));
    return buffer_text(out, "}");
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
