/* The table of an experiment's fields, and how each is read from a request. */
#include "api/experiment_json.h"

#include <stdio.h>
#include <string.h>

#include "api/counters_json.h"
#include "api/experiment_members.h"
#include "api/device_choice.h"
#include "api/experiment_text.h"
#include "api/json_parts.h"
#include "api/problem.h"

/* ---- reading ---- */

struct reader {
    struct experiment *experiment;
    struct problems *problems;
};

static void read_integer(struct reader *r, const json_t *value, const char *pointer, int64_t *to)
{
    if (json_is_integer(value))
        *to = json_integer_value(value);
    else
        problem_add(r->problems, pointer, "must be an integer, is %s", json_parts_type(value));
}

static void read_number(struct reader *r, const json_t *value, const char *pointer, double *to)
{
    if (json_is_number(value))
        *to = json_number_value(value);
    else
        problem_add(r->problems, pointer, "must be a number, is %s", json_parts_type(value));
}

/* An integer or a list of them; what is not given stays. *given is how many there were. */
static void read_list(struct reader *r, const json_t *value, const char *pointer, int64_t *to, size_t most,
                      size_t *given)
{
    *given = 0;
    if (json_is_integer(value)) {
        *to = json_integer_value(value);
        *given = 1;
        return;
    }
    if (!json_is_array(value) || json_array_size(value) < 1 || json_array_size(value) > most) {
        problem_add(r->problems, pointer, "must be an integer or a list of 1 to %zu of them, is %s", most,
                    json_is_array(value) ? "a list of another length" : json_parts_type(value));
        return;
    }
    size_t i;
    const json_t *item;
    json_array_foreach (value, i, item) {
        char at[64];
        snprintf(at, sizeof at, "%s/%zu", pointer, i);
        read_integer(r, item, at, &to[i]);
    }
    *given = json_array_size(value);
}

static void read_dtype(struct reader *r, const json_t *value)
{
    int dtype = json_is_string(value) ? dtype_of(json_string_value(value)) : -1;
    if (dtype < 0)
        problem_add(r->problems, "#/dtype", "must be one of f32, f64, i32, u8, u16");
    else
        r->experiment->dtype = (enum dtype)dtype;
}

static void read_size(struct reader *r, const json_t *value)
{
    int dims = r->experiment->kernel->dims;
    size_t given;
    int before = r->problems->count;
    int64_t size[2] = {0, 0};
    read_list(r, value, "#/size", size, 2, &given);
    if (r->problems->count != before)
        return;
    if ((int)given != dims) {
        problem_add(r->problems, "#/size", "%s takes %s", r->experiment->kernel->name,
                    dims == 1 ? "a number of elements" : "two numbers, [rows, columns]");
        return;
    }
    memcpy(r->experiment->size, size, sizeof size);
}

static void read_shape(struct reader *r, const json_t *value, const char *pointer, int64_t *to)
{
    size_t given;
    int64_t shape[3] = {1, 1, 1};
    int before = r->problems->count;
    read_list(r, value, pointer, shape, 3, &given);
    if (r->problems->count == before)
        memcpy(to, shape, sizeof shape);
}

static void read_block(struct reader *r, const json_t *value)
{
    read_shape(r, value, "#/block", r->experiment->block);
}

static void read_grid(struct reader *r, const json_t *value)
{
    if (json_is_null(value))
        return;
    int before = r->problems->count;
    read_shape(r, value, "#/grid", r->experiment->grid);
    const int64_t *grid = r->experiment->grid;
    if (r->problems->count == before && !grid[0] && !grid[1] && !grid[2])
        problem_add(r->problems, "#/grid", "must be at least 1 block, is 0; leave it out to have it derived");
}

static void read_device(struct reader *r, const json_t *value)
{
    device_choice_read(&r->experiment->device, value, "#/device", r->problems);
}

static void read_peer(struct reader *r, const json_t *value)
{
    device_choice_read_peer(&r->experiment->peer, value, r->problems);
    r->experiment->peer_given = true;
}

static void read_peer_uuid(struct reader *r, const json_t *value)
{
    const char *uuid = json_string_value(value);
    if (!uuid || !uuid[0] || strlen(uuid) >= sizeof r->experiment->peer_uuid ||
        strspn(uuid, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") != strlen(uuid))
        problem_add(r->problems, "#/peer_uuid", "must be the uuid of a device, as GET /v1/devices tells it");
    else
        snprintf(r->experiment->peer_uuid, sizeof r->experiment->peer_uuid, "%s", uuid);
}

static void read_measure(struct reader *r, const json_t *value)
{
    experiment_members_measure(&r->experiment->measure, value, r->problems);
}

static void read_counters(struct reader *r, const json_t *value)
{
    experiment_members_counters(&r->experiment->counters, value, r->problems);
}

static void read_shared_bytes(struct reader *r, const json_t *value)
{
    read_integer(r, value, "#/shared_bytes", &r->experiment->shared_bytes);
}

static void read_transfers(struct reader *r, const json_t *value)
{
    for (int i = 0; i < TRANSFERS_COUNT; i++)
        if (json_is_string(value) &&
            strcmp(json_string_value(value), transfers_name((enum transfers)i)) == 0) {
            r->experiment->transfers = (enum transfers)i;
            return;
        }
    problem_add(r->problems, "#/transfers", "must be one of none, pageable, pinned");
}

static void read_placement(struct reader *r, const json_t *value)
{
    for (int i = 0; i < PLACEMENTS; i++)
        if (json_is_string(value) &&
            strcmp(json_string_value(value), placement_text((enum placement)i)) == 0) {
            r->experiment->placement = (enum placement)i;
            return;
        }
    problem_add(r->problems, "#/placement", "must be one of keep, new");
}

static void read_timeout(struct reader *r, const json_t *value)
{
    read_number(r, value, "#/timeout_s", &r->experiment->timeout_s);
}

static void read_priority(struct reader *r, const json_t *value)
{
    read_integer(r, value, "#/priority", &r->experiment->priority);
}

static void read_labels(struct reader *r, const json_t *value)
{
    experiment_members_labels(value, r->problems);
}

static const struct {
    const char *name;
    void (*read)(struct reader *r, const json_t *value);
} fields[] = {
    {"dtype", read_dtype},         {"size", read_size},           {"block", read_block},
    {"grid", read_grid},           {"device", read_device},       {"measure", read_measure},
    {"counters", read_counters},   {"transfers", read_transfers}, {"timeout_s", read_timeout},
    {"priority", read_priority},   {"labels", read_labels},       {"shared_bytes", read_shared_bytes},
    {"placement", read_placement}, {"peer_uuid", read_peer_uuid}, {"peer", read_peer},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static void read_param(struct reader *r, int index, const json_t *value, const char *pointer)
{
    const struct kernel_param *param = &r->experiment->kernel->params[index];
    if (param->type == PARAM_INTEGER) {
        read_integer(r, value, pointer, &r->experiment->param[index]);
        return;
    }
    char names[160] = "";
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    struct suggestion meant;
    suggest_begin(&meant, text);
    for (int i = 0; param->choices[i]; i++) {
        if (strcmp(text, param->choices[i]) == 0) {
            r->experiment->param[index] = i;
            return;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", param->choices[i]);
        suggest_consider(&meant, param->choices[i]);
    }
    if (json_is_string(value))
        problem_add(r->problems, pointer, "there is no %.32s \"%.32s\"%s it must be one of %s", param->name,
                    text, suggest_text(&meant), names);
    else
        problem_add(r->problems, pointer, "must be one of %s, is %s", names, json_parts_type(value));
}

/* The index of a common field, FIELDS and up that of a parameter; -1: the kernel takes no such field. */
static int field_find(const struct kernel *kernel, const char *name)
{
    for (int i = 0; i < FIELDS; i++)
        if (strcmp(name, fields[i].name) == 0)
            return fields[i].read == read_peer || fields[i].read == read_peer_uuid ? (kernel->peer ? i : -1)
                                                                                   : i;
    for (int i = 0; i < kernel->param_count; i++)
        if (strcmp(name, kernel->params[i].name) == 0)
            return FIELDS + i;
    return -1;
}

bool experiment_json_takes(const struct kernel *kernel, const char *name)
{
    return strcmp(name, "kernel") == 0 || (strcmp(name, "debug") == 0 && suite_debug_build(kernel)) ||
           field_find(kernel, name) >= 0;
}

/* Fields that have their place elsewhere. */
static const char in_measure[] = "belongs into \"measure\"", of_predictions[] = "is for POST /v1/predictions";
static const struct {
    const char *name, *place;
} elsewhere[] = {
    {"spread", "is for POST /v1/sweeps; one experiment may go to any device with \"device\": \"any\""},
    {"host_timer", in_measure},
    {"min_samples", in_measure},
    {"noise", in_measure},
    {"max_seconds", in_measure},
    {"quiet_s", in_measure},
    {"keep_samples", in_measure},
    {"device_name", of_predictions},
    {"what_if", of_predictions},
    {"arch", of_predictions},
    {"l1", of_predictions},
    {"explain", of_predictions},
    {"registers_per_thread", of_predictions},
    {"shared_bytes_per_block", of_predictions},
    {"parameter_bytes", of_predictions},
};
enum { ELSEWHERE = sizeof elsewhere / sizeof *elsewhere };

static void add_unknown_field(struct reader *r, const char *pointer, const char *name)
{
    const struct kernel *kernel = r->experiment->kernel;
    char names[160] = "";
    struct suggestion meant;
    for (int i = 0; i < ELSEWHERE; i++)
        if (strcmp(name, elsewhere[i].name) == 0) {
            problem_add(r->problems, pointer, "%s", elsewhere[i].place);
            return;
        }
    suggest_begin(&meant, name);
    for (int i = 0; i < kernel->param_count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", kernel->params[i].name);
        suggest_consider(&meant, kernel->params[i].name);
    }
    for (int i = 0; i < FIELDS; i++)
        if (experiment_json_takes(kernel, fields[i].name))
            suggest_consider(&meant, fields[i].name);
    suggest_consider(&meant, "repeat");
    suggest_consider(&meant, "debug");
    for (int i = 0; i < ELSEWHERE; i++)
        suggest_consider(&meant, elsewhere[i].name);
    problem_add(r->problems, pointer, "unknown field%s besides the common ones %s takes %s",
                suggest_text(&meant), kernel->name, names[0] ? names : "none");
}

static void read_field(struct reader *r, const char *name, const json_t *value)
{
    int field = field_find(r->experiment->kernel, name);
    char pointer[64];
    problem_pointer(pointer, sizeof pointer, "#", name);
    if (field < 0)
        add_unknown_field(r, pointer, name);
    else if (field < FIELDS)
        fields[field].read(r, value);
    else
        read_param(r, field - FIELDS, value, pointer);
}

const char *experiment_json_suggest_kernel(struct suggestion *meant, const char *name)
{
    suggest_begin(meant, name);
    for (int i = 0; i < suite_count(); i++)
        suggest_consider(meant, suite_at(i)->name);
    return suggest_text(meant);
}

void experiment_json_no_kernel(struct problems *problems, const char *pointer, const char *name)
{
    struct suggestion meant;
    problem_add(problems, pointer, "there is no kernel \"%.64s\"%s GET /v1/kernels lists them", name,
                experiment_json_suggest_kernel(&meant, name));
}

int experiment_json_read(struct experiment *experiment, const json_t *request, struct problems *problems)
{
    int before = problems->count;
    const char *key;
    json_t *value;
    const json_t *name = json_object_get(request, "kernel");
    const struct kernel *kernel = json_is_string(name) ? suite_find(json_string_value(name)) : NULL;
    if (!json_is_object(request))
        problem_add(problems, "#", "must be an object, is %s", json_parts_type(request));
    else if (!name)
        problem_add(problems, "#/kernel",
                    json_object_get(request, "recipe") ? "is required; a recipe is for POST /v1/sweeps"
                                                       : "is required; GET /v1/kernels lists them");
    else if (!json_is_string(name))
        problem_add(problems, "#/kernel", "must be a string, is %s", json_parts_type(name));
    else if (!kernel)
        experiment_json_no_kernel(problems, "#/kernel", json_string_value(name));
    experiment->kernel = NULL;
    if (!kernel)
        return -1;
    experiment_init(experiment,
                    experiment_members_debug(kernel, json_object_get(request, "debug"), problems));
    struct reader reader = {experiment, problems};
    json_object_foreach ((json_t *)request, key, value) {
        if (problems_full(problems))
            break;
        if (strcmp(key, "kernel") != 0 && strcmp(key, "debug") != 0)
            read_field(&reader, key, value);
    }
    return problems->count == before ? 0 : -1;
}

int experiment_json_read_text(struct experiment *experiment, const char *text,
                              const struct device_facts *facts, struct error *error)
{
    struct problems problems = {0};
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    if (!object)
        return error_set(error, ERROR_INVALID, "the request is not JSON");
    int bad = experiment_json_read(experiment, object, &problems) < 0 ||
              experiment_check(experiment, facts, &problems) < 0;
    json_decref(object);
    return bad ? error_set(error, ERROR_INVALID, "%s %s", problems.at[0].pointer, problems.at[0].detail) : 0;
}

/* ---- writing ---- */

json_t *experiment_json_tree(const struct experiment *e)
{
    struct buffer text = {0};
    json_t *object = NULL;
    experiment_text_write(&(struct json_writer){.out = &text}, NULL, e, NULL);
    if (!text.failed)
        object = json_loadb(text.data, text.size, 0, NULL);
    buffer_free(&text);
    return object;
}
