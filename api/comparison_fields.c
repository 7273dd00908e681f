/* Picks those fields of a request that make a point of a comparison. */
#include "api/comparison_fields.h"

#include <stdio.h>
#include <string.h>

#include "api/experiment_json.h"

/* Fields of a request that do not make it another point: who asked for it, where and how it is measured. */
static const char *const beside[] = {"device",   "labels",    "priority",  "timeout_s", "measure",
                                     "counters", "transfers", "placement", "repeat",    NULL};
/* Those of them that are shown where they differ. */
static const char *const shown[] = {"device", "measure", "transfers", "placement", "counters", NULL};

bool comparison_fields_match(const struct comparison_side *side, const json_t *experiment)
{
    const char *name;
    json_t *wanted;
    if (!side->where)
        return true;
    json_object_foreach ((json_t *)side->where, name, wanted) {
        const json_t *found = json_object_get(experiment, name);
        size_t given = json_is_array(wanted) ? json_array_size(wanted) : 1;
        if (!json_is_array(found)) {
            if (!json_equal(given == 1 && json_is_array(wanted) ? json_array_get(wanted, 0) : wanted, found))
                return false;
            continue;
        }
        /* What is left out of a shape is 1. */
        for (size_t i = 0; i < json_array_size(found) || i < given; i++) {
            const json_t *one = json_is_array(wanted) ? json_array_get(wanted, i) : i ? NULL : wanted;
            const json_t *other = json_array_get(found, i);
            if (one ? !json_equal(one, other) : json_integer_value(other) != 1)
                return false;
        }
    }
    return true;
}

static bool is_one_of(const char *const *names, const char *name)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

static bool is_but_for(const struct comparison_request *request, const char *name)
{
    for (int i = 0; i < request->but_for_count; i++)
        if (strcmp(request->but_for[i], name) == 0)
            return true;
    return false;
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
        if (!is_one_of(beside, name) && !is_but_for(request, name))
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
        if (!is_one_of(shown, name) && !is_but_for(request, name))
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
