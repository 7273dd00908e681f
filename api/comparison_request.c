/* Reads the two sides of a comparison, and how they are compared. */
#include "api/comparison_request.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/experiment_members.h"
#include "api/problem.h"
#include "base/clock.h"
#include "kernels/kernel.h"

enum { IDS_MAX = 10000, WHERE_MAX = 16 };

static const double same_within_default = 0.005, same_within_most = 0.5;

/* Where in the request something is, and where to say that it is wrong. */
struct member_place {
    const char *pointer;
    struct problems *problems;
};

/* ---- fields of an experiment's request, by their names ---- */

static bool field_known(const char *name)
{
    for (int i = 0; i < suite_count(); i++)
        if (experiment_json_takes(suite_at(i), name))
            return true;
    return false;
}

static void check_field(const char *name, const char *pointer, struct problems *problems)
{
    struct suggestion meant;
    if (field_known(name))
        return;
    suggest_begin(&meant, name);
    for (int i = 0; i < suite_count(); i++)
        for (int k = 0; k < suite_at(i)->param_count; k++)
            suggest_consider(&meant, suite_at(i)->params[k].name);
    for (const char *const *common = (const char *const[]){"kernel", "dtype", "size", "block", "grid", NULL};
         *common; common++)
        suggest_consider(&meant, *common);
    problem_add(problems, pointer, "no experiment has a field of that name%s GET /v1/kernels lists them",
                suggest_text(&meant));
}

/* ---- members of a side ---- */

static const char *text_read(const json_t *value, const struct member_place *place)
{
    if (json_is_string(value) && *json_string_value(value))
        return json_string_value(value);
    problem_add(place->problems, place->pointer, "must be a text, is %s",
                json_is_string(value) ? "empty" : json_parts_type(value));
    return NULL;
}

static void read_sweep(struct comparison_side *side, const json_t *value, const struct member_place *place)
{
    side->sweep = text_read(value, place);
}

static void read_kernel(struct comparison_side *side, const json_t *value, const struct member_place *place)
{
    side->kernel = text_read(value, place);
}

static void read_device_uuid(struct comparison_side *side, const json_t *value,
                             const struct member_place *place)
{
    side->device_uuid = text_read(value, place);
}

static void read_owner(struct comparison_side *side, const json_t *value, const struct member_place *place)
{
    side->owner = text_read(value, place);
}

static void read_device(struct comparison_side *side, const json_t *value, const struct member_place *place)
{
    json_int_t number = json_integer_value(value);
    side->called = json_string_value(value);
    if (!side->called && (!json_is_integer(value) || number < 0 || number > INT_MAX))
        problem_add(place->problems, place->pointer, "must be the number or the name of a device");
    else if (!side->called)
        side->device = (int)number;
}

static void read_experiments(struct comparison_side *side, const json_t *value,
                             const struct member_place *place)
{
    size_t i, count = json_array_size(value);
    const json_t *id;
    if (!json_is_array(value) || count < 1 || count > IDS_MAX) {
        problem_add(place->problems, place->pointer, "must be a list of 1 to %d ids of experiments", IDS_MAX);
        return;
    }
    json_array_foreach (value, i, id)
        if (!json_is_string(id) && !problems_full(place->problems)) {
            char pointer[64];
            snprintf(pointer, sizeof pointer, "%s/%zu", place->pointer, i);
            problem_add(place->problems, pointer, "must be the id of an experiment, is %s",
                        json_parts_type(id));
        }
    side->experiments = value;
}

/* What the check says of "#/labels" is of this side's. */
static void read_labels(struct comparison_side *side, const json_t *value, const struct member_place *place)
{
    struct problems found = {0};
    experiment_members_labels(value, &found);
    for (int i = 0; i < found.count && i < EXPERIMENT_PROBLEMS; i++) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "%.10s%s", place->pointer,
                 found.at[i].pointer + strlen("#/labels"));
        problem_add(place->problems, pointer, "%s", found.at[i].detail);
    }
    side->labels = json_object_size(value) ? value : NULL;
}

static void read_moment(const json_t *value, const struct member_place *place, int64_t *ms)
{
    if (!json_is_string(value) || clock_read(json_string_value(value), ms) < 0)
        problem_add(place->problems, place->pointer,
                    "must be a time, as \"2026-11-21T06:41:19Z\" or \"2026-11-21\"");
}

static void read_since(struct comparison_side *side, const json_t *value, const struct member_place *place)
{
    read_moment(value, place, &side->since_ms);
}

static void read_until(struct comparison_side *side, const json_t *value, const struct member_place *place)
{
    read_moment(value, place, &side->until_ms);
}

static void read_where(struct comparison_side *side, const json_t *value, const struct member_place *place)
{
    const char *name;
    json_t *wanted;
    if (!json_is_object(value) || json_object_size(value) > WHERE_MAX) {
        problem_add(place->problems, place->pointer,
                    "must be an object of at most %d fields and their values, as {\"offset\": 0}", WHERE_MAX);
        return;
    }
    json_object_foreach ((json_t *)value, name, wanted) {
        char pointer[64];
        problem_pointer(pointer, sizeof pointer, place->pointer, name);
        check_field(name, pointer, place->problems);
    }
    side->where = value;
}

static const struct {
    const char *name;
    void (*read)(struct comparison_side *side, const json_t *value, const struct member_place *place);
} members[] = {
    {"sweep", read_sweep},   {"experiments", read_experiments},
    {"labels", read_labels}, {"kernel", read_kernel},
    {"device", read_device}, {"device_uuid", read_device_uuid},
    {"owner", read_owner},   {"since", read_since},
    {"until", read_until},   {"where", read_where},
};
enum { MEMBERS = sizeof members / sizeof *members };

static void add_unknown(const char *pointer, const char *name, struct problems *problems)
{
    struct suggestion meant;
    suggest_begin(&meant, name);
    for (int i = 0; i < MEMBERS; i++)
        suggest_consider(&meant, members[i].name);
    problem_add(
        problems, pointer,
        "unknown field%s a side takes sweep, experiments, labels, kernel, device, device_uuid, owner, "
        "since, until and where",
        suggest_text(&meant));
}

static void side_read(struct comparison_side *side, const json_t *object, const char *pointer,
                      struct problems *problems)
{
    const char *name;
    json_t *value;
    *side = (struct comparison_side){.device = -1, .until_ms = INT64_MAX};
    if (!json_is_object(object)) {
        problem_add(problems, pointer,
                    object ? "must be an object, as {\"sweep\": \"...\"}"
                           : "is required, as {\"sweep\": \"...\"}");
        return;
    }
    json_object_foreach ((json_t *)object, name, value) {
        char below[64];
        int i = 0;
        problem_pointer(below, sizeof below, pointer, name);
        while (i < MEMBERS && strcmp(members[i].name, name) != 0)
            i++;
        if (i < MEMBERS)
            members[i].read(side, value, &(struct member_place){below, problems});
        else
            add_unknown(below, name, problems);
    }
    if (json_object_size(object) == (json_object_get(object, "where") ? 1u : 0u))
        problem_add(
            problems, pointer,
            "names no experiments: one of sweep, experiments, labels, kernel, device, device_uuid, owner, "
            "since and until is needed");
}

/* ---- the rest ---- */

static void read_but_for(struct comparison_request *request, const json_t *value, struct problems *problems)
{
    size_t i;
    const json_t *name;
    if (!json_is_array(value) || json_array_size(value) > COMPARISON_BUT_FOR_MAX) {
        problem_add(problems, "#/but_for",
                    "must be a list of at most %d fields of a request, as [\"offset\"]",
                    COMPARISON_BUT_FOR_MAX);
        return;
    }
    json_array_foreach (value, i, name) {
        char pointer[32];
        snprintf(pointer, sizeof pointer, "#/but_for/%zu", i);
        if (!json_is_string(name)) {
            problem_add(problems, pointer, "must be the name of a field, is %s", json_parts_type(name));
            continue;
        }
        check_field(json_string_value(name), pointer, problems);
        request->but_for[request->but_for_count++] = json_string_value(name);
    }
}

static bool flag_read(const json_t *value, struct problems *problems)
{
    if (value && !json_is_boolean(value))
        problem_add(problems, "#/stable_only", "must be true or false, is %s", json_parts_type(value));
    return json_is_true(value);
}

static bool time_read(const json_t *value, struct problems *problems)
{
    const char *name = json_string_value(value);
    bool hot = name && strcmp(name, "hot") == 0;
    if (value && !hot && !(name && strcmp(name, "cold") == 0))
        problem_add(problems, "#/time", "must be \"cold\" or \"hot\"");
    return hot;
}

static double same_within_read(const json_t *value, struct problems *problems)
{
    double number = value ? json_number_value(value) : same_within_default;
    if ((value && !json_is_number(value)) || !(number >= 0 && number <= same_within_most))
        problem_add(problems, "#/same_within", "must be a number from 0 to %g; 0.01 calls 1 %% the same",
                    same_within_most);
    return number;
}

static void check_names(const json_t *object, struct problems *problems)
{
    static const char *const known[] = {"a", "b", "time", "same_within", "but_for", "stable_only"};
    enum { KNOWN = sizeof known / sizeof *known };
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        struct suggestion meant;
        char pointer[64];
        int i = 0;
        while (i < KNOWN && strcmp(known[i], name) != 0)
            i++;
        if (i < KNOWN || problems_full(problems))
            continue;
        suggest_begin(&meant, name);
        for (i = 0; i < KNOWN; i++)
            suggest_consider(&meant, known[i]);
        problem_pointer(pointer, sizeof pointer, "#", name);
        problem_add(problems, pointer,
                    "unknown field%s a comparison takes a, b, time, same_within, but_for and stable_only",
                    suggest_text(&meant));
    }
}

int comparison_request_read(struct comparison_request *request, json_t *object, struct problems *problems)
{
    int before = problems->count;
    const json_t *but_for = json_object_get(object, "but_for");
    *request = (struct comparison_request){.tree = object};
    check_names(object, problems);
    side_read(&request->sides[0], json_object_get(object, "a"), "#/a", problems);
    side_read(&request->sides[1], json_object_get(object, "b"), "#/b", problems);
    request->hot = time_read(json_object_get(object, "time"), problems);
    request->same_within = same_within_read(json_object_get(object, "same_within"), problems);
    request->stable_only = flag_read(json_object_get(object, "stable_only"), problems);
    if (but_for)
        read_but_for(request, but_for, problems);
    return problems->count == before ? 0 : -1;
}

void comparison_request_clear(struct comparison_request *request)
{
    json_decref(request->tree);
    request->tree = NULL;
}
