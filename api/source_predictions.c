/* One compilation and one execution for each architecture that the compiler makes. */
#include "api/source_predictions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/source_lines.h"
#include "api/source_json.h"

static int arch_number(const char *name)
{
    return (int)strtol(name + strcspn(name, "0123456789"), NULL, 10);
}

/* Adds the counts for one name, unless those of another serve it too. */
static int add(struct source_predictions *predictions, struct source_service *service,
               const struct source_launch_question *question, const char *name, struct problems *problems,
               struct error *error)
{
    const struct source_kernel *kernel = source_kernel_of(question->experiment->kernel);
    struct source_build *build = source_service_build(service, kernel, arch_number(name), error);
    if (!build)
        return -1;
    const struct compilation *compilation = &build->compilation;
    bool known = false;
    for (int i = 0; i < predictions->count; i++)
        known = known || predictions->at[i].compiled_for == compilation->architecture;
    if (!compilation->ok)
        source_json_add_faults(kernel, compilation, problems);
    else
        source_parameters_check(&compilation->parameters, kernel, problems);
    if (known || problems->count) {
        source_cache_release(build);
        return 0;
    }
    struct source_prediction *made = &predictions->at[predictions->count++];
    made->compiled_for = compilation->architecture;
    snprintf(made->arch, sizeof made->arch, "sm_%d", made->compiled_for);
    made->build = build;
    if (source_service_count(service, build, question, &made->count, error) < 0)
        return -1;
    if (made->count.failed)
        source_lines_add_faults(problems, &made->count);
    return 0;
}

/* Of a sentence that begins with its line of the source, as source_launch_data_open() makes it. */
static void add_at_line(struct problems *problems, const char *text)
{
    int line = 0, behind = 0;
    if (sscanf(text, "line %d: %n", &line, &behind) != 1 || !behind)
        line = behind = 0;
    problem_add_at(problems, "#/source", line, 0, "%s", text + behind);
}

int source_predictions_make(struct source_predictions *predictions, struct source_service *service,
                            const struct source_launch_question *question, const json_t *archs,
                            struct problems *problems, struct error *error)
{
    size_t i;
    const json_t *name;
    *predictions = (struct source_predictions){.count = 0};
    json_array_foreach (archs, i, name) {
        if (problems->count || i == PREDICTION_ARCHS)
            break;
        if (add(predictions, service, question, json_string_value(name), problems, error) == 0)
            continue;
        if (error->kind != ERROR_INVALID)
            return -1;
        add_at_line(problems, error->text);
        error_clear(error);
    }
    return 0;
}

void source_predictions_free(struct source_predictions *predictions)
{
    for (int i = 0; i < predictions->count; i++) {
        source_count_free(&predictions->at[i].count);
        source_cache_release(predictions->at[i].build);
    }
    predictions->count = 0;
}

const struct source_prediction *source_predictions_find(const struct source_predictions *predictions,
                                                        const char *arch)
{
    const struct source_prediction *best = &predictions->at[0];
    for (int i = 0; i < predictions->count; i++) {
        const struct source_prediction *one = &predictions->at[i];
        bool newer = one->compiled_for >= arch_number(arch),
             best_newer = best->compiled_for >= arch_number(arch);
        if (newer ? !best_newer || one->compiled_for < best->compiled_for
                  : !best_newer && one->compiled_for > best->compiled_for)
            best = one;
    }
    return best;
}

bool source_predictions_compiled_for(const struct source_prediction *made, const char *arch)
{
    return made->compiled_for == arch_number(arch);
}

struct access source_predictions_access(const struct source_prediction *made, const char *arch)
{
    struct access access = made->count.access;
    access.exact = access.exact && source_predictions_compiled_for(made, arch);
    return access;
}

struct experiment source_predictions_experiment(const struct experiment *experiment,
                                                const struct source_prediction *made)
{
    struct experiment own = *experiment;
    own.code = made->count.has_code ? &made->count.code : NULL;
    own.code_arch = made->arch;
    return own;
}

void source_predictions_occupancy(struct occupancy_case *fill, const struct experiment *experiment,
                                  const struct source_prediction *made)
{
    if (made->count.registers && source_predictions_compiled_for(made, fill->arch))
        fill->registers_per_thread = (int)made->count.registers;
    fill->shared_bytes_per_block += made->count.static_shared_bytes;
    fill->parameter_bytes = source_kernel_of(experiment->kernel)->layout.parameter_bytes;
}

const char *source_predictions_untimed(const struct source_prediction *made)
{
    const struct code *code = &made->count.code;
    if (!made->count.has_code)
        return made->count.no_code;
    if (code->passes && !code->loop_loads && !code->loop_barriers)
        return "a loop loads nothing from global memory: how often it is gone round is not counted";
    return NULL;
}

/* Which compute capability instructions of PTX need. Sources: the PTX ISA, "Target ISA Notes" of each instruction; for
   the oldest ones the CUDA C++ Programming Guide, "Compute Capabilities". */
static const struct need {
    const char *ptx;
    int compute_capability; /* times ten; the least */
    const char *lacks;
} needs[] = {
    {"redux.", 80, "it has no reductions of a warp"},
    {"cp.async", 80, "it has no asynchronous copies"},
    {"atom.global.add.f64", 60, "it has no atomic additions of 64-bit floats"},
    {"red.global.add.f64", 60, "it has no atomic additions of 64-bit floats"},
    {"atom.shared.add.f64", 60, "it has no atomic additions of 64-bit floats"},
    {"shfl.", 30, "it has no shuffles"},
    {"atom.global.add.f32", 20, "it has no atomic additions of floats"},
    {"red.global.add.f32", 20, "it has no atomic additions of floats"},
    {"atom.shared.add.f32", 20, "it has no atomic additions of floats"},
    /* Only in memory: where a kernel computes with them in registers alone, the compiler takes 32-bit floats there. */
    {"global.f64", 13, "it has no floats of 64 bits"},
    {"global.nc.f64", 13, "it has no floats of 64 bits"},
    {"global.v2.f64", 13, "it has no floats of 64 bits"},
    {"global.nc.v2.f64", 13, "it has no floats of 64 bits"},
    {"shared.f64", 13, "it has no floats of 64 bits"},
    {"atom.shared", 12, "it has no atomic operations on shared memory"},
    {"atom.global", 11, "it has no atomic operations"},
    {"red.global", 11, "it has no atomic operations"},
};

/* Returns the PTX of the kernel that was asked for, without other kernels of the source, in memory that the caller frees;
   NULL: there is none, or no memory. */
static char *kernel_ptx(const struct compilation *compilation)
{
    char head[COMPILATION_SYMBOL_BYTES + 16];
    snprintf(head, sizeof head, ".entry %s(", compilation->entry);
    const char *all = compilation->ptx, *from = all && compilation->entry[0] ? strstr(all, head) : all;
    const char *end = from && from != all ? strstr(from, "\n}") : NULL;
    if (!from)
        from = all;
    return from ? strndup(from, end ? (size_t)(end - from) : strlen(from)) : NULL;
}

/* Returns what the architecture lacks for this kernel, static; NULL: it can launch it, as far as its instructions tell. */
static const char *lacking(const struct source_prediction *made, const char *arch)
{
    char *ptx = kernel_ptx(&made->build->compilation);
    const int found = arch_number(arch);
    const char *lacks = NULL;
    for (size_t i = 0; ptx && !lacks && i < sizeof needs / sizeof *needs; i++)
        if (found < needs[i].compute_capability && strstr(ptx, needs[i].ptx))
            lacks = needs[i].lacks;
    free(ptx);
    return lacks;
}

void source_predictions_code(struct prediction_answer *answer, const struct source_prediction *made)
{
    if (answer->known)
        prediction_json_unlaunchable(answer, lacking(made, answer->arch));
    answer->compiler = made->build->compilation.compiler;
    if (!made->count.has_code)
        answer->no_code = made->count.no_code;
}

void source_predictions_write_code(struct json_writer *json, const struct source_prediction *made,
                                   const struct prediction_answer *answer)
{
    char other[128] = "";
    if (!answer->known) /* says so itself, and nothing was counted */
        return;
    if (!source_predictions_compiled_for(made, answer->arch))
        snprintf(other, sizeof other,
                 "the compiler makes no %s; this is the code of %s, with the accesses of %s", answer->arch,
                 made->arch, answer->arch);
    json_writer_string(json, "compiled_for", made->arch);
    json_writer_name(json, "inexact", other[0] ? other : made->count.inexact);
}

void source_predictions_write(struct json_writer *json, const struct experiment *experiment,
                              const struct source_prediction *made, const struct prediction_answer *answer)
{
    source_predictions_write_code(json, made, answer);
    if (answer->known)
        source_lines_write(json, "lines", source_kernel_of(experiment->kernel)->draft.source, &made->count,
                           &answer->prediction);
}

void source_predictions_write_check(struct json_writer *json, const struct source_predictions *predictions)
{
    const struct source_count *count = &predictions->at[0].count;
    json_writer_begin_object(json, "check");
    json_writer_uint(json, "blocks", count->blocks);
    json_writer_uint(json, "blocks_checked", count->watched ? count->blocks_counted : 0);
    json_writer_bool(json, "races", count->watched && !count->races_unchecked);
    json_writer_bool(json, "complete", count->checked);
    json_writer_string(json, "compiler", predictions->at[0].build->compilation.compiler);
    json_writer_end(json);
    source_lines_notes(json, "notes", count);
}
