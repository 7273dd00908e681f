#include "api/debug_json.h"

#include <stdio.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/problem.h"

const struct kernel *debug_from_json(const struct kernel *kernel, const json_t *debug,
                                     struct problems *problems)
{
    const struct kernel *built = suite_debug_build(kernel);
    char names[160] = "";
    if (!debug || json_is_false(debug))
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
                kernel->name, names);
    return kernel;
}

void debug_resolve(json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "kernel"));
    const struct kernel *kernel = name ? suite_find(name) : NULL,
                        *built = kernel ? suite_debug_build(kernel) : NULL;
    if (!built || !json_is_true(json_object_get(request, "debug")) ||
        json_object_set_new(request, "kernel", json_string(built->name)) != 0)
        return;
    json_object_del(request, "debug");
}
