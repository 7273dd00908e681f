/* Finds architectures by any of their names, predicts for one, and writes predictions. */
#include "api/prediction_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "api/json_parts.h"
#include "api/problem.h"
#include "api/suggest.h"
#include "kernels/model/arch.h"
#include "kernels/model/product.h"

/* ---- architectures ---- */

const char *prediction_json_arch(const char *name, char detail[PREDICTION_DETAIL_BYTES])
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
    size_t used =
        (size_t)(product ? snprintf(detail, PREDICTION_DETAIL_BYTES,
                                    "the model knows no %.20s (%s); it knows", name, meant)
                         : snprintf(detail, PREDICTION_DETAIL_BYTES, "the model knows no %.20s%s it knows",
                                    name, suggest_text(&near)));
    for (int i = 0; i < arch_count() && used < PREDICTION_DETAIL_BYTES; i++)
        used += (size_t)snprintf(detail + used, PREDICTION_DETAIL_BYTES - used, " %s", arch_at(i)->name);
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
    char detail[PREDICTION_DETAIL_BYTES];
    const char *arch = json_is_string(name) ? prediction_json_arch(json_string_value(name), detail) : NULL;
    if (arch)
        json_array_append_new(archs, json_string(arch));
    else if (json_is_string(name))
        problem_add(problems, pointer, "%s", detail);
    else
        problem_add(problems, pointer, "must be a string, the name of an architecture or of a GPU");
}

json_t *prediction_json_archs(const json_t *asked, struct problems *problems)
{
    size_t i;
    const json_t *name;
    if (!asked)
        return all_archs();
    json_t *archs = json_array();
    if (json_is_string(asked)) {
        read_one(archs, asked, "#/arch", problems);
    } else if (!json_is_array(asked) || !json_array_size(asked) ||
               json_array_size(asked) > PREDICTION_ARCHS) {
        problem_add(
            problems, "#/arch",
            "must be the name of an architecture as \"sm_37\", \"3.7\" or \"K80\", or a list of 1 to %d",
            PREDICTION_ARCHS);
    } else {
        json_array_foreach (asked, i, name) {
            char pointer[32];
            snprintf(pointer, sizeof pointer, "#/arch/%zu", i);
            read_one(archs, name, pointer, problems);
        }
    }
    return archs;
}

/* ---- predicting ---- */

/* Writes why the architecture cannot launch the experiment and returns the length; 0: it can. The counts are predicted in
   both cases. */
static int no_launch_reason(char *reason, size_t size, const struct arch *arch, const struct experiment *e)
{
    enum { BLOCKS_MAX = 65535, FIRST_WITH_MORE_BLOCKS = 30, FIRST_WITH_DOUBLES = 13 };
    const struct domain domain = experiment_domain(e);
    const int found = atoi(arch->name + strlen("sm_")), least = e->kernel->architecture(&domain);
    const long long threads = (long long)(e->block[0] * e->block[1] * e->block[2]);
    if (found < least)
        return snprintf(reason, size, "asked for in this way, %s needs compute capability %d.%d",
                        e->kernel->name, least / 10, least % 10);
    if (e->dtype == DTYPE_F64 && e->kernel->dtypes && found < FIRST_WITH_DOUBLES)
        return snprintf(reason, size, "it has no floats of 64 bits");
    if (threads > arch->threads_per_block)
        return snprintf(reason, size, "a block has %lld threads, at most %d are launched there", threads,
                        (int)arch->threads_per_block);
    if (e->grid[0] > BLOCKS_MAX && found < FIRST_WITH_MORE_BLOCKS)
        return snprintf(reason, size, "the grid has %lld blocks along x, at most %d are launched there",
                        (long long)e->grid[0], BLOCKS_MAX);
    return 0;
}

void prediction_json_unlaunchable(struct prediction_answer *answer, const char *reason)
{
    if (answer->known && reason)
        snprintf(answer->note, sizeof answer->note,
                 "%s cannot launch it, these are counts of what it would do: %s",
                 answer->prediction.arch->name, reason);
}

/* The note that is nearest to what was asked for; each replaces those before it. */
static void note_make(struct prediction_answer *answer, const struct experiment *experiment)
{
    struct domain domain = experiment_domain(experiment);
    struct traffic unmodelled = experiment->kernel->unmodelled_traffic(&domain);
    if (answer->prediction.note)
        snprintf(answer->note, sizeof answer->note, "%s", answer->prediction.note);
    if (unmodelled.loads || unmodelled.stores)
        snprintf(
            answer->note, sizeof answer->note,
            "on a GPU %llu elements are loaded and %llu stored by other ways than the loads and stores of "
            "warps (a copy engine, the tensor memory accelerator, a texture): none of these sums has them",
            (unsigned long long)unmodelled.loads, (unsigned long long)unmodelled.stores);
    if (experiment->kernel->copied)
        snprintf(
            answer->note, sizeof answer->note,
            "on a GPU a copy engine does it, and no warp makes a request; this is what threads would ask "
            "for in its place");
    char reason[160];
    if (no_launch_reason(reason, sizeof reason, answer->prediction.arch, experiment) > 0)
        prediction_json_unlaunchable(answer, reason);
}

void prediction_json_make(struct prediction_answer *answer, const struct experiment *experiment,
                          const struct access *access, const char *name, enum l1_setting setting)
{
    const struct arch *arch = arch_find(name);
    struct error error = {0};
    *answer = (struct prediction_answer){.arch = name};
    if (!arch)
        error_set(&error, ERROR_NOT_FOUND, "the model has no architecture \"%.32s\"", name);
    else
        answer->known = prediction_make(experiment, access, arch, setting, &answer->prediction, &error) == 0;
    snprintf(answer->reason, sizeof answer->reason, "%.255s", error.text);
    if (!answer->known)
        return;
    note_make(answer, experiment);
    const char *compiled_for = machine_code_find(experiment, name, &answer->code);
    answer->compiled = compiled_for && strcmp(compiled_for, name) == 0;
    answer->compiler = "nvcc -Xptxas -v";
    answer->no_code = "no machine code of this architecture is known";
    answer->threads = machine_code_threads(experiment);
}

void prediction_json_of_device(struct prediction_answer *answer, const struct experiment *experiment,
                               const struct access *access, const char *arch)
{
    const char *known = arch_find(arch) ? arch : PREDICTION_STAND_IN;
    if (experiment->kernel->copied) {
        *answer = (struct prediction_answer){.arch = known,
                                             .reason = "a copy engine does it: no warp makes a request"};
        return;
    }
    prediction_json_make(answer, experiment, access, known, L1_BY_ARCH);
    if (known != arch)
        snprintf(answer->note, sizeof answer->note, "the model does not know %.64s; this is what %s would do",
                 arch, known);
}

/* ---- writing ---- */

static void write_side(struct json_writer *json, const char *prefix, const struct prediction_side *side)
{
    const struct {
        const char *name;
        uint64_t value;
    } members[] = {
        {"requests", side->requests},
        {"transactions", side->transactions},
        {"sectors", side->sectors},
        {"lines", side->lines},
        {"requested_bytes", side->bytes},
        {"moved_bytes", side->moved_bytes},
        {"transaction_bytes", side->transaction_bytes},
    };
    const char *const sizes[] = {"32", "64", "128"};
    char name[48];
    snprintf(name, sizeof name, "%s_unit", prefix);
    json_writer_string(json, name, prediction_unit_name(side->unit));
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        snprintf(name, sizeof name, "%s_%s", prefix, members[i].name);
        json_writer_uint(json, name, members[i].value);
    }
    for (int i = 0; i < 3 && (side->unit == UNIT_SEGMENT || side->unit == UNIT_HALF_SEGMENT); i++) {
        snprintf(name, sizeof name, "%s_transactions_%s", prefix, sizes[i]);
        json_writer_uint(json, name, side->segments[i]);
    }
    bool touched = side->efficiency_pct >= 0;
    snprintf(name, sizeof name, "%s_efficiency_pct", prefix);
    json_writer_rounded(json, name, touched ? side->efficiency_pct : NAN);
    snprintf(name, sizeof name, "%s_reason", prefix);
    if (!touched)
        json_writer_string(json, name,
                           strcmp(prefix, "gld") == 0 ? "the launch loads nothing from global memory"
                                                      : "the launch stores nothing to global memory");
}

static void write_loop(struct json_writer *json, const struct code *code)
{
    json_writer_begin_object(json, "loop");
    json_writer_uint(json, "global_loads", code->loop_loads);
    json_writer_uint(json, "barriers", code->loop_barriers);
    json_writer_begin_array(json, "passes");
    for (int i = 0; i < code->passes; i++) {
        const struct code_pass *pass = &code->pass[i];
        json_writer_begin_object(json, NULL);
        json_writer_uint(json, "iterations", pass->iterations);
        json_writer_uint(json, "all", pass->instructions);
        json_writer_uint(json, "float64", pass->doubles);
        json_writer_uint(json, "waits", pass->waits);
        json_writer_uint(json, "cycles", pass->cycles);
        json_writer_end(json);
    }
    json_writer_end(json);
    json_writer_end(json);
}

static void write_instructions(struct json_writer *json, const struct code *code)
{
    json_writer_begin_object(json, "instructions");
    json_writer_begin_object(json, "straight");
    json_writer_uint(json, "all", code->instructions);
    json_writer_uint(json, "global_loads", code->loads);
    json_writer_uint(json, "float64", code->doubles);
    json_writer_uint(json, "barriers", code->barriers);
    json_writer_uint(json, "waits", code->waits);
    json_writer_uint(json, "cycles", code->cycles);
    json_writer_end(json);
    if (code->passes)
        write_loop(json, code);
    else
        json_writer_null(json, "loop");
    json_writer_end(json);
}

/* What the compiler made of the kernel, of which `nvcc -Xptxas -v` prints some; and the local memory that it moves. */
static void write_code(struct json_writer *json, const struct prediction_answer *answer)
{
    const struct code *code = &answer->code;
    if (!answer->compiled) {
        json_parts_missing(json, "code", "unavailable", answer->no_code);
        return;
    }
    json_writer_begin_object(json, "code");
    json_writer_string(json, "reported_by", answer->compiler);
    json_writer_uint(json, "registers_per_thread", code->registers);
    json_writer_uint(json, "local_bytes_per_thread", code->local_bytes);
    json_writer_uint(json, "constant_bytes", code->constant_bytes);
    json_writer_uint(json, "local_load_bytes", code->local_load_bytes * answer->threads);
    json_writer_uint(json, "local_store_bytes", code->local_store_bytes * answer->threads);
    write_instructions(json, code);
    json_writer_end(json);
}

static void write_prediction(struct json_writer *json, const struct prediction_answer *answer)
{
    const struct prediction *prediction = &answer->prediction;
    const struct prediction_shared *load = &prediction->shared_load, *store = &prediction->shared_store;
    json_writer_string(json, "arch", prediction->arch->name);
    json_writer_bool(json, "l1", prediction->l1);
    json_writer_bool(json, "local_l1", prediction->arch->access.local_l1);
    json_writer_bool(json, "exact", prediction->exact);
    write_side(json, "gld", &prediction->load);
    write_side(json, "gst", &prediction->store);
    json_writer_uint(json, "atomic_requests", prediction->atomic_requests);
    json_writer_uint(json, "atomic_sectors", prediction->atomic_sectors);
    json_writer_uint(json, "shared_load_requests", load->requests);
    json_writer_uint(json, "shared_load_wavefronts", load->wavefronts);
    json_writer_uint(json, "shared_load_bank_conflicts", load->bank_conflicts);
    json_writer_uint(json, "shared_store_requests", store->requests);
    json_writer_uint(json, "shared_store_wavefronts", store->wavefronts);
    json_writer_uint(json, "shared_store_bank_conflicts", store->bank_conflicts);
    json_writer_rounded(json, "lanes_active", prediction->lanes_active);
    write_code(json, answer);
}

void prediction_json_open(struct json_writer *json, const char *key, const struct prediction_answer *answer)
{
    json_writer_begin_object(json, key);
    if (answer->known) {
        write_prediction(json, answer);
    } else {
        json_writer_string(json, "arch", answer->arch);
        json_writer_string(json, "status", "unavailable");
        json_writer_string(json, "reason", answer->reason);
    }
    if (answer->note[0])
        problem_write_text(json, "note", answer->note);
}

void prediction_json_write(struct json_writer *json, const char *key, const struct prediction_answer *answer)
{
    prediction_json_open(json, key, answer);
    json_writer_end(json);
}
