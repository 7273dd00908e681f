#include "api/archs.h"

#include <stdio.h>
#include <strings.h>

#include "api/json.h"
#include "api/suggest.h"
#include "kernels/model/arch.h"
#include "kernels/model/product.h"

enum { ARCHS_MAX = 32 };

const char *archs_find(const char *name, char detail[ARCHS_DETAIL_BYTES])
{
    char meant[PRODUCT_ARCH_BYTES];
    struct suggestion near;
    if (product_arch(name, meant)) {
        const struct arch *arch = arch_find(meant);
        if (arch)
            return arch->name;
    }
    suggest_begin(&near, product_own(name));
    for (int i = 0; product_at(i); i++)
        suggest_consider(&near, product_at(i));
    bool product = meant[0] && strncasecmp(name, "sm_", 3) != 0;
    size_t used = (size_t)snprintf(detail, ARCHS_DETAIL_BYTES, "the model knows no %.20s%s%s%s%s it knows",
                                   name, product ? " (" : "", product ? meant : "", product ? ")" : "",
                                   product ? ";" : suggest_text(&near));
    for (int i = 0; i < arch_count() && used < ARCHS_DETAIL_BYTES; i++)
        used += (size_t)snprintf(detail + used, ARCHS_DETAIL_BYTES - used, " %s", arch_at(i)->name);
    return NULL;
}

static json_t *all(void)
{
    json_t *archs = json_array();
    for (int i = 0; i < arch_count(); i++)
        if (!arch_at(i)->access.half_warps)
            json_array_append_new(archs, json_string(arch_at(i)->name));
    return archs;
}

static void read_one(json_t *archs, const json_t *name, const char *pointer, struct problems *problems)
{
    char detail[ARCHS_DETAIL_BYTES];
    const char *arch = json_is_string(name) ? archs_find(json_string_value(name), detail) : NULL;
    if (arch)
        json_array_append_new(archs, json_string(arch));
    else if (json_is_string(name))
        problem_add(problems, pointer, "%s", detail);
    else
        problem_add(problems, pointer, "must be a string, the name of an architecture or of a GPU");
}

json_t *archs_read(const json_t *asked, struct problems *problems)
{
    size_t i;
    const json_t *name;
    if (!asked)
        return all();
    json_t *archs = json_array();
    if (json_is_string(asked)) {
        read_one(archs, asked, "#/arch", problems);
    } else if (!json_is_array(asked) || !json_array_size(asked) || json_array_size(asked) > ARCHS_MAX) {
        problem_add(
            problems, "#/arch",
            "must be the name of an architecture as \"sm_37\", \"3.7\" or \"K80\", or a list of 1 to %d",
            ARCHS_MAX);
    } else {
        json_array_foreach (asked, i, name) {
            char pointer[32];
            snprintf(pointer, sizeof pointer, "#/arch/%zu", i);
            read_one(archs, name, pointer, problems);
        }
    }
    return archs;
}
