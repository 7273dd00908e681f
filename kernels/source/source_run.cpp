#include "kernels/source/source_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "base/clock.h"
#include "kernels/source/access_line.h"
#include "kernels/source/source_launch_data.h"

/* ---- one launch ---- */

/* What listens to the accesses of a launch. */
struct run_listener {
    const ptx_module *module;
    source_run *run;
    const int *output_of_buffer; /* -1: none */
    const source_kernel *kernel;
    uint16_t *stored; /* as in source_output: by site, and by buffer within a site; 0: not looked up yet */
};

/* Returns what a store at that site to that buffer leaves in source_output.stored. */
static uint16_t stored_of(const run_listener *listener, int site, int buffer)
{
    int joined[2];
    const ptx_position position =
        ptx_module_position(listener->module, &listener->module->sites[site].position);
    const int line =
        access_line_find(listener->kernel, position, listener->kernel->kernel.buffers[buffer].name, joined)
            .line;
    return line > 0 && line < UINT16_MAX ? (uint16_t)(line + 1) : 1;
}

static void on_access(void *context, const ptx_access *access)
{
    const run_listener *listener = (const run_listener *)context;
    if (listener->module->sites[access->site].kind == PTX_LOAD || access->space != PTX_GLOBAL ||
        access->buffer < 0 || access->buffer >= KERNEL_BUFFERS ||
        listener->output_of_buffer[access->buffer] < 0)
        return;
    source_output &output = listener->run->output[listener->output_of_buffer[access->buffer]];
    const uint64_t base = ptx_launch_address((unsigned)access->buffer), each = source_type_bytes(output.type);
    uint16_t &stored = listener->stored[(size_t)access->site * KERNEL_BUFFERS + (size_t)access->buffer];
    if (!stored)
        stored = stored_of(listener, access->site, access->buffer);
    for (int lane = 0; lane < PTX_LANES; lane++) {
        if (!(access->mask >> lane & 1u))
            continue;
        uint64_t first = (access->address[lane] - base) / each,
                 last = (access->address[lane] + access->bytes - 1 - base) / each;
        for (uint64_t i = first; i <= last && i < output.elements; i++) {
            output.written += !output.stored[i];
            output.stored[i] = stored;
        }
    }
}

/* An output's bytes and flags. -1: no memory. */
static int output_add(source_run *run, const source_kernel *kernel, int buffer, uint64_t elements)
{
    const source_argument *a = &kernel->draft.argument[kernel->slot_of_buffer[buffer]];
    source_output &output = run->output[run->output_count++];
    output.name = kernel->kernel.buffers[buffer].name;
    output.type = a->type;
    output.buffer = buffer;
    output.elements = elements;
    output.unfilled = a->role == BUFFER_ACCUMULATED && a->fill.rule == SOURCE_FILL_GENERATOR;
    output.bytes = (unsigned char *)malloc(elements * source_type_bytes(a->type) + 1);
    output.stored = (uint16_t *)calloc(elements + 1, sizeof *output.stored);
    return output.bytes && output.stored ? 0 : -1;
}

static void note_outcome(source_run *run, const source_kernel *kernel, const ptx_outcome &outcome)
{
    for (unsigned i = 0; i < outcome.fault_count; i++) {
        run->timed_out = run->timed_out || outcome.faults[i].kind == PTX_FAULT_STEPS;
        if (run->fault_count < SOURCE_COUNT_FAULTS)
            source_launch_data_fault(kernel, &outcome.faults[i], &run->faults[run->fault_count++]);
    }
    run->failed = outcome.failed;
    run->complete = outcome.complete;
    run->blocks_run = outcome.blocks;
    run->warp_instructions = outcome.instructions;
}

/* Adds the note of a launch that stored nothing. */
static void note_nothing_stored(source_run *run)
{
    uint64_t written = 0;
    for (int i = 0; i < run->output_count; i++)
        written += run->output[i].written;
    if (written || !run->output_count || run->failed || !run->complete ||
        run->fault_count == SOURCE_COUNT_FAULTS)
        return;
    source_fault *note = &run->faults[run->fault_count++];
    *note = {};
    note->note = true;
    snprintf(note->text, sizeof note->text, "%s", SOURCE_NOTHING_STORED);
}

static int execute(source_run *run, const struct experiment *experiment, const ptx_module *module, int entry,
                   double seconds, struct error *error)
{
    const source_kernel *kernel = source_kernel_of(experiment->kernel);
    int output_of_buffer[KERNEL_BUFFERS];
    struct domain domain = experiment_domain(experiment);
    source_launch_data data;
    source_launch_data_make(data, experiment, module, entry, true);
    for (int b = 0; b < KERNEL_BUFFERS; b++) {
        output_of_buffer[b] = -1;
        if (b >= kernel->kernel.buffer_count || kernel->kernel.buffers[b].role == BUFFER_INPUT)
            continue;
        output_of_buffer[b] = run->output_count;
        if (output_add(run, kernel, b, kernel->kernel.elements(&domain, b)) < 0)
            return error_set(error, ERROR_MEMORY, "no memory for the outputs");
    }
    std::vector<uint16_t> stored((size_t)module->site_count * KERNEL_BUFFERS);
    run_listener listener = {module, run, output_of_buffer, kernel, stored.data()};
    data.launch.budget.seconds = seconds;
    data.launch.check_races = data.launch.check_undefined = true;
    data.launch.on_access = on_access;
    data.launch.context = &listener;
    std::unique_ptr<ptx_outcome> outcome(new ptx_outcome{});
    int64_t began_ns = clock_monotonic_ns();
    if (ptx_launch_run(&data.launch, outcome.get()) < 0 && !outcome->fault_count)
        return error_set(error, ERROR_INVALID, "the launch is not possible");
    run->seconds = (double)(clock_monotonic_ns() - began_ns) / 1e9;
    run->blocks =
        (uint64_t)experiment->grid[0] * (uint64_t)experiment->grid[1] * (uint64_t)experiment->grid[2];
    note_outcome(run, kernel, *outcome);
    note_nothing_stored(run);
    for (int b = 0; b < kernel->kernel.buffer_count; b++)
        if (output_of_buffer[b] >= 0)
            memcpy(run->output[output_of_buffer[b]].bytes, data.bytes[(size_t)b].get(),
                   (size_t)data.buffers[(size_t)b].bytes);
    return 0;
}

int source_run_check(const struct experiment *experiment, struct error *error)
{
    if (source_launch_data_bytes(experiment) <= SOURCE_COUNT_BYTES_MAX)
        return 0;
    return error_set(
        error, ERROR_OUT_OF_MEMORY,
        "not executed: the buffers hold more than %d MiB, which is the most that a launch is executed with",
        SOURCE_COUNT_BYTES_MAX >> 20);
}

int source_run_make(struct source_run *run, const struct experiment *experiment,
                    const struct source_code *code, double seconds, struct error *error)
{
    int entry, status = -1;
    struct error why = {};
    *run = {};
    if (source_run_check(experiment, &why) < 0)
        return error_set(error, ERROR_INVALID, "%s", why.text);
    ptx_module *module = source_launch_data_open(source_kernel_of(experiment->kernel), code, &entry, error);
    if (!module)
        return -1;
    try {
        status = execute(run, experiment, module, entry, seconds, error);
    } catch (const std::bad_alloc &) {
        status = error_set(error, ERROR_MEMORY, "no memory for the launch");
    }
    ptx_module_free(module);
    if (status < 0)
        source_run_free(run);
    return status;
}

void source_run_free(struct source_run *run)
{
    for (int i = 0; i < run->output_count; i++) {
        free(run->output[i].bytes);
        free(run->output[i].stored);
    }
    run->output_count = 0;
}

/* ---- two of them ---- */

/* True: component `at` is the same in both, or near enough; *error is the difference of the numbers, 0 where they are none. */
static bool same_component(source_type type, const unsigned char *found, const unsigned char *wanted,
                           double tolerance, double *error)
{
    double x = source_type_get(type.base, found), y = source_type_get(type.base, wanted);
    bool equal = source_type_is_real(type.base)
                     ? x == y || (isnan(x) && isnan(y))
                     : memcmp(found, wanted, source_type_component_bytes(type.base)) == 0;
    *error = isfinite(x) && isfinite(y) ? fabs(x - y) : 0;
    return equal || (isfinite(x) && isfinite(y) && *error <= tolerance && tolerance > 0);
}

static void compare_element(const source_output *found, const source_output *wanted, uint64_t i,
                            double tolerance, struct correctness *correctness)
{
    unsigned each = source_type_component_bytes(found->type.base);
    bool both = found->stored[i] && wanted->stored[i];
    if (!found->stored[i] && !wanted->stored[i])
        return;
    for (unsigned c = 0; c < found->type.width; c++) {
        size_t at = (size_t)i * source_type_bytes(found->type) + c * each;
        double error;
        bool same = same_component(found->type, found->bytes + at, wanted->bytes + at, tolerance, &error);
        if (both && error > correctness->max_abs_error)
            correctness->max_abs_error = error;
        if (both && same)
            continue;
        correctness->mismatches++;
        if (!correctness->has_first) {
            correctness->has_first = true;
            snprintf(correctness->first.buffer, sizeof correctness->first.buffer, "%.*s",
                     (int)sizeof correctness->first.buffer - 1, found->name);
            correctness->first.index = i;
            correctness->first.expected =
                wanted->stored[i] ? source_type_get(found->type.base, wanted->bytes + at) : NAN;
            correctness->first.found =
                found->stored[i] ? source_type_get(found->type.base, found->bytes + at) : NAN;
            correctness->first.untouched = !wanted->stored[i];
            correctness->first.unwritten = !found->stored[i];
            correctness->first.line = found->stored[i] ? found->stored[i] - 1 : 0;
            correctness->first.reference_line = wanted->stored[i] ? wanted->stored[i] - 1 : 0;
        }
        return;
    }
}

void source_run_compare(const struct source_run *run, const struct source_run *reference, double tolerance,
                        struct correctness *correctness)
{
    *correctness = {};
    correctness->checked = true;
    for (int o = 0; o < run->output_count; o++) {
        const source_output *found = &run->output[o], *wanted = nullptr;
        for (int other = 0; other < reference->output_count; other++)
            if (strcmp(reference->output[other].name, found->name) == 0)
                wanted = &reference->output[other];
        if (!wanted || wanted->elements != found->elements)
            continue; /* cannot be: the arguments are the same */
        for (uint64_t i = 0; i < found->elements; i++)
            compare_element(found, wanted, i, tolerance, correctness);
        correctness->elements_checked += found->elements;
    }
    correctness->verified = correctness->elements_checked > 0 && !correctness->mismatches;
}

/* ---- arguments ---- */

static bool same_fill(const source_fill *one, const source_fill *other)
{
    if (one->rule != other->rule || one->modulus != other->modulus || one->value_count != other->value_count)
        return false;
    for (size_t i = 0; i < one->value_count; i++)
        if (one->values[i].real != other->values[i].real || one->values[i].whole != other->values[i].whole ||
            // Bits, for which a NaN equals itself. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
            memcmp(&one->values[i].value, &other->values[i].value, sizeof one->values[i].value) != 0)
            return false;
    return true;
}

bool source_run_same_arguments(const struct source_kernel *kernel, const struct source_kernel *reference,
                               char *detail, size_t size)
{
    const source_draft *one = &kernel->draft, *other = &reference->draft;
    detail[0] = '\0';
    if (one->argument_count != other->argument_count)
        snprintf(detail, size, "has %d arguments, %s has %d", other->argument_count, kernel->name,
                 one->argument_count);
    for (int i = 0; i < one->argument_count && !detail[0]; i++) {
        const source_argument *a = &one->argument[i], *b = &other->argument[i];
        char wanted[SOURCE_TYPE_NAME_BYTES], found[SOURCE_TYPE_NAME_BYTES];
        source_type_name(a->type, wanted);
        source_type_name(b->type, found);
        if (strcmp(a->name, b->name) != 0)
            snprintf(detail, size, "its argument %d is called %s, that of %s %s", i, b->name, kernel->name,
                     a->name);
        else if (a->pointer != b->pointer || strcmp(wanted, found) != 0)
            snprintf(detail, size, "its argument %s has another type than that of %s", b->name, kernel->name);
        else if (a->pointer && strcmp(a->elements, b->elements) != 0)
            snprintf(detail, size, "its argument %s has %s elements, that of %s has %s", b->name, b->elements,
                     kernel->name, a->elements);
        else if (a->pointer && a->role != b->role)
            snprintf(detail, size, "its argument %s has another role than that of %s", b->name, kernel->name);
        else if (a->pointer && !same_fill(&a->fill, &b->fill))
            snprintf(detail, size, "its argument %s holds other values than that of %s", b->name,
                     kernel->name);
    }
    return !detail[0];
}
