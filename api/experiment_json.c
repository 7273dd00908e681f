/* The table of an experiment's fields, and how each is read from a request. */
#include "api/experiment_json.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/device_choice.h"
#include "api/json_parts.h"
#include "api/param_json.h"
#include "api/problem.h"
#include "base/words.h"
#include "kernels/source/source_kernel.h"

/* ---- reading: each adds what is wrong to *problems, under `pointer` ---- */

void experiment_json_value(void *object, const struct member *member, const json_t *value,
                           const char *pointer, struct problems *problems)
{
    static const char *const kinds[] = {"an integer", "a number", "true or false"};
    void *to = (char *)object + member->at;
    char said[JSON_PARTS_SAID_BYTES];
    if (member->kind == MEMBER_FLAG && json_is_boolean(value))
        *(bool *)to = json_is_true(value);
    else if (member->kind == MEMBER_NUMBER && json_is_number(value))
        *(double *)to = json_number_value(value);
    else if (member->kind == MEMBER_INTEGER && json_is_integer(value))
        *(int64_t *)to = json_integer_value(value);
    else
        problem_add(problems, pointer, "must be %s, is %s", kinds[member->kind],
                    json_parts_said(value, said));
}

static void read_integer(int64_t *to, const json_t *value, const char *pointer, struct problems *problems)
{
    experiment_json_value(to, &(struct member){.kind = MEMBER_INTEGER}, value, pointer, problems);
}

/* An integer or a list of them; what is not given stays. Returns how many there were; 0: something is wrong. */
static size_t read_list(int64_t *to, size_t most, const json_t *value, const char *pointer,
                        struct problems *problems)
{
    int before = problems->count;
    size_t i, count = json_is_integer(value) ? 1 : json_array_size(value);
    const json_t *item;
    char said[JSON_PARTS_SAID_BYTES];
    if (json_is_integer(value))
        *to = json_integer_value(value);
    else if (count < 1 || count > most)
        problem_add(problems, pointer, "must be an integer or a list of 1 to %zu of them, is %s", most,
                    json_is_array(value) ? "a list of another length" : json_parts_said(value, said));
    else
        json_array_foreach (value, i, item) {
            char at[64];
            snprintf(at, sizeof at, "%s/%zu", pointer, i);
            read_integer(&to[i], item, at, problems);
        }
    return problems->count == before ? count : 0;
}

static void read_dtype(struct experiment *e, const json_t *value, const char *pointer,
                       struct problems *problems)
{
    int dtype = json_is_string(value) ? dtype_of(json_string_value(value)) : -1;
    if (dtype < 0 && json_is_string(value) && e->kernel && e->kernel->dtypes)
        experiment_refuse_dtype(e, json_string_value(value), problems);
    else if (dtype < 0)
        problem_add(problems, pointer, "must be one of f32, f64, i32, u8, u16");
    else
        e->dtype = (enum dtype)dtype;
}

static void read_size(struct experiment *e, const json_t *value, const char *pointer,
                      struct problems *problems)
{
    int64_t size[2] = {0, 0};
    size_t dims = (size_t)e->kernel->dims, given;
    if (!json_is_array(value) && dims == 1) {
        read_integer(&e->size[0], value, pointer, problems);
        return;
    }
    given = json_is_array(value) ? read_list(size, 2, value, pointer, problems) : 1;
    if (given == dims)
        memcpy(e->size, size, sizeof size);
    else if (given)
        problem_add(problems, pointer, "%s takes %s", source_kernel_spoken(e->kernel),
                    e->kernel->dims == 1 ? "a number of elements" : "two numbers, rows and columns");
}

static void read_block(struct experiment *e, const json_t *value, const char *pointer,
                       struct problems *problems)
{
    int64_t shape[3] = {1, 1, 1};
    if (read_list(shape, 3, value, pointer, problems))
        memcpy(e->block, shape, sizeof shape);
}

static void read_grid(struct experiment *e, const json_t *value, const char *pointer,
                      struct problems *problems)
{
    int64_t shape[3] = {1, 1, 1};
    if (json_is_null(value) || !read_list(shape, 3, value, pointer, problems))
        return;
    memcpy(e->grid, shape, sizeof shape);
    if (!shape[0] && !shape[1] && !shape[2])
        problem_add(problems, pointer, "must be at least 1 block, is 0; leave it out to have it derived");
}

static void read_device(struct experiment *e, const json_t *value, const char *pointer,
                        struct problems *problems)
{
    device_choice_read(&e->device, value, pointer, problems);
}

static void read_peer(struct experiment *e, const json_t *value, const char *pointer,
                      struct problems *problems)
{
    device_choice_read_peer(&e->peer, value, pointer, problems);
    e->peer_given = true;
}

static void read_peer_uuid(struct experiment *e, const json_t *value, const char *pointer,
                           struct problems *problems)
{
    const char *uuid = json_string_value(value);
    if (!uuid || !uuid[0] || strlen(uuid) >= sizeof e->peer_uuid ||
        strspn(uuid, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-") != strlen(uuid))
        problem_add(problems, pointer, "must be the uuid of a device, as GET /v1/devices tells it");
    else
        snprintf(e->peer_uuid, sizeof e->peer_uuid, "%s", uuid);
}

static void read_transfers(struct experiment *e, const json_t *value, const char *pointer,
                           struct problems *problems)
{
    int i = 0;
    while (i < TRANSFERS_COUNT && !json_parts_is(value, transfers_name((enum transfers)i)))
        i++;
    if (i < TRANSFERS_COUNT)
        e->transfers = (enum transfers)i;
    else
        problem_add(problems, pointer, "must be one of none, pageable, pinned");
}

static void read_placement(struct experiment *e, const json_t *value, const char *pointer,
                           struct problems *problems)
{
    int i = 0;
    while (i < PLACEMENTS && !json_parts_is(value, placement_text((enum placement)i)))
        i++;
    if (i < PLACEMENTS)
        e->placement = (enum placement)i;
    else
        problem_add(problems, pointer, "must be one of keep, new");
}

static const struct field {
    const char *name;
    void (*read)(struct experiment *e, const json_t *value, const char *pointer, struct problems *problems);
    struct member member; /* where `read` is NULL */
} fields[] = {
    {"dtype", .read = read_dtype},
    {"size", .read = read_size},
    {"block", .read = read_block},
    {"grid", .read = read_grid},
    {"device", .read = read_device},
    {"measure", .read = experiment_members_measure},
    {"counters", .read = experiment_members_counters},
    {"transfers", .read = read_transfers},
    {"timeout_s", .member = {"timeout_s", MEMBER_NUMBER, offsetof(struct experiment, timeout_s)}},
    {"priority", .member = {"priority", MEMBER_INTEGER, offsetof(struct experiment, priority)}},
    {"labels", .read = experiment_members_labels},
    {"shared_bytes", .member = {"shared_bytes", MEMBER_INTEGER, offsetof(struct experiment, shared_bytes)}},
    {"placement", .read = read_placement},
    {"peer_uuid", .read = read_peer_uuid},
    {"peer", .read = read_peer},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static bool field_applies(const struct kernel *kernel, const struct field *field)
{
    return field->read == read_dtype                                   ? kernel->dtypes != 0
           : field->read == read_size                                  ? kernel->dims > 0
           : field->read == read_peer || field->read == read_peer_uuid ? kernel->peer
                                                                       : true;
}

/* The index of a common field, FIELDS and up that of a parameter; -1: the kernel takes no such field. */
static int field_find(const struct kernel *kernel, const char *name)
{
    int i = words_find(kernel->size_name && strcmp(name, kernel->size_name) == 0 ? "size" : name,
                       WORDS_TABLE(fields));
    if (i >= 0)
        return field_applies(kernel, &fields[i]) ? i : -1;
    i = words_find(name, kernel->params, (size_t)kernel->param_count, sizeof *kernel->params);
    return i >= 0 ? FIELDS + i : -1;
}

bool experiment_json_takes(const struct kernel *kernel, const char *name)
{
    return strcmp(name, "kernel") == 0 || (strcmp(name, "debug") == 0 && suite_debug_build(kernel)) ||
           field_find(kernel, name) >= 0;
}

/* Fields that have their place elsewhere. */
static const char in_measure[] = "belongs into \"measure\"", of_predictions[] = "is for POST /v1/predictions",
                  of_sources[] = "is for a kernel of one's own in POST /v1/experiments";
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
    {"show", of_sources},
    {"reference", of_sources},
    {"tolerance", of_sources},
};

bool experiment_json_reserves(const char *name)
{
    static const char *const others[] = {"kernel", "debug", "repeat", "recipe", "label"};
    return words_find(name, WORDS_TABLE(fields)) >= 0 || words_find(name, WORDS_TABLE(elsewhere)) >= 0 ||
           words_find(name, WORDS_TABLE(others)) >= 0;
}

static void add_unknown_field(const struct kernel *kernel, const char *pointer, const char *name,
                              struct problems *problems)
{
    char names[160] = "";
    struct suggestion meant;
    int place = words_find(name, WORDS_TABLE(elsewhere));
    if (place >= 0) {
        problem_add(problems, pointer, "%s", elsewhere[place].place);
        return;
    }
    suggest_begin(&meant, name);
    if (kernel->size_name) {
        snprintf(names, sizeof names, "%s", kernel->size_name);
        suggest_consider(&meant, kernel->size_name);
    }
    for (int i = 0; i < kernel->param_count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", kernel->params[i].name);
        suggest_consider(&meant, kernel->params[i].name);
    }
    for (int i = 0; i < FIELDS; i++)
        if (experiment_json_takes(kernel, fields[i].name))
            suggest_consider(&meant, fields[i].name);
    suggest_consider(&meant, "repeat");
    suggest_consider(&meant, "debug");
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        suggest_consider(&meant, elsewhere[i].name);
    problem_add(problems, pointer, "unknown field%s besides the common ones %s takes %s",
                suggest_text(&meant), source_kernel_spoken(kernel), names[0] ? names : "none");
}

static void read_field(struct experiment *e, const char *name, const json_t *value, struct problems *problems)
{
    int i = field_find(e->kernel, name);
    char pointer[64];
    problem_pointer(pointer, sizeof pointer, "#", name);
    if (i < 0)
        add_unknown_field(e->kernel, pointer, name, problems);
    else if (i >= FIELDS)
        param_json_read(&e->param[i - FIELDS], &e->kernel->params[i - FIELDS], value, pointer, problems);
    else if (fields[i].read)
        fields[i].read(e, value, pointer, problems);
    else
        experiment_json_value(e, &fields[i].member, value, pointer, problems);
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
    const json_t *debug = json_object_get(request, "debug");
    if (debug)
        kernel = experiment_members_debug(kernel, debug, problems);
    experiment_json_read_of(experiment, kernel, request, problems);
    return problems->count == before ? 0 : -1;
}

int experiment_json_read_of(struct experiment *experiment, const struct kernel *kernel, const json_t *request,
                            struct problems *problems)
{
    int before = problems->count;
    const char *key;
    json_t *value;
    experiment_init(experiment, kernel);
    experiment->size_by_name = kernel->size_name && json_object_get(request, kernel->size_name);
    if (kernel->size_name && json_object_get(request, "size") && json_object_get(request, kernel->size_name))
        problem_add(problems, "#/size", "\"%.48s\" says it too: leave one of them out", kernel->size_name);
    json_object_foreach ((json_t *)request, key, value) {
        if (problems_full(problems))
            break;
        if (strcmp(key, "kernel") != 0 && strcmp(key, "debug") != 0)
            read_field(experiment, key, value, problems);
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
