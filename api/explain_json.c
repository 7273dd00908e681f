/* Reads which warp is to be explained, and writes its instructions and their lanes, sectors and banks. */
#include "api/explain_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/json_parts.h"
#include "api/problem.h"
#include "api/source_lines.h"
#include "api/suggest.h"
#include "base/words.h"
#include "kernels/source/source_kernel.h"

/* ---- the question ---- */

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

void explain_json_read(struct explain_question *question, const json_t *value, struct problems *problems)
{
    const char *name;
    json_t *member;
    static const char *const known[] = {"block", "warp", "line"};
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
        if (strcmp(name, known[0]) == 0) {
            read_block(question, member, problems);
        } else if (strcmp(name, known[1]) == 0) {
            read_number(member, "#/explain/warp", &question->warp, problems);
        } else if (strcmp(name, known[2]) == 0) {
            read_number(member, "#/explain/line", &question->line, problems);
        } else {
            char pointer[64];
            struct suggestion meant;
            problem_pointer(pointer, sizeof pointer, "#/explain", name);
            problem_add(problems, pointer, "unknown field%s block and warp are known, and of a source line",
                        suggest_among(&meant, name, WORDS_TABLE(known)));
        }
    }
}

static int64_t warps_of_block(const struct experiment *e)
{
    return (e->block[0] * e->block[1] * e->block[2] + WARP_LANES - 1) / WARP_LANES;
}

/* Lines are counted as editors do: the text after the last newline is a line too, even if it is empty. */
static void check_line(int64_t line, const struct experiment *experiment, struct problems *problems)
{
    const struct source_kernel *source = source_kernel_of(experiment->kernel);
    const char *at = source ? source->draft.source : NULL;
    int64_t whole = 0;
    if (line && !source)
        problem_add(problems, "#/explain/line", "is for a source: %s has no lines here",
                    source_kernel_spoken(experiment->kernel));
    if (!at)
        return;
    for (const char *next; (next = strchr(at, '\n')); at = next + 1)
        whole++;
    if (line > whole + 1)
        problem_add(problems, "#/explain/line", "the number of lines of the source is %lld; is %lld",
                    (long long)whole + (*at != '\0'), (long long)line);
}

void explain_json_locate(const struct explain_question *question, const struct experiment *experiment,
                         struct explain *explain, struct problems *problems)
{
    const int64_t *grid = experiment->grid;
    int64_t number = question->block[0], blocks = grid[0] * grid[1] * grid[2];
    int64_t warps = warps_of_block(experiment);
    *explain = (struct explain){
        .block = {question->block[0], question->block[1], question->block[2]},
        .warp = question->warp,
        .line = question->line,
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
    check_line(question->line, experiment, problems);
    if (question->warp >= warps)
        problem_add(problems, "#/explain/warp",
                    "must be from 0 to %lld: a block of %lld x %lld x %lld threads has %lld; is %lld",
                    (long long)warps - 1, (long long)experiment->block[0], (long long)experiment->block[1],
                    (long long)experiment->block[2], (long long)warps, (long long)question->warp);
}

/* ---- the answer ---- */

static const char *const kinds[ACCESS_KINDS] = {"load", "store", "atomic"};

static void write_percent(struct json_writer *json, const char *key, uint64_t used, uint64_t units,
                          int unit_bytes)
{
    json_writer_rounded(json, key, units ? 100 * (double)used / ((double)units * unit_bytes) : NAN);
}

static int64_t element_bytes(const struct experiment *e, const struct access_instruction *i)
{
    return (int64_t)access_element_bytes(e->kernel, e->dtype, i);
}

/* In the banks of that architecture. */
static void write_shared(struct json_writer *json, const struct shared_sums *sums, const struct arch *arch)
{
    struct prediction_shared shared = prediction_of_shared(arch, sums);
    json_writer_uint(json, "wavefronts", shared.wavefronts);
    json_writer_uint(json, "bank_conflicts", shared.bank_conflicts);
    json_writer_uint(json, "bank_conflicts_wide", sums->conflicts_wide);
}

static void write_sums(struct json_writer *json, const struct access_instruction *i, const struct arch *arch,
                       const struct prediction *prediction)
{
    const struct access_sums *g = &i->global;
    if (i->space == SPACE_SHARED) {
        write_shared(json, &i->shared, arch);
        return;
    }
    if (i->space != SPACE_CONSTANT) {
        json_writer_uint(json, "sectors", g->sectors);
        json_writer_uint(json, "lines", g->lines);
    }
    struct prediction_side side = {.used_bytes = g->used};
    if (prediction && i->space != SPACE_CONSTANT)
        side = prediction_of_instruction(prediction, i);
    json_writer_uint(json, "requested_bytes", g->bytes);
    json_writer_uint(json, "used_bytes", side.used_bytes);
    if (i->space == SPACE_CONSTANT) {
        json_writer_uint(json, "words", g->used / (uint64_t)i->bytes);
        return;
    }
    write_percent(json, "sector_efficiency_pct", g->used, g->sectors, SECTOR_BYTES);
    write_percent(json, "line_efficiency_pct", g->used, g->lines, LINE_BYTES);
    if (!prediction)
        return;
    json_writer_string(json, "unit", prediction_unit_name(side.unit));
    json_writer_uint(json, "transactions", side.transactions);
    json_writer_uint(json, "transaction_bytes", side.transaction_bytes);
    json_writer_uint(json, "moved_bytes", side.moved_bytes);
    json_writer_rounded(json, "efficiency_pct", side.efficiency_pct < 0 ? NAN : side.efficiency_pct);
}

static void write_instruction(struct json_writer *json, const struct experiment *e,
                              const struct access_instruction *i, int index, const struct arch *arch,
                              const struct prediction *prediction)
{
    bool shared = i->space == SPACE_SHARED, constant = i->space == SPACE_CONSTANT;
    json_writer_begin_object(json, NULL);
    json_writer_int(json, "index", index);
    json_writer_string(json, "kind", kinds[i->kind]);
    json_writer_string(json, "space", shared ? "shared" : constant ? "constant" : "global");
    json_writer_string(json, "array", shared || constant ? NULL : e->kernel->buffers[i->space].name);
    json_writer_int(json, "element_bytes", element_bytes(e, i));
    json_writer_int(json, "access_bytes", i->bytes);
    json_writer_int(json, "times", i->times);
    json_writer_uint(json, "requests", shared ? i->shared.requests : i->global.requests);
    write_sums(json, i, arch, prediction);
    json_writer_end(json);
}

enum lane_figure { LANE_ELEMENT, LANE_ADDRESS, LANE_BANK };

static int bank_count(const struct arch *arch)
{
    return arch->access.banks == ARCH_BANKS_HALF_WARP ? HALF_WARP_BANKS : BANKS;
}

/* An array of 32: null where the lane is idle. `divisor`: the bytes of an element, or the number of banks. */
static void write_lanes(struct json_writer *json, const char *key, const struct explain_access *access,
                        enum lane_figure figure, int64_t divisor)
{
    json_writer_begin_array(json, key);
    for (int lane = 0; lane < WARP_LANES; lane++) {
        int64_t first = access->first[lane];
        json_writer_known_int(json, NULL, first >= 0,
                              figure == LANE_ELEMENT ? first / divisor
                              : figure == LANE_BANK  ? access_bank(first, (int)divisor)
                                                     : first);
    }
    json_writer_end(json);
}

/* The sectors of an access, and the lines that they lie in. */
static void write_units(struct json_writer *json, const struct access_instruction *i,
                        const struct explain_access *access)
{
    struct explain_sector touched[EXPLAIN_SECTORS];
    int count = explain_sectors(i, access, touched);
    json_writer_begin_array(json, "sectors");
    for (int s = 0; s < count; s++) {
        char mask[9];
        snprintf(mask, sizeof mask, "%08x", touched[s].used);
        json_writer_begin_object(json, NULL);
        json_writer_int(json, "address", (int64_t)touched[s].address);
        json_writer_string(json, "used_mask", mask);
        json_writer_int(json, "used_bytes", __builtin_popcount(touched[s].used));
        json_writer_end(json);
    }
    json_writer_end(json);
    json_writer_begin_array(json, "lines");
    for (int s = 0; s < count; s++) {
        int64_t line = (int64_t)touched[s].address / LINE_BYTES;
        if (!s || line != (int64_t)touched[s - 1].address / LINE_BYTES)
            json_writer_int(json, NULL, line * LINE_BYTES);
    }
    json_writer_end(json);
}

/* What the architecture moves for the access; and its bytes, which are those of the touched sectors where the
   unit is a segment, as in struct prediction_side. */
static void write_transactions(struct json_writer *json, const struct access_instruction *i,
                               const struct explain_access *access, const struct prediction *prediction)
{
    struct explain_transaction list[EXPLAIN_SECTORS];
    const enum prediction_unit unit = prediction_of_instruction(prediction, i).unit;
    int count = explain_transactions(i, access, unit, prediction_parts(prediction, i), list), moved = 0,
        used = 0;
    json_writer_begin_array(json, "transactions");
    for (int t = 0; t < count; t++) {
        json_writer_begin_object(json, NULL);
        json_writer_int(json, "address", list[t].address);
        json_writer_int(json, "bytes", list[t].bytes);
        json_writer_int(json, "used_bytes", list[t].used_bytes);
        if (list[t].part >= 0)
            json_writer_int(json, unit == UNIT_HALF_SEGMENT ? "half" : "part", list[t].part);
        json_writer_end(json);
        moved += unit == UNIT_SEGMENT ? list[t].sectors * SECTOR_BYTES : list[t].bytes;
        used += list[t].used_bytes;
    }
    json_writer_end(json);
    json_writer_int(json, "moved_bytes", moved);
    json_writer_int(json, "used_bytes", used);
    json_writer_rounded(json, "efficiency_pct", moved ? 100.0 * used / moved : NAN);
}

static void write_access(struct json_writer *json, const struct experiment *e,
                         const struct access_instruction *i, const struct explain_access *access,
                         const struct arch *arch, const struct prediction *prediction)
{
    json_writer_begin_object(json, NULL);
    json_writer_int(json, "instruction", access->instruction);
    json_writer_int(json, "time", (int64_t)access->time);
    write_lanes(json, "elements", access, LANE_ELEMENT, element_bytes(e, i));
    write_lanes(json, "addresses", access, LANE_ADDRESS, 1);
    if (access->index[0])
        json_writer_string(json, "index", access->index);
    if (i->space < SPACE_SHARED)
        write_units(json, i, access);
    if (i->space < SPACE_SHARED && prediction)
        write_transactions(json, i, access, prediction);
    if (i->space == SPACE_SHARED) {
        write_lanes(json, "banks", access, LANE_BANK, bank_count(arch));
        write_shared(json, &access->shared, arch);
    }
    json_writer_end(json);
}

void explain_json_write(struct json_writer *json, const char *key, const struct experiment *experiment,
                        const struct access *access, const struct explain *explain, const struct arch *arch,
                        const struct prediction *prediction, const struct source_count *source)
{
    const int64_t *grid = experiment->grid, warps = warps_of_block(experiment);
    json_writer_begin_object(json, key);
    json_writer_ints(json, "block", explain->block, 3);
    json_writer_int(json, "warp", explain->warp);
    if (explain->line)
        json_writer_int(json, "line", explain->line);
    if (explain->line && source)
        source_lines_list(json, "lines", source);
    json_writer_int(json, "warps_per_block", warps);
    json_writer_int(json, "warps", warps * grid[0] * grid[1] * grid[2]);
    json_writer_int(json, "lanes", explain->lanes);
    json_writer_int(json, "lanes_active", __builtin_popcount(explain->active));
    json_writer_bool(json, "exact", access->exact);
    json_writer_string(json, "arch", prediction ? prediction->arch->name : NULL);
    json_writer_int(json, "bank_bytes", arch->access.banks == ARCH_BANKS_WIDE ? 8 : 4);
    json_writer_int(json, "bank_count", bank_count(arch));
    json_writer_begin_array(json, "instructions");
    for (int i = 0; i < explain->instruction_count; i++)
        write_instruction(json, experiment, &explain->instructions[i], i, arch, prediction);
    json_writer_end(json);
    json_writer_begin_array(json, "accesses");
    for (int i = 0; i < explain->access_count; i++)
        write_access(json, experiment, &explain->instructions[explain->accesses[i].instruction],
                     &explain->accesses[i], arch, prediction);
    json_writer_end(json);
    json_writer_int(json, "accesses_left_out", (int64_t)(explain->accesses_all - explain->access_count));
    if (!explain->active && !explain->line) /* elsewhere than in its line the warp may access memory */
        json_writer_string(json, "note",
                           "no thread of this warp accesses memory: what the kernel works on ends before it");
    json_writer_end(json);
}
