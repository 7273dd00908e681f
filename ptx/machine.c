/* Memory of a launch, all from one arena with the launch's budget. */
#include "ptx/machine.h"

#include <string.h>

#include "base/clock.h"
#include "ptx/flow.h"
#include "ptx/shadow.h"
#include "ptx/warp.h"
#include "ptx/special.h"

static const uint64_t instructions_default = UINT64_C(1) << 32, bytes_default = UINT64_C(1) << 30;

/* ---- segments ---- */

static int defined_bits(struct machine *run, struct segment *segment)
{
    segment->defined = arena_new(&run->arena, segment->bytes / 8 + 16);
    return segment->defined ? 0 : -1;
}

static void open_buffers(struct machine *run)
{
    const struct ptx_launch *launch = run->launch;
    for (unsigned i = 0; i < launch->buffer_count; i++) {
        const struct ptx_buffer *buffer = &launch->buffers[i];
        run->segments[i + 1] = (struct segment){.data = buffer->data,
                                                .base = memory_segment_base(i + 1),
                                                .bytes = buffer->bytes,
                                                .space = PTX_GLOBAL,
                                                .present = true,
                                                .buffer = (int)i,
                                                .name = buffer->name,
                                                .element_bytes = buffer->element_bytes,
                                                .read_only = buffer->read_only};
    }
}

/* The segment of a variable of the module. */
static unsigned variable_segment(const struct machine *run, unsigned variable)
{
    return run->launch->buffer_count + 1 + variable;
}

static int open_variables(struct machine *run)
{
    const struct ptx_launch *launch = run->launch;
    for (unsigned v = 0; v < run->module->variable_count; v++) {
        const struct ptx_variable *variable = &run->module->variables[v];
        if (variable->space != PTX_GLOBAL && variable->space != PTX_CONST)
            continue;
        unsigned number = variable_segment(run, v);
        uint8_t *data = arena_new(&run->arena, variable->bytes + 16);
        if (!data)
            return -1;
        if (variable->bytes_initial)
            memcpy(data, variable->bytes_initial, variable->bytes);
        for (unsigned s = 0; s < launch->setting_count; s++)
            if (strcmp(launch->settings[s].variable, variable->name) == 0)
                memcpy(data, launch->settings[s].data,
                       launch->settings[s].bytes < variable->bytes ? launch->settings[s].bytes
                                                                   : variable->bytes);
        run->segments[number] = (struct segment){.data = data,
                                                 .base = memory_segment_base(number),
                                                 .bytes = variable->bytes,
                                                 .space = variable->space,
                                                 .present = true,
                                                 .buffer = (int)number - 1,
                                                 .name = variable->name,
                                                 .read_only = variable->space == PTX_CONST};
    }
    for (size_t r = 0; r < run->program->relocation_count; r++) {
        const struct relocation *relocation = &run->program->relocations[r];
        uint64_t address =
            memory_segment_base(variable_segment(run, (unsigned)relocation->target)) + relocation->addend;
        const struct segment *to = &run->segments[variable_segment(run, (unsigned)relocation->variable)];
        if (to->data && relocation->at + 8 <= to->bytes)
            memcpy(to->data + relocation->at, &address, sizeof address);
    }
    return 0;
}

static int own_memory(struct machine *run, struct segment *segment, enum ptx_space space, uint64_t all,
                      uint64_t bytes)
{
    *segment = (struct segment){.data = arena_new(&run->arena, all + 128),
                                .bytes = bytes,
                                .space = space,
                                .buffer = -1,
                                .element_bytes = 1};
    return segment->data ? 0 : -1;
}

static int open_segments(struct machine *run)
{
    const struct ptx_launch *launch = run->launch;
    unsigned count = launch->buffer_count + run->module->variable_count + 4;
    run->segments = arena_new(&run->arena, count * sizeof *run->segments);
    if (!run->segments)
        return -1;
    run->segment_count = count;
    run->shared_segment = count - 3;
    run->local_segment = count - 2;
    run->parameter_segment = count - 1;
    open_buffers(run);
    uint32_t alignment;
    uint64_t fixed = flow_shared_layout(run->module, run->marks, run->shared_offsets, &alignment);
    if (alignment)
        fixed = (fixed + alignment - 1) / alignment * alignment;
    uint64_t shared = fixed + launch->dynamic_shared_bytes;
    unsigned parameters = run->module->functions[launch->entry].parameter_bytes;
    run->local_bytes = (flow_local_layout(run->module, run->marks, run->local_offsets) + 127) / 128 * 128;
    if (open_variables(run) || own_memory(run, &run->shared, PTX_SHARED, shared, shared) ||
        own_memory(run, &run->local, PTX_LOCAL, (uint64_t)run->local_bytes * run->warp_count * LANES,
                   run->local_bytes) ||
        own_memory(run, &run->parameters, PTX_PARAM, parameters, parameters))
        return -1;
    if (parameters)
        memcpy(run->parameters.data, launch->parameters, parameters);
    run->parameters.read_only = true;
    return 0;
}

/* ---- what is watched ---- */

static unsigned least_width(const struct machine *run, bool shared)
{
    unsigned least = 8;
    for (unsigned s = 0; s < run->module->site_count; s++) {
        const struct ptx_site *site = &run->module->sites[s];
        bool fits = site->space == PTX_GENERIC || (site->space == PTX_SHARED) == shared;
        if (run->marks[site->function] && fits && site->space != PTX_LOCAL && site->space != PTX_CONST &&
            site->bytes < least)
            least = site->bytes;
    }
    return least;
}

/* The parameters that addresses of stores are made of; all of them where an address was loaded. */
static uint64_t stored_parameters(const struct machine *run)
{
    uint64_t parameters = 0;
    for (size_t n = 0; n < run->program->instruction_count; n++) {
        const struct instruction *i = &run->program->instructions[n];
        if (i->site < 0 || i->kind == PTX_LOAD || !run->marks[run->module->sites[i->site].function] ||
            (i->space != PTX_GLOBAL && i->space != PTX_GENERIC))
            continue;
        uint64_t of = i->depends & DEPENDS_PARAMETERS;
        parameters |= of ? of : DEPENDS_PARAMETERS;
    }
    return parameters;
}

/* Whether a store may reach the buffer: it is in a parameter that stores use, or in none. */
static bool may_be_stored(const struct machine *run, uint64_t parameters, const struct segment *segment)
{
    const struct ptx_function *entry = &run->module->functions[run->launch->entry];
    bool found = false;
    for (unsigned p = 0; p < entry->parameter_count; p++)
        for (unsigned at = 0; at + 8 <= entry->parameters[p].bytes; at += 8) {
            uint64_t address;
            memcpy(&address, (const uint8_t *)run->launch->parameters + entry->parameters[p].offset + at,
                   sizeof address);
            if (address - segment->base > segment->bytes)
                continue;
            found = true;
            if (p >= 62 || parameters >> p & 1)
                return true;
        }
    return !found;
}

static int watch_races(struct machine *run)
{
    const struct ptx_launch *launch = run->launch;
    uint64_t blocks =
        launch->blocks ? launch->block_count : (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    uint64_t parameters = stored_parameters(run);
    run->released_count = (uint32_t)(blocks < 1 << 22 ? blocks + 1 : 0);
    run->released = arena_new(&run->arena, run->released_count * sizeof *run->released);
    if (!run->released)
        run->released_count = 0;
    for (unsigned i = 1; i < run->shared_segment; i++) {
        struct segment *segment = &run->segments[i];
        if (segment->present && segment->space == PTX_GLOBAL && segment->bytes &&
            may_be_stored(run, parameters, segment) &&
            shadow_add(run, segment, least_width(run, false), true))
            run->outcome->races_unchecked = true;
    }
    if (run->shared.bytes && shadow_add(run, &run->shared, least_width(run, true), false))
        run->outcome->races_unchecked = true;
    return 0;
}

static int watch(struct machine *run)
{
    const struct ptx_launch *launch = run->launch;
    for (unsigned i = 0; launch->check_undefined && i < launch->buffer_count; i++)
        if (launch->buffers[i].undefined && defined_bits(run, &run->segments[i + 1]))
            return -1;
    if (launch->check_undefined && run->shared.bytes && defined_bits(run, &run->shared))
        return -1;
    return launch->check_races ? watch_races(run) : 0;
}

/* ---- registers ---- */

static uint64_t constant_value(const struct machine *run, unsigned function, const struct constant *constant)
{
    uint64_t base = 0;
    const struct ptx_variable *variable =
        constant->what == CONSTANT_VARIABLE || constant->what == CONSTANT_GENERIC
            ? &run->module->variables[constant->variable]
            : NULL;
    if (variable && variable->space == PTX_SHARED)
        base = run->shared_offsets[constant->variable] +
               (constant->what == CONSTANT_GENERIC ? memory_segment_base(run->shared_segment) : 0);
    else if (variable)
        base = memory_segment_base(variable_segment(run, (unsigned)constant->variable));
    else if (constant->what == CONSTANT_LOCAL || constant->what == CONSTANT_LOCAL_GENERIC)
        base = run->local_offsets[function] +
               (constant->what == CONSTANT_LOCAL_GENERIC ? memory_segment_base(run->local_segment) : 0);
    else if (constant->what == CONSTANT_PARAM_GENERIC)
        base = memory_segment_base(run->parameter_segment);
    return base + constant->bits;
}

static void fill(struct warp *warp, uint32_t slot, unsigned units, uint64_t value)
{
    void *at = warp_slot(warp, slot);
    for (int lane = 0; lane < LANES; lane++) {
        if (units == 2)
            ((uint64_t *)at)[lane] = value;
        else
            ((uint32_t *)at)[lane] = (uint32_t)value;
    }
}

static void fill_lanes(struct warp *warp, uint32_t slot, enum special_register special)
{
    const uint32_t *block = warp->run->launch->block;
    uint32_t *at = warp_slot(warp, slot);
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned thread = warp->number * LANES + lane;
        uint32_t own = UINT32_C(1) << lane;
        uint32_t values[SPECIAL_REGISTERS] = {
            [SPECIAL_TID_X] = thread % block[0],
            [SPECIAL_TID_Y] = thread / block[0] % block[1],
            [SPECIAL_TID_Z] = thread / block[0] / block[1],
            [SPECIAL_LANEID] = lane,
            [SPECIAL_LANEMASK_EQ] = own,
            [SPECIAL_LANEMASK_LT] = own - 1,
            [SPECIAL_LANEMASK_LE] = own | (own - 1),
            [SPECIAL_LANEMASK_GE] = ~(own - 1),
            [SPECIAL_LANEMASK_GT] = ~(own | (own - 1)),
        };
        at[lane] = values[special];
    }
}

/* The value of a register that all lanes share. */
static uint64_t shared_value(const struct warp *warp, enum special_register special)
{
    const struct machine *run = warp->run;
    const struct ptx_launch *launch = run->launch;
    switch (special) {
    case SPECIAL_NTID_X:
    case SPECIAL_NTID_Y:
    case SPECIAL_NTID_Z:
        return launch->block[special - SPECIAL_NTID_X];
    case SPECIAL_CTAID_X:
    case SPECIAL_CTAID_Y:
    case SPECIAL_CTAID_Z:
        return run->block[special - SPECIAL_CTAID_X];
    case SPECIAL_NCTAID_X:
    case SPECIAL_NCTAID_Y:
    case SPECIAL_NCTAID_Z:
        return launch->grid[special - SPECIAL_NCTAID_X];
    case SPECIAL_WARPID:
        return warp->number;
    case SPECIAL_NWARPID:
        return run->warp_count;
    case SPECIAL_NSMID:
        return 1;
    case SPECIAL_TOTAL_SMEM:
        return run->shared.bytes;
    case SPECIAL_DYNAMIC_SMEM:
        return launch->dynamic_shared_bytes;
    default:
        return 0;
    }
}

static bool of_lanes(enum special_register special)
{
    return (special >= SPECIAL_TID_X && special <= SPECIAL_TID_Z) || special == SPECIAL_LANEID ||
           (special >= SPECIAL_LANEMASK_EQ && special <= SPECIAL_LANEMASK_GT);
}

static void fill_frame(struct warp *warp, unsigned index)
{
    const struct function *function = &warp->run->program->functions[index];
    warp->frame = warp->frames[index];
    warp->predicates_of[index][1] = UINT32_MAX;
    for (size_t i = 0; i < function->constant_count; i++)
        fill(warp, function->constants[i].slot, function->constants[i].units,
             constant_value(warp->run, index, &function->constants[i]));
    for (size_t i = 0; i < function->special_count; i++) {
        const struct special_use *use = &function->specials[i];
        if (of_lanes((enum special_register)use->special))
            fill_lanes(warp, use->slot, (enum special_register)use->special);
        else
            fill(warp, use->slot, use->units, shared_value(warp, (enum special_register)use->special));
    }
}

static int open_warps(struct machine *run)
{
    struct arena *arena = &run->arena;
    unsigned functions = run->module->function_count;
    run->warps = arena_new(arena, run->warp_count * sizeof *run->warps);
    if (!run->warps)
        return -1;
    for (unsigned w = 0; w < run->warp_count; w++) {
        struct warp *warp = &run->warps[w];
        warp->run = run;
        warp->number = w;
        warp->frames = arena_new(arena, functions * sizeof *warp->frames);
        warp->predicates_of = arena_new(arena, functions * sizeof *warp->predicates_of);
        warp->together = run->launch->check_races ? arena_new(arena, LANES * sizeof *warp->together) : NULL;
        if (!warp->frames || !warp->predicates_of || (run->launch->check_races && !warp->together))
            return -1;
        for (unsigned f = 0; f < functions; f++) {
            const struct function *function = &run->program->functions[f];
            if (!run->marks[f])
                continue;
            warp->frames[f] = arena_new(arena, ((size_t)function->slots + 1) * SLOT_BYTES);
            warp->predicates_of[f] = arena_new(arena, function->predicates * sizeof(uint32_t));
            if (!warp->frames[f] || !warp->predicates_of[f])
                return -1;
            fill_frame(warp, f);
        }
    }
    return 0;
}

int machine_open(struct machine *run, const struct ptx_launch *launch, struct ptx_outcome *outcome)
{
    const struct ptx_module *module = launch->module;
    *run =
        (struct machine){.launch = launch, .module = module, .program = module->program, .outcome = outcome};
    run->arena.limit = launch->budget.bytes ? launch->budget.bytes : bytes_default;
    run->instructions_left = launch->budget.instructions ? launch->budget.instructions : instructions_default;
    if (launch->budget.seconds > 0)
        run->deadline = clock_thread_ns() + (int64_t)(launch->budget.seconds * 1e9);
    run->threads = launch->block[0] * launch->block[1] * launch->block[2];
    run->warp_count = (run->threads + LANES - 1) / LANES;
    run->marks = arena_new(&run->arena, module->function_count + 1u);
    run->shared_offsets = arena_new(&run->arena, (module->variable_count + 1u) * sizeof *run->shared_offsets);
    run->local_offsets = arena_new(&run->arena, (module->function_count + 1u) * sizeof *run->local_offsets);
    if (!run->marks || !run->shared_offsets || !run->local_offsets)
        return -1;
    flow_reachable(run->program, (unsigned)launch->entry, run->marks);
    return open_segments(run) || watch(run) || open_warps(run) ? -1 : 0;
}

void machine_close(struct machine *run)
{
    for (unsigned i = 0; run->segments && i < run->segment_count; i++)
        shadow_free(&run->segments[i]);
    shadow_free(&run->shared);
    arena_free(&run->arena);
}

void machine_begin_warp(struct warp *warp)
{
    const struct machine *run = warp->run;
    for (unsigned f = 0; f < run->module->function_count; f++) {
        const struct function *function = &run->program->functions[f];
        if (!run->marks[f])
            continue;
        warp->frame = warp->frames[f];
        for (size_t i = 0; i < function->special_count; i++) {
            const struct special_use *use = &function->specials[i];
            if (use->special >= SPECIAL_CTAID_X && use->special <= SPECIAL_CTAID_Z)
                fill(warp, use->slot, use->units, shared_value(warp, (enum special_register)use->special));
        }
    }
}

void machine_begin_block(struct machine *run)
{
    for (unsigned w = 0; w < run->warp_count; w++)
        machine_begin_warp(&run->warps[w]);
    if (run->shared.defined)
        memset(run->shared.defined, 0, run->shared.bytes / 8 + 1);
    run->block_number++;
    run->fenced = run->acquired = false;
}
