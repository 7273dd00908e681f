#include "api/measure_json.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/problem.h"
#include "api/suggest.h"

static const struct member {
    const char *name;
    enum { INTEGER, NUMBER, FLAG } kind;
    size_t at; /* within struct measure */
} members[] = {
    {"min_samples", INTEGER, offsetof(struct measure, min_samples)},
    {"noise", NUMBER, offsetof(struct measure, noise)},
    {"max_seconds", NUMBER, offsetof(struct measure, max_seconds)},
    {"quiet_s", NUMBER, offsetof(struct measure, quiet_s)},
    {"keep_samples", FLAG, offsetof(struct measure, keep_samples)},
    {"host_timer", FLAG, offsetof(struct measure, host_timer)},
};
enum { MEMBERS = sizeof members / sizeof *members };

static void add_unknown(struct problems *problems, const char *pointer, const char *name)
{
    char known[128] = "";
    struct suggestion meant;
    suggest_begin(&meant, name);
    for (int i = 0; i < MEMBERS; i++) {
        size_t used = strlen(known);
        const char *comma = i == 0 ? "" : i + 1 < MEMBERS ? ", " : " and ";
        snprintf(known + used, sizeof known - used, "%s%s", comma, members[i].name);
        suggest_consider(&meant, members[i].name);
    }
    problem_add(problems, pointer, "unknown field%s %s are known", suggest_text(&meant), known);
}

static void read_member(struct measure *measure, const struct member *member, const json_t *value,
                        const char *pointer, struct problems *problems)
{
    void *to = (char *)measure + member->at;
    if (member->kind == FLAG && json_is_boolean(value))
        *(bool *)to = json_is_true(value);
    else if (member->kind == NUMBER && json_is_number(value))
        *(double *)to = json_number_value(value);
    else if (member->kind == INTEGER && json_is_integer(value))
        *(int64_t *)to = json_integer_value(value);
    else
        problem_add(problems, pointer, "must be %s, is %s",
                    member->kind == FLAG     ? "true or false"
                    : member->kind == NUMBER ? "a number"
                                             : "an integer",
                    json_parts_type(value));
}

void measure_read(struct measure *measure, const json_t *value, struct problems *problems)
{
    const char *key;
    json_t *one;
    if (!json_is_object(value)) {
        problem_add(problems, "#/measure", "must be an object, is %s", json_parts_type(value));
        return;
    }
    json_object_foreach ((json_t *)value, key, one) {
        char pointer[64];
        int i = 0;
        if (problems_full(problems))
            return;
        problem_pointer(pointer, sizeof pointer, "#/measure", key);
        while (i < MEMBERS && strcmp(key, members[i].name) != 0)
            i++;
        if (i < MEMBERS)
            read_member(measure, &members[i], one, pointer, problems);
        else
            add_unknown(problems, pointer, key);
    }
}
