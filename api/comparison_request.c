/* Reads the two sides of a comparison, and how they are compared. */
#include "api/comparison.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/problem.h"
#include "base/clock.h"
#include "kernels/kernel.h"
#include "base/words.h"

enum { IDS_MAX = 10000, WHERE_MAX = 16 };

static const double same_within_default = 0.005, same_within_most = 0.5;

/* ---- fields of an experiment's request, by their names ---- */

static bool field_known(const char *name)
{
    for (int i = 0; i < suite_count(); i++)
        if (experiment_json_takes(suite_at(i), name))
            return true;
    return false;
}

/* Of a field that no experiment of the comparison has. */
static void check_field(const char *name, const char *pointer, struct problems *problems)
{
    static const char *const common[] = {"kernel", "dtype", "size", "block", "grid"};
    struct suggestion meant;
    if (field_known(name))
        return;
    suggest_begin(&meant, name);
    for (int i = 0; i < suite_count(); i++)
        for (int k = 0; k < suite_at(i)->param_count; k++)
            suggest_consider(&meant, suite_at(i)->params[k].name);
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        suggest_consider(&meant, common[i]);
    problem_add(problems, pointer, "no experiment has a field of that name%s GET /v1/kernels lists them",
                suggest_text(&meant));
}

/* ---- members of a side ---- */

static void read_text(const char **text, const json_t *value, const char *pointer, struct problems *problems)
{
    *text = json_string_length(value) ? json_string_value(value) : NULL;
    if (!*text)
        problem_add(problems, pointer, "must be a text, is %s",
                    json_is_string(value) ? "empty" : json_parts_type(value));
}

static void read_moment(int64_t *ms, const json_t *value, const char *pointer, struct problems *problems)
{
    if (!json_is_string(value) || clock_read(json_string_value(value), ms) < 0)
        problem_add(problems, pointer, "must be a time, as \"2026-11-21T06:41:19Z\" or \"2026-11-21\"");
}

static void read_device(struct comparison_side *side, const json_t *value, const char *pointer,
                        struct problems *problems)
{
    json_int_t number = json_integer_value(value);
    side->called = json_string_value(value);
    if (!side->called && (!json_is_integer(value) || number < 0 || number > INT_MAX))
        problem_add(problems, pointer, "must be the number or the name of a device");
    else if (!side->called)
        side->device = (int)number;
}

static void read_experiments(struct comparison_side *side, const json_t *value, const char *pointer,
                             struct problems *problems)
{
    size_t i, count = json_array_size(value);
    const json_t *id;
    if (count < 1 || count > IDS_MAX) {
        problem_add(problems, pointer, "must be a list of 1 to %d ids of experiments", IDS_MAX);
        return;
    }
    json_array_foreach (value, i, id)
        if (!json_is_string(id) && !problems_full(problems)) {
            char at[64];
            snprintf(at, sizeof at, "%s/%zu", pointer, i);
            problem_add(problems, at, "must be the id of an experiment, is %s", json_parts_type(id));
        }
    side->experiments = value;
}

static void read_labels(struct comparison_side *side, const json_t *value, const char *pointer,
                        struct problems *problems)
{
    experiment_members_labels(NULL, value, pointer, problems);
    side->labels = json_object_size(value) ? value : NULL;
}

static void read_where(struct comparison_side *side, const json_t *value, const char *pointer,
                       struct problems *problems)
{
    if (!json_is_object(value) || json_object_size(value) > WHERE_MAX) {
        problem_add(problems, pointer,
                    "must be an object of at most %d fields and their values, as {\"offset\": 0}", WHERE_MAX);
        return;
    }
    side->where = value;
}

/* Each is a text or a moment at its place in the side, or has a function of its own. */
static const struct {
    const char *name;
    void (*read)(struct comparison_side *side, const json_t *value, const char *pointer,
                 struct problems *problems);
    size_t text_at, moment_at;
} members[] = {
    {"sweep", .text_at = offsetof(struct comparison_side, sweep)},
    {"experiments", .read = read_experiments},
    {"labels", .read = read_labels},
    {"kernel", .text_at = offsetof(struct comparison_side, kernel)},
    {"device", .read = read_device},
    {"device_uuid", .text_at = offsetof(struct comparison_side, device_uuid)},
    {"owner", .text_at = offsetof(struct comparison_side, owner)},
    {"since", .moment_at = offsetof(struct comparison_side, since_ms)},
    {"until", .moment_at = offsetof(struct comparison_side, until_ms)},
    {"where", .read = read_where},
};

static void read_member(struct comparison_side *side, const char *name, const json_t *value,
                        const char *pointer, struct problems *problems)
{
    char at[64], *place = (char *)side;
    struct suggestion meant;
    int i = words_find(name, WORDS_TABLE(members));
    problem_pointer(at, sizeof at, pointer, name);
    if (i < 0)
        problem_add(problems, at,
                    "unknown field%s a side takes sweep, experiments, labels, kernel, device, device_uuid, "
                    "owner, since, until and where",
                    suggest_among(&meant, name, WORDS_TABLE(members)));
    else if (members[i].read)
        members[i].read(side, value, at, problems);
    else if (members[i].moment_at)
        read_moment((int64_t *)(place + members[i].moment_at), value, at, problems);
    else
        read_text((const char **)(place + members[i].text_at), value, at, problems);
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
    json_object_foreach ((json_t *)object, name, value)
        read_member(side, name, value, pointer, problems);
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
        request->but_for[request->but_for_count++] = json_string_value(name);
    }
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
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        struct suggestion meant;
        char pointer[64];
        if (words_find(name, WORDS_TABLE(known)) >= 0 || problems_full(problems))
            continue;
        problem_pointer(pointer, sizeof pointer, "#", name);
        problem_add(problems, pointer,
                    "unknown field%s a comparison takes a, b, time, same_within, but_for and stable_only",
                    suggest_among(&meant, name, WORDS_TABLE(known)));
    }
}

int comparison_request_read(struct comparison_request *request, json_t *object, struct problems *problems)
{
    int before = problems->count;
    const json_t *but_for = json_object_get(object, "but_for"), *time = json_object_get(object, "time"),
                 *stable_only = json_object_get(object, "stable_only");
    *request = (struct comparison_request){.tree = object};
    check_names(object, problems);
    side_read(&request->sides[0], json_object_get(object, "a"), "#/a", problems);
    side_read(&request->sides[1], json_object_get(object, "b"), "#/b", problems);
    request->hot = json_parts_is(time, "hot");
    if (time && !request->hot && !json_parts_is(time, "cold"))
        problem_add(problems, "#/time", "must be \"cold\" or \"hot\"");
    request->same_within = same_within_read(json_object_get(object, "same_within"), problems);
    request->stable_only = json_is_true(stable_only);
    if (stable_only && !json_is_boolean(stable_only))
        problem_add(problems, "#/stable_only", "must be true or false, is %s", json_parts_type(stable_only));
    if (but_for)
        read_but_for(request, but_for, problems);
    return problems->count == before ? 0 : -1;
}

void comparison_request_clear(struct comparison_request *request)
{
    json_decref(request->tree);
    request->tree = NULL;
}

void comparison_request_check_where(const struct comparison_request *request, int side, unsigned seen,
                                    struct problems *problems)
{
    const char *name;
    json_t *wanted;
    json_object_foreach ((json_t *)request->sides[side].where, name, wanted) {
        char pointer[64];
        problem_pointer(pointer, sizeof pointer, side ? "#/b/where" : "#/a/where", name);
        if (!(seen & 1))
            check_field(name, pointer, problems);
        seen >>= 1;
    }
}

void comparison_request_check_but_for(const struct comparison_request *request, unsigned seen,
                                      struct problems *problems)
{
    for (int i = 0; i < request->but_for_count; i++) {
        char pointer[32];
        snprintf(pointer, sizeof pointer, "#/but_for/%d", i);
        if (!(seen >> i & 1))
            check_field(request->but_for[i], pointer, problems);
    }
}

/* ---- the fields that make a point ---- */

/* Fields of a request that do not make it another point: who asked for it, where and how it is measured. */
static const char *const beside[] = {"device",   "labels",    "priority",  "timeout_s", "measure",
                                     "counters", "transfers", "placement", "repeat"};
/* Those of them that are shown where they differ. */
static const char *const shown[] = {"device", "measure", "transfers", "placement", "counters"};

bool comparison_fields_match(const struct comparison_side *side, const json_t *experiment)
{
    const char *name;
    json_t *wanted;
    if (!side->where)
        return true;
    json_object_foreach ((json_t *)side->where, name, wanted)
        if (!json_parts_same(wanted, json_object_get(experiment, name)))
            return false;
    return true;
}

/* Is the field ruled out as a factor by the request's but_for? */
static bool is_but_for(const struct comparison_request *request, const char *name)
{
    return words_find(name, request->but_for, (size_t)request->but_for_count, sizeof(char *)) >= 0;
}

/* Does the grid follow from the other fields? */
static bool grid_is_derived(const json_t *asked)
{
    struct problems problems = {0};
    struct experiment experiment;
    const json_t *grid = json_object_get(asked, "grid");
    json_t *copy = json_copy((json_t *)asked);
    json_object_del(copy, "grid");
    bool same = copy && experiment_json_read(&experiment, copy, &problems) == 0 &&
                experiment_check(&experiment, NULL, &problems) == 0;
    json_decref(copy);
    for (size_t i = 0; same && i < 3; i++)
        same = json_integer_value(json_array_get(grid, i)) == experiment.grid[i];
    return same;
}

json_t *comparison_fields(const struct comparison_request *request, const json_t *asked)
{
    const char *name;
    json_t *value, *fields = json_object();
    json_object_foreach ((json_t *)asked, name, value)
        if (words_find(name, WORDS_TABLE(beside)) < 0 && !is_but_for(request, name))
            json_object_set(fields, name, value);
    if (request->but_for_count && json_object_get(fields, "grid") && grid_is_derived(asked))
        json_object_del(fields, "grid");
    return fields;
}

json_t *comparison_fields_beside(const struct comparison_request *request, const json_t *asked)
{
    const char *name, *inner;
    json_t *value, *member, *out = json_object();
    json_object_foreach ((json_t *)asked, name, value) {
        if (words_find(name, WORDS_TABLE(shown)) < 0 && !is_but_for(request, name))
            continue;
        if (!json_is_object(value))
            json_object_set(out, name, value);
        json_object_foreach (value, inner, member) {
            char path[128];
            snprintf(path, sizeof path, "%s.%s", name, inner);
            json_object_set(out, path, member);
        }
    }
    return out;
}
