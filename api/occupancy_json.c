/* Writes an occupancy: what fits, what limits it, where one more or one fewer block fits, and what hides a latency. */
#include "api/occupancy_json.h"

#include <math.h>
#include <string.h>

#include "api/json_parts.h"
#include "kernels/model/occupancy.h"
#include "kernels/time/machine_code.h"

static const char *const axes[OCCUPANCY_AXES] = {
    [OCCUPANCY_BY_REGISTERS] = "registers",
    [OCCUPANCY_BY_SHARED] = "shared_bytes",
    [OCCUPANCY_BY_THREADS] = "threads",
};

static void write_limits(struct json_writer *json, unsigned limited_by)
{
    json_writer_begin_array(json, "limited_by");
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++)
        if (limited_by >> i & 1u)
            json_writer_string(json, NULL, occupancy_limit_name((enum occupancy_limit)i));
    json_writer_end(json);
}

/* Blocks that each limit alone would allow; null: it does not bind here, or is not known. */
static void write_blocks_by(struct json_writer *json, const struct occupancy *occupancy)
{
    json_writer_begin_object(json, "blocks_by");
    for (int i = 0; i < OCCUPANCY_LIMIT_COUNT; i++) {
        json_writer_known_int(json, occupancy_limit_name((enum occupancy_limit)i),
                              occupancy->blocks_by[i] != OCCUPANCY_UNLIMITED, occupancy->blocks_by[i]);
    }
    json_writer_end(json);
}

/* What CUDA reports for a block that does not fit: it depends on the limit that it checks first. */
static const char *launch_error(const struct occupancy *occupancy)
{
    if (!occupancy->blocks_by[OCCUPANCY_THREADS])
        return "invalid configuration argument";
    if (!occupancy->blocks_by[OCCUPANCY_SHARED])
        return "invalid argument";
    return "too many resources requested for launch";
}

static void write_threshold(struct json_writer *json, const char *key, const struct occupancy_step *step,
                            uint64_t at)
{
    if (!step) {
        json_writer_null(json, key);
        return;
    }
    json_writer_begin_object(json, key);
    json_writer_uint(json, "at", at);
    json_writer_uint(json, "blocks_per_sm", step->blocks_per_sm);
    json_writer_end(json);
}

static void write_thresholds(struct json_writer *json, const char *key,
                             const struct occupancy_thresholds *thresholds)
{
    const struct occupancy_step *more = thresholds->more, *fewer = thresholds->fewer;
    json_writer_begin_object(json, key);
    write_threshold(json, "more", more, more ? more->to : 0);
    write_threshold(json, "fewer", fewer, fewer ? fewer->from : 0);
    json_writer_end(json);
}

static void write_staircase(struct json_writer *json, const char *key, const struct occupancy_step *steps,
                            int count)
{
    json_writer_begin_array(json, key);
    for (int i = 0; i < count; i++) {
        json_writer_begin_object(json, NULL);
        json_writer_uint(json, "from", steps[i].from);
        json_writer_uint(json, "to", steps[i].to);
        json_writer_uint(json, "blocks_per_sm", steps[i].blocks_per_sm);
        json_writer_uint(json, "warps_per_sm", steps[i].warps_per_sm);
        json_writer_end(json);
    }
    json_writer_end(json);
}

static void write_steps(struct json_writer *json, const struct arch *arch,
                        const struct occupancy_question *question, bool staircases)
{
    struct occupancy_step steps[OCCUPANCY_AXES][OCCUPANCY_STEPS];
    int count[OCCUPANCY_AXES];
    json_writer_begin_object(json, "thresholds");
    for (int i = 0; i < OCCUPANCY_AXES; i++) {
        enum occupancy_axis axis = (enum occupancy_axis)i;
        count[i] = occupancy_staircase(arch, question, axis, steps[i]);
        struct occupancy_thresholds thresholds = occupancy_thresholds(question, axis, steps[i], count[i]);
        write_thresholds(json, axes[i], &thresholds);
    }
    json_writer_end(json);
    if (!staircases)
        return;
    json_writer_begin_object(json, "staircases");
    for (int i = 0; i < OCCUPANCY_AXES; i++)
        write_staircase(json, axes[i], steps[i], count[i]);
    json_writer_end(json);
}

/* The issue rate of an architecture's schedulers, and how many warps and instructions hide the latency of a register
   that an arithmetic instruction has just written. Architectures without a published latency have the rate alone. */
static void write_issue(struct json_writer *json, const struct arch *arch)
{
    const uint32_t cycles = arch->register_latency_cycles;
    json_writer_begin_object(json, "issue");
    json_writer_uint(json, "warps", arch->issue.warps);
    json_writer_uint(json, "instructions", arch->issue.instructions);
    json_writer_uint(json, "cycles", arch->issue.cycles);
    json_writer_end(json);
    if (!cycles)
        return;
    json_writer_uint(json, "register_latency_cycles", cycles);
    json_writer_uint(json, "warps_to_hide_register_latency", occupancy_warps_to_hide(arch, cycles, 1));
    json_writer_uint(json, "instructions_to_hide_register_latency",
                     occupancy_instructions_to_hide(arch, cycles));
}

static void write_occupancy(struct json_writer *json, const char *key, const struct arch *arch,
                            const struct occupancy_question *question, const struct occupancy *occupancy,
                            int registers, bool staircases)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "arch", arch->name);
    json_writer_rounded(json, "theoretical", occupancy->theoretical);
    json_writer_uint(json, "blocks_per_sm", occupancy->blocks_per_sm);
    json_writer_uint(json, "warps_per_sm", occupancy->warps_per_sm);
    json_writer_uint(json, "max_warps_per_sm", arch->warps_per_sm);
    write_limits(json, occupancy->limited_by);
    write_blocks_by(json, occupancy);
    json_writer_known_int(json, "registers_per_thread", registers >= 0, registers);
    json_writer_uint(json, "threads_per_block", question->threads_per_block);
    json_writer_uint(json, "shared_bytes_per_block", question->shared_bytes_per_block);
    if (arch->shared.parameters)
        json_writer_uint(json, "parameter_bytes", question->parameter_bytes);
    if (!occupancy->blocks_per_sm)
        json_writer_string(json, "launch_error", launch_error(occupancy));
    if (occupancy->waves) {
        json_writer_uint(json, "waves", occupancy->waves);
        json_writer_rounded(json, "last_wave_fill", occupancy->last_wave_fill);
    }
    write_issue(json, arch);
    write_steps(json, arch, question, staircases);
    json_writer_end(json);
}

struct occupancy_case occupancy_json_case(const struct experiment *experiment, const char *arch)
{
    struct code code;
    const char *found = machine_code_find(experiment, arch, &code);
    const uint32_t address_bytes = 8;
    return (struct occupancy_case){
        .arch = arch,
        .registers_per_thread = found && strcmp(found, arch) == 0 ? (int)code.registers : -1,
        .shared_bytes_per_block = experiment_shared_bytes(experiment),
        .parameter_bytes = ((uint32_t)experiment->kernel->buffer_count + 1) * address_bytes,
        .threads_per_block = (uint64_t)(experiment->block[0] * experiment->block[1] * experiment->block[2]),
    };
}

static struct occupancy_question asked_of(const struct occupancy_case *question)
{
    const int registers = question->registers_per_thread;
    return (struct occupancy_question){
        .threads_per_block = (uint32_t)question->threads_per_block,
        .registers_per_thread = registers >= 0 ? (uint32_t)registers : 0,
        .shared_bytes_per_block = question->shared_bytes_per_block,
        .parameter_bytes = question->parameter_bytes,
        .grid_blocks = question->grid_blocks,
        .sms = question->sms,
    };
}

const char *occupancy_json_no_room(const struct occupancy_case *question)
{
    const struct arch *arch = arch_find(question->arch);
    const struct occupancy_question asked = asked_of(question);
    struct occupancy occupancy;
    struct error error = {0};
    if (!arch || occupancy_compute(arch, &asked, &occupancy, &error) < 0 || occupancy.blocks_per_sm)
        return NULL;
    if (occupancy.limited_by & 1u << OCCUPANCY_SHARED)
        return "a block takes more shared memory than a block may have there";
    if (occupancy.limited_by & 1u << OCCUPANCY_REGISTERS)
        return "a block takes more registers than a block may have there";
    return NULL;
}

double occupancy_json_write(struct json_writer *json, const char *key, const struct occupancy_case *question)
{
    const struct arch *arch = arch_find(question->arch);
    const struct occupancy_question asked = asked_of(question);
    struct occupancy occupancy;
    struct error error = {0};
    if (!arch || occupancy_compute(arch, &asked, &occupancy, &error) < 0) {
        json_parts_missing(json, key, "unavailable",
                           arch ? error.text : "the model does not know this architecture");
        return NAN;
    }
    write_occupancy(json, key, arch, &asked, &occupancy, question->registers_per_thread,
                    question->staircases);
    return occupancy.theoretical;
}
