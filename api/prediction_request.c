/* Reads architectures by any of their names, and the block and the warp to explain. */
#include "api/prediction_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "api/json_parts.h"
#include "api/problem.h"
#include "api/suggest.h"
#include "kernels/model/arch.h"
#include "kernels/model/product.h"

/* ---- architectures ---- */

const char *prediction_request_arch(const char *name, char detail[PREDICTION_REQUEST_DETAIL_BYTES])
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
    size_t used = (size_t)snprintf(
        detail, PREDICTION_REQUEST_DETAIL_BYTES, "the model knows no %.20s%s%s%s%s it knows", name,
        product ? " (" : "", product ? meant : "", product ? ")" : "", product ? ";" : suggest_text(&near));
    for (int i = 0; i < arch_count() && used < PREDICTION_REQUEST_DETAIL_BYTES; i++)
        used +=
            (size_t)snprintf(detail + used, PREDICTION_REQUEST_DETAIL_BYTES - used, " %s", arch_at(i)->name);
    return NULL;
}

static json_t *all_archs(void)
{
    json_t *archs = json_array();
    for (int i = 0; i < arch_count(); i++)
        if (arch_at(i)->access.request != ARCH_REQUEST_HALF_WARP_IN_ORDER)
            json_array_append_new(archs, json_string(arch_at(i)->name));
    return archs;
}

static void read_one(json_t *archs, const json_t *name, const char *pointer, struct problems *problems)
{
    char detail[PREDICTION_REQUEST_DETAIL_BYTES];
    const char *arch = json_is_string(name) ? prediction_request_arch(json_string_value(name), detail) : NULL;
    if (arch)
        json_array_append_new(archs, json_string(arch));
    else if (json_is_string(name))
        problem_add(problems, pointer, "%s", detail);
    else
        problem_add(problems, pointer, "must be a string, the name of an architecture or of a GPU");
}

json_t *prediction_request_archs(const json_t *asked, struct problems *problems)
{
    size_t i;
    const json_t *name;
    if (!asked)
        return all_archs();
    json_t *archs = json_array();
    if (json_is_string(asked)) {
        read_one(archs, asked, "#/arch", problems);
    } else if (!json_is_array(asked) || !json_array_size(asked) ||
               json_array_size(asked) > PREDICTION_REQUEST_ARCHS) {
        problem_add(
            problems, "#/arch",
            "must be the name of an architecture as \"sm_37\", \"3.7\" or \"K80\", or a list of 1 to %d",
            PREDICTION_REQUEST_ARCHS);
    } else {
        json_array_foreach (asked, i, name) {
            char pointer[32];
            snprintf(pointer, sizeof pointer, "#/arch/%zu", i);
            read_one(archs, name, pointer, problems);
        }
    }
    return archs;
}

/* ---- explanations ---- */

static void read_number(const json_t *value, const char *pointer, int64_t *number, struct problems *problems)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0)
        *number = json_integer_value(value);
    else if (json_is_integer(value))
        problem_add(problems, pointer, "must be at least 0, is %" JSON_INTEGER_FORMAT,
                    json_integer_value(value));
    else
        problem_add(problems, pointer, "must be a whole number, is %s", json_parts_type(value));
}

static void read_block(struct explain_question *question, const json_t *value, struct problems *problems)
{
    size_t i;
    const json_t *coordinate;
    question->numbered = !json_is_array(value);
    if (question->numbered) {
        read_number(value, "#/explain/block", &question->block[0], problems);
        return;
    }
    if (!json_array_size(value) || json_array_size(value) > 3) {
        problem_add(problems, "#/explain/block",
                    "must be a block's number, or a list of 1 to 3 coordinates, has %zu",
                    json_array_size(value));
        return;
    }
    json_array_foreach (value, i, coordinate) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "#/explain/block/%zu", i);
        read_number(coordinate, pointer, &question->block[i], problems);
    }
}

static void add_unknown(const char *name, struct problems *problems)
{
    char pointer[64];
    struct suggestion meant;
    problem_pointer(pointer, sizeof pointer, "#/explain", name);
    suggest_begin(&meant, name);
    suggest_consider(&meant, "block");
    suggest_consider(&meant, "warp");
    problem_add(problems, pointer, "unknown field%s block and warp are known", suggest_text(&meant));
}

void prediction_request_explain(struct explain_question *question, const json_t *value,
                                struct problems *problems)
{
    const char *name;
    json_t *member;
    *question = (struct explain_question){.asked = value && !json_is_false(value)};
    if (!value || json_is_boolean(value))
        return;
    if (!json_is_object(value)) {
        problem_add(problems, "#/explain", "must be true, false, or an object of block and warp, is %s",
                    json_parts_type(value));
        return;
    }
    json_object_foreach ((json_t *)value, name, member) {
        if (problems_full(problems))
            return;
        if (strcmp(name, "block") == 0)
            read_block(question, member, problems);
        else if (strcmp(name, "warp") == 0)
            read_number(member, "#/explain/warp", &question->warp, problems);
        else
            add_unknown(name, problems);
    }
}

int64_t prediction_request_warps(const struct experiment *e)
{
    return (e->block[0] * e->block[1] * e->block[2] + WARP_LANES - 1) / WARP_LANES;
}

void prediction_request_locate(const struct explain_question *question, const struct experiment *experiment,
                               struct explain *explain, struct problems *problems)
{
    const int64_t *grid = experiment->grid;
    int64_t number = question->block[0], blocks = grid[0] * grid[1] * grid[2];
    int64_t warps = prediction_request_warps(experiment);
    *explain = (struct explain){
        .block = {question->block[0], question->block[1], question->block[2]},
        .warp = question->warp,
        .times_max = EXPLAIN_TIMES_MAX,
        .accesses_max = EXPLAIN_ACCESSES_MAX,
    };
    if (question->numbered) {
        explain->block[0] = number % grid[0];
        explain->block[1] = number / grid[0] % grid[1];
        explain->block[2] = number / grid[0] / grid[1];
        if (number >= blocks)
            problem_add(problems, "#/explain/block",
                        "must be from 0 to %lld: the grid has %lld blocks; is %lld", (long long)blocks - 1,
                        (long long)blocks, (long long)number);
    }
    for (int i = 0; i < 3 && !question->numbered; i++) {
        char pointer[64];
        snprintf(pointer, sizeof pointer, "#/explain/block/%d", i);
        if (question->block[i] >= grid[i])
            problem_add(problems, pointer,
                        "must be from 0 to %lld: the grid has %lld x %lld x %lld blocks; is %lld",
                        (long long)grid[i] - 1, (long long)grid[0], (long long)grid[1], (long long)grid[2],
                        (long long)question->block[i]);
    }
    if (question->warp >= warps)
        problem_add(problems, "#/explain/warp",
                    "must be from 0 to %lld: a block of %lld x %lld x %lld threads has %lld; is %lld",
                    (long long)warps - 1, (long long)experiment->block[0], (long long)experiment->block[1],
                    (long long)experiment->block[2], (long long)warps, (long long)question->warp);
}
