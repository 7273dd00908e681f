#include "server/routes/stored_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/prediction_json.h"
#include "api/source_json.h"

struct kernel_reader stored_source_reader(const struct user *user)
{
    return (struct kernel_reader){user->name, user->role == ROLE_ADMIN};
}

struct source_kernel *stored_source_open(struct store *store, const struct user *user, const char *name,
                                         struct kernel_row *row, struct error *error)
{
    const struct kernel_reader reader = stored_source_reader(user);
    if (store_kernel_read(store, name, &reader, row, error) < 0)
        return NULL;
    struct source_kernel *kernel = source_json_read_text(row->definition, error);
    if (kernel)
        kernel->stored = true;
    free(row->definition);
    row->definition = NULL;
    return kernel;
}

bool stored_source_is_asked(const json_t *request)
{
    const char *name = json_string_value(json_object_get(request, "kernel"));
    return source_json_is_there(request) || (name && source_kernel_is_name(name));
}

/* What only a definition has, beside the name of one. */
static void refuse_definition(json_t *request, const char *name, struct problems *problems)
{
    static const char *const members[] = {"entry", "arguments", "constants", "threads"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char pointer[24];
        snprintf(pointer, sizeof pointer, "#/%s", members[i]);
        if (json_object_get(request, members[i]))
            problem_add(problems, pointer,
                        "cannot be changed for the stored kernel %.64s: leave it out, or send the source",
                        name);
        json_object_del(request, members[i]);
    }
}

struct source_kernel *stored_source_take(struct source_service *sources, struct store *store,
                                         const struct user *user, json_t *request, struct problems *problems,
                                         struct error *error)
{
    const char *name = json_string_value(json_object_get(request, "kernel"));
    struct kernel_row row;
    if (!sources) {
        problem_add(problems, source_json_is_there(request) ? "#/source" : "#/kernel",
                    "this service takes no source: it was started with --source off");
        return NULL;
    }
    if (source_json_is_there(request))
        return source_json_take(request, problems, error);
    if (!name || !source_kernel_is_name(name)) {
        problem_add(
            problems, name ? "#/kernel" : "#/source",
            "must be a kernel of one's own: \"source\", or \"kernel\" with a name that begins with src-");
        return NULL;
    }
    refuse_definition(request, name, problems);
    struct source_kernel *kernel = stored_source_open(store, user, name, &row, error);
    if (!kernel && error->kind == ERROR_NOT_FOUND) {
        error_clear(error);
        experiment_json_no_kernel(problems, "#/kernel", name);
    }
    return kernel;
}

int stored_source_compile(struct source_service *sources, const struct source_kernel *kernel,
                          struct problems *problems, struct error *error)
{
    struct error why = {0};
    struct source_build *build = source_service_build(sources, kernel, PREDICTION_STAND_IN_NUMBER, &why);
    if (build && !build->compilation.ok)
        source_json_add_faults(kernel, &build->compilation, problems);
    else if (build)
        source_parameters_check(&build->compilation.parameters, kernel, problems);
    source_cache_release(build);
    if (why.kind == ERROR_INVALID) /* the wall stopped the compiler */
        problem_add(problems, "#/source", "%s", why.text);
    else if (why.kind != ERROR_NONE)
        return error_set(error, why.kind, "%s", why.text);
    return 0;
}
