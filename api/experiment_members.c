/* Reads "measure", "counters", "labels" and "debug" of a request. */
#include "api/experiment_json.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/problem.h"
#include "api/suggest.h"
#include "base/words.h"
#include "kernels/source/source_kernel.h"

/* ---- measure ---- */

static const struct member members[] = {
    {"min_samples", MEMBER_INTEGER, offsetof(struct measure, min_samples)},
    {"noise", MEMBER_NUMBER, offsetof(struct measure, noise)},
    {"max_seconds", MEMBER_NUMBER, offsetof(struct measure, max_seconds)},
    {"quiet_s", MEMBER_NUMBER, offsetof(struct measure, quiet_s)},
    {"keep_samples", MEMBER_FLAG, offsetof(struct measure, keep_samples)},
    {"host_timer", MEMBER_FLAG, offsetof(struct measure, host_timer)},
};
enum { MEMBERS = sizeof members / sizeof *members };

static void add_unknown(struct problems *problems, const char *pointer, const char *name)
{
    char known[128] = "";
    struct suggestion meant;
    for (int i = 0; i < MEMBERS; i++) {
        size_t used = strlen(known);
        const char *comma = i == 0 ? "" : i + 1 < MEMBERS ? ", " : " and ";
        snprintf(known + used, sizeof known - used, "%s%s", comma, members[i].name);
    }
    problem_add(problems, pointer, "unknown field%s %s are known",
                suggest_among(&meant, name, WORDS_TABLE(members)), known);
}

void experiment_members_measure(struct experiment *experiment, const json_t *value, const char *pointer,
                                struct problems *problems)
{
    const char *name;
    json_t *one;
    if (!json_is_object(value)) {
        problem_add(problems, pointer, "must be an object, is %s", json_parts_type(value));
        return;
    }
    json_object_foreach ((json_t *)value, name, one) {
        char at[64];
        int i = words_find(name, WORDS_TABLE(members));
        if (problems_full(problems))
            return;
        problem_pointer(at, sizeof at, pointer, name);
        if (i >= 0)
            experiment_json_value(&experiment->measure, &members[i], one, at, problems);
        else
            add_unknown(problems, at, name);
    }
}

/* ---- counters ---- */

static void read_name(struct counters_wanted *wanted, const json_t *value, size_t index,
                      struct problems *problems)
{
    const char *name = json_string_value(value);
    char pointer[64];
    snprintf(pointer, sizeof pointer, "#/counters/%zu", index);
    if (!name || json_string_length(value) != strlen(name) || !counters_name_valid(name)) {
        problem_add(problems, pointer,
                    "must be a metric's name, 1 to %d letters, digits, '_' or '.'; true or false ask for the "
                    "default set or none",
                    COUNTERS_NAME_BYTES - 1);
        return;
    }
    for (int i = 0; i < wanted->count; i++)
        if (strcmp(wanted->name[i], name) == 0) {
            problem_add(problems, pointer, "\"%s\" is there twice", name);
            return;
        }
    snprintf(wanted->name[wanted->count++], COUNTERS_NAME_BYTES, "%s", name);
}

void experiment_members_counters(struct experiment *experiment, const json_t *value, const char *pointer,
                                 struct problems *problems)
{
    struct counters_wanted found = {.on = !json_is_false(value)};
    int before = problems->count;
    size_t i;
    const json_t *item;
    if (json_is_array(value) && json_array_size(value) > COUNTERS_NAMES)
        problem_add(problems, pointer, "at most %d metrics beside the default set, there are %zu",
                    COUNTERS_NAMES, json_array_size(value));
    else if (json_is_array(value))
        json_array_foreach ((json_t *)value, i, item)
            read_name(&found, item, i, problems);
    else if (!json_is_boolean(value))
        problem_add(problems, pointer, "must be true or false, or a list of names of metrics");
    if (problems->count == before)
        experiment->counters = found;
}

/* ---- labels ---- */

enum { LABELS_MAX = 16, LABEL_KEY_MAX = 63, LABEL_VALUE_MAX = 255 };

void experiment_members_labels(struct experiment *experiment, const json_t *value, const char *pointer,
                               struct problems *problems)
{
    const char *name;
    json_t *member;
    (void)experiment;
    if (!json_is_object(value)) {
        problem_add(problems, pointer, "must be an object of strings, is %s", json_parts_type(value));
        return;
    }
    if (json_object_size(value) > LABELS_MAX) {
        problem_add(problems, pointer, "at most %d labels, there are %zu", LABELS_MAX,
                    json_object_size(value));
        return;
    }
    json_object_foreach ((json_t *)value, name, member) {
        char at[64];
        size_t length = strlen(name);
        problem_pointer(at, sizeof at, pointer, name);
        for (const char *letter = name; *letter; letter++)
            if (!isalnum((unsigned char)*letter) && !strchr("-._", *letter))
                length = 0;
        if (length < 1 || length > LABEL_KEY_MAX)
            problem_add(problems, at, "a label's name is 1 to %d letters, digits, '-', '.' or '_'",
                        LABEL_KEY_MAX);
        if (!json_is_string(member) || json_string_length(member) > LABEL_VALUE_MAX)
            problem_add(problems, at, "must be a string of at most %d bytes", LABEL_VALUE_MAX);
    }
}

/* ---- debug ---- */

const struct kernel *experiment_members_debug(const struct kernel *kernel, const json_t *debug,
                                              struct problems *problems)
{
    const struct kernel *built = suite_debug_build(kernel);
    char names[160] = "";
    if (json_is_false(debug))
        return kernel;
    if (!json_is_true(debug)) {
        problem_add(problems, "#/debug", "must be true or false, is %s", json_parts_type(debug));
        return kernel;
    }
    if (built)
        return built;
    for (int i = 0; i < suite_count(); i++) {
        size_t used = strlen(names);
        built = suite_debug_build(suite_at(i));
        if (built && built != suite_at(i))
            snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", suite_at(i)->name);
    }
    problem_add(problems, "#/debug", "must be false: of %s there is no build for a debugger, but of %s",
                source_kernel_spoken(kernel), names);
    return kernel;
}

void experiment_members_resolve_debug(json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "kernel"));
    const struct kernel *kernel = name ? suite_find(name) : NULL,
                        *built = kernel ? suite_debug_build(kernel) : NULL;
    if (!built || !json_is_true(json_object_get(request, "debug")) ||
        json_object_set_new(request, "kernel", json_string(built->name)) != 0)
        return;
    json_object_del(request, "debug");
}
