#include "api/explain_json.h"

#include <stdio.h>
#include <string.h>

#include "api/json.h"
#include "api/problem.h"
#include "api/suggest.h"

static const char *const kinds[ACCESS_KINDS] = {"load", "store", "atomic"};

static void read_number(const json_t *value, const char *pointer, int64_t *number, struct problems *problems)
{
    if (json_is_integer(value) && json_integer_value(value) >= 0)
        *number = json_integer_value(value);
    else if (json_is_integer(value))
        problem_add(problems, pointer, "must be at least 0, is %" JSON_INTEGER_FORMAT,
                    json_integer_value(value));
    else
        problem_add(problems, pointer, "must be a whole number, is %s", json_type_name(value));
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

void explain_read(struct explain_question *question, const json_t *value, struct problems *problems)
{
    const char *name;
    json_t *member;
    *question = (struct explain_question){.asked = value && !json_is_false(value)};
    if (!value || json_is_boolean(value))
        return;
    if (!json_is_object(value)) {
        problem_add(problems, "#/explain", "must be true, false, or an object of block and warp, is %s",
                    json_type_name(value));
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

static int64_t warps_a_block(const struct experiment *e)
{
    return (e->block[0] * e->block[1] * e->block[2] + WARP_LANES - 1) / WARP_LANES;
}

void explain_ask(const struct explain_question *question, const struct experiment *experiment,
                 struct explain *explain, struct problems *problems)
{
    const int64_t *grid = experiment->grid;
    int64_t number = question->block[0], blocks = grid[0] * grid[1] * grid[2];
    int64_t warps = warps_a_block(experiment);
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

static json_t *percent(uint64_t used, uint64_t units, int unit_bytes)
{
    return units ? number_to_json(100 * (double)used / ((double)units * unit_bytes)) : json_null();
}

static int64_t element_bytes(const struct experiment *e, const struct access_instruction *i)
{
    return i->space == SPACE_CONSTANT ? 4 : (int64_t)dtype_bytes(e->dtype);
}

static json_t *instruction_to_json(const struct experiment *e, const struct access_instruction *i, int index)
{
    const struct access_sums *g = &i->global;
    bool shared = i->space == SPACE_SHARED, constant = i->space == SPACE_CONSTANT;
    const char *array = shared || constant ? NULL : e->kernel->buffers[i->space].name;
    json_t *rest, *object = json_pack("{s:i,s:s,s:s,s:s?,s:I,s:i,s:I,s:I}", "index", index, "kind",
                                      kinds[i->kind], "space",
                                      shared     ? "shared"
                                      : constant ? "constant"
                                                 : "global",
                                      "array", array, "element_bytes", (json_int_t)element_bytes(e, i),
                                      "access_bytes", (int)i->bytes, "times", (json_int_t)i->times,
                                      "requests", (json_int_t)(shared ? i->shared.requests : g->requests));
    if (shared)
        rest = json_pack("{s:I,s:I}", "bank_conflicts", (json_int_t)i->shared.conflicts,
                         "bank_conflicts_wide", (json_int_t)i->shared.conflicts_wide);
    else if (constant)
        rest = json_pack("{s:I,s:I,s:I}", "requested_bytes", (json_int_t)g->bytes, "used_bytes",
                         (json_int_t)g->used, "words", (json_int_t)(g->used / i->bytes));
    else
        rest = json_pack("{s:I,s:I,s:I,s:I,s:o,s:o}", "sectors", (json_int_t)g->sectors, "lines",
                         (json_int_t)g->lines, "requested_bytes", (json_int_t)g->bytes, "used_bytes",
                         (json_int_t)g->used, "efficiency_pct", percent(g->used, g->sectors, SECTOR_BYTES),
                         "line_efficiency_pct", percent(g->used, g->lines, LINE_BYTES));
    json_object_update(object, rest);
    json_decref(rest);
    return object;
}

enum lane_figure { LANE_ELEMENT, LANE_ADDRESS, LANE_BANK };

/* A list of 32: null where the lane is idle. */
static json_t *lanes_to_json(const struct explain_access *access, enum lane_figure figure, int64_t bytes)
{
    json_t *list = json_array();
    for (int lane = 0; lane < WARP_LANES; lane++) {
        int64_t first = access->first[lane];
        json_int_t value = figure == LANE_ELEMENT ? first / bytes
                           : figure == LANE_BANK  ? explain_bank(first)
                                                  : first;
        json_array_append_new(list, first < 0 ? json_null() : json_integer(value));
    }
    return list;
}

/* The sectors of an access, and the lines that they lie in. */
static void add_units(json_t *object, const struct access_instruction *i, const struct explain_access *access)
{
    struct explain_sector touched[EXPLAIN_SECTORS];
    json_t *sectors = json_array(), *lines = json_array();
    int64_t line = -1;
    int count = explain_sectors(i, access, touched);
    for (int s = 0; s < count; s++) {
        char mask[9];
        snprintf(mask, sizeof mask, "%08x", touched[s].used);
        json_array_append_new(sectors, json_pack("{s:I,s:s,s:i}", "address", (json_int_t)touched[s].address,
                                                 "used_mask", mask, "used_bytes",
                                                 __builtin_popcount(touched[s].used)));
        if (touched[s].address / LINE_BYTES != line) {
            line = touched[s].address / LINE_BYTES;
            json_array_append_new(lines, json_integer(line * LINE_BYTES));
        }
    }
    json_object_set_new(object, "sectors", sectors);
    json_object_set_new(object, "lines", lines);
}

static json_t *access_to_json(const struct experiment *e, const struct access_instruction *i,
                              const struct explain_access *access)
{
    json_t *object =
        json_pack("{s:i,s:I,s:o,s:o}", "instruction", access->instruction, "time", (json_int_t)access->time,
                  "elements", lanes_to_json(access, LANE_ELEMENT, element_bytes(e, i)), "addresses",
                  lanes_to_json(access, LANE_ADDRESS, 1));
    if (access->index[0])
        json_object_set_new(object, "index", json_string(access->index));
    if (i->space < SPACE_SHARED)
        add_units(object, i, access);
    if (i->space == SPACE_SHARED) {
        json_object_set_new(object, "banks", lanes_to_json(access, LANE_BANK, 1));
        json_object_set_new(object, "bank_conflicts", json_integer((json_int_t)access->shared.conflicts));
        json_object_set_new(object, "bank_conflicts_wide",
                            json_integer((json_int_t)access->shared.conflicts_wide));
    }
    return object;
}

json_t *explain_to_json(const struct experiment *experiment, const struct access *access,
                        const struct explain *explain)
{
    const int64_t *at = explain->block, *grid = experiment->grid, warps = warps_a_block(experiment);
    json_t *instructions = json_array(), *accesses = json_array();
    for (int i = 0; i < explain->instruction_count; i++)
        json_array_append_new(instructions, instruction_to_json(experiment, &explain->instructions[i], i));
    for (int i = 0; i < explain->access_count; i++)
        json_array_append_new(
            accesses, access_to_json(experiment, &explain->instructions[explain->accesses[i].instruction],
                                     &explain->accesses[i]));
    json_t *object = json_pack(
        "{s:[I,I,I],s:I,s:I,s:I,s:i,s:i,s:b,s:o,s:o,s:I}", "block", (json_int_t)at[0], (json_int_t)at[1],
        (json_int_t)at[2], "warp", (json_int_t)explain->warp, "warps_per_block", (json_int_t)warps, "warps",
        (json_int_t)(warps * grid[0] * grid[1] * grid[2]), "lanes", explain->lanes, "lanes_active",
        __builtin_popcount(explain->active), "exact", access->exact, "instructions", instructions, "accesses",
        accesses, "accesses_left_out", (json_int_t)(explain->accesses_all - explain->access_count));
    if (object && !explain->active)
        json_object_set_new(
            object, "note",
            json_string("no thread of this warp accesses memory: what the kernel works on ends before it"));
    return object;
}
