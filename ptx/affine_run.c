/* Traces each warp through boxes of blocks. In the first block of a box everything is computed in numbers; beside them
   goes what coordinates.h says about the other blocks. */
#include <stdlib.h>
#include <string.h>

#include "ptx/affine_launch.h"
#include "ptx/execute.h"
#include "ptx/fault.h"
#include "ptx/grid.h"
#include "ptx/machine.h"
#include "ptx/special.h"
#include "ptx/tracing.h"

static const uint64_t boxes_default = 1 << 16;

static int stop(struct tracing *t, const struct instruction *i, enum ptx_affine_end end)
{
    t->stopped = true;
    t->result->end = end;
    t->result->position = t->trace.run->program->lines[i->position];
    return -1;
}

/* ---- registers ---- */

static struct coordinates read_register(const struct tracing *t, const struct coordinates *value,
                                        uint32_t mask)
{
    struct coordinates read = *value;
    if (mask & ~value->valid) {
        memset(read.step, 0, sizeof read.step);
        read.deferred = ALL_AXES;
    }
    read.unknown &= mask;
    read.deferred &= (uint8_t)coordinates_axes(&t->trace);
    return read;
}

static uint32_t function_of(const struct tracing *t)
{
    return t->trace.warp->paths[t->trace.warp->top].function;
}

static struct coordinates *slot_of(const struct tracing *t, uint32_t slot)
{
    return &t->trace.slots[function_of(t)][slot];
}

static struct coordinates *predicate_of(const struct tracing *t, uint32_t predicate)
{
    return &t->trace.predicates[function_of(t)][predicate];
}

static void write_register(struct coordinates *to, const struct coordinates *value, uint32_t mask,
                           uint32_t live)
{
    bool whole = !(live & ~mask);
    to->unknown = (to->unknown & ~mask) | (value->unknown & mask);
    to->deferred = whole ? value->deferred : to->deferred | value->deferred;
    to->valid = whole || memcmp(to->step, value->step, sizeof to->step) == 0 ? to->valid | mask : mask;
    memcpy(to->step, value->step, sizeof to->step);
}

static void write_results(struct tracing *t, const struct instruction *i, uint32_t mask,
                          const struct coordinates *value)
{
    for (unsigned at = 0; at < i->to_count; at++) {
        bool predicate = at ? i->second_is_predicate : !i->to_units;
        if (i->to[at] != NO_SLOT)
            write_register(predicate ? predicate_of(t, i->to[at]) : slot_of(t, i->to[at]), value, mask,
                           t->trace.warp->live);
    }
}

/* ---- accesses ---- */

/* What is loaded: known of parameters, and of constants that all blocks of the box read at one place. */
static bool loads_known(const struct tracing *t, const struct instruction *i,
                        const struct coordinates *address)
{
    return (i->space == PTX_PARAM || i->space == PTX_CONST) && i->kind == PTX_LOAD && !i->hidden &&
           !address->unknown && !coordinates_change(&t->trace, address);
}

static int access_memory(struct tracing *t, const struct instruction *i, uint32_t mask)
{
    struct machine *run = t->trace.run;
    struct coordinates address = {.valid = mask}, result = {.valid = mask, .unknown = mask};
    if (i->base != NO_SLOT)
        address = read_register(t, slot_of(t, i->base), mask);
    if (i->site >= 0 && address.unknown)
        return stop(t, i, PTX_AFFINE_DATA);
    coordinates_pin(&t->trace, address.deferred);
    if (loads_known(t, i, &address)) {
        result.unknown = 0;
        if (i->execute(t->trace.warp, i, mask))
            return -1;
    }
    if (i->site >= 0) {
        struct kept_access made = {.instruction = i};
        uint64_t addresses[LANES];
        memory_addresses(t->trace.warp, i, addresses);
        memcpy(made.step, address.step, sizeof made.step);
        if (i->base_units == 1 && coordinates_axes(&t->trace)) {
            coordinates_wide values[LANES];
            for (int lane = 0; lane < LANES; lane++)
                values[lane] = (coordinates_wide)(addresses[lane] - (uint64_t)i->offset);
            coordinates_keep_range(&t->trace, values, mask, address.step, 0, UINT32_MAX);
        }
        unsigned elements = i->to_count > i->from_count || i->kind == PTX_LOAD ? i->to_count : i->from_count;
        unsigned bytes = i->element_bytes * (i->kind == PTX_ATOMIC ? 1 : elements);
        for (uint32_t left = mask; left;) {
            memory_take(t->trace.warp, i, addresses, bytes, &left, &made.access);
            if (made.access.mask)
                tracing_keep(t, &made);
        }
    }
    write_results(t, i, mask, &result);
    return run->over ? -1 : 0;
}

/* ---- instructions ---- */

static bool is_memory(const struct instruction *i)
{
    return i->execute == execute_load || i->execute == execute_store || i->execute == execute_atomic;
}

/* Lanes compute with each other: what one of them does not know, none does. */
static bool is_together(const struct instruction *i)
{
    return i->execute == execute_shuffle || i->execute == execute_vote || i->execute == execute_match ||
           i->execute == execute_reduce || i->execute == execute_elect || i->execute == execute_active;
}

static int compute(struct tracing *t, const struct instruction *i, uint32_t mask)
{
    struct coordinates operands[OPERANDS_MAX], result;
    uint32_t read = is_together(i) ? t->trace.warp->paths[t->trace.warp->top].mask : mask;
    for (unsigned at = 0; at < i->from_count; at++)
        operands[at] = read_register(
            t, i->from_units[at] ? slot_of(t, i->from[at]) : predicate_of(t, i->from[at]), read);
    coordinates_result(&t->trace, i, mask, operands, &result);
    if (is_together(i) && result.unknown)
        result.unknown = mask;
    if (i->execute == execute_unpack || i->execute == execute_carry || i->execute == execute_predicates)
        memset(result.step, 0, sizeof result.step);
    if (i->changes || (i->execute == execute_carry && i->carry_in))
        result.unknown = mask;
    if (i->execute(t->trace.warp, i, mask))
        return -1;
    write_results(t, i, mask, &result);
    return 0;
}

static int barrier(struct tracing *t, const struct instruction *i, uint32_t mask)
{
    struct coordinates unknown = {.valid = mask, .unknown = mask};
    t->barriers++;
    write_results(t, i, mask, &unknown);
    return 0;
}

/* The lanes that the guard lets through; 0 or -1. */
static int guarded(struct tracing *t, const struct instruction *i, uint32_t *mask)
{
    struct warp *warp = t->trace.warp;
    if (i->guard == NO_SLOT)
        return 0;
    struct coordinates guard = read_register(t, predicate_of(t, i->guard), *mask);
    bool matters =
        i->flow != FLOW_NEXT || is_memory(i) || i->execute == execute_exit || i->execute == execute_trap;
    if (guard.unknown && matters)
        return stop(t, i, PTX_AFFINE_DATA);
    coordinates_pin(&t->trace, guard.deferred);
    uint32_t lets = i->guard_not ? ~warp->predicates[i->guard] : warp->predicates[i->guard];
    if (guard.unknown) {
        struct coordinates unknown = {.valid = guard.unknown, .unknown = guard.unknown};
        write_results(t, i, guard.unknown, &unknown);
    }
    *mask &= lets & ~guard.unknown;
    return 0;
}

static int step(struct tracing *t)
{
    struct warp *warp = t->trace.warp;
    struct path *top = &warp->paths[warp->top];
    const struct instruction *i = warp_instruction(warp, top->pc);
    uint32_t mask = top->mask;
    if (!(--t->trace.run->instructions_left % 4096) && warp_spent(warp, i))
        return -1;
    warp->time++;
    t->instructions++;
    if (guarded(t, i, &mask))
        return -1;
    top->pc++;
    if (!mask)
        return 0;
    if (is_memory(i))
        return access_memory(t, i, mask);
    if (i->flow == FLOW_BARRIER)
        return barrier(t, i, mask);
    if (i->flow == FLOW_TABLE) {
        struct coordinates index = read_register(t, slot_of(t, i->from[0]), mask);
        if (index.unknown)
            return stop(t, i, PTX_AFFINE_DATA);
        coordinates_pin(&t->trace, coordinates_change(&t->trace, &index));
    }
    return i->flow == FLOW_NEXT ? compute(t, i, mask) : i->execute(warp, i, mask);
}

/* ---- boxes ---- */

static void begin_registers(struct tracing *t)
{
    const struct machine *run = t->trace.run;
    for (unsigned f = 0; f < run->module->function_count; f++) {
        const struct function *function = &run->program->functions[f];
        if (!run->marks[f])
            continue;
        for (uint32_t s = 0; s < function->slots; s++)
            t->trace.slots[f][s] = (struct coordinates){.valid = UINT32_MAX};
        for (uint32_t p = 0; p < function->predicates; p++)
            t->trace.predicates[f][p] = (struct coordinates){.valid = UINT32_MAX};
        for (size_t i = 0; i < function->special_count; i++) {
            unsigned axis = (unsigned)function->specials[i].special - SPECIAL_CTAID_X;
            if (axis < AXES)
                t->trace.slots[f][function->specials[i].slot].step[axis] = 1;
        }
    }
}

static void trace_once(struct tracing *t)
{
    struct machine *run = t->trace.run;
    struct warp *warp = t->trace.warp;
    memcpy(run->block, t->trace.box.low, sizeof run->block);
    machine_begin_warp(warp);
    warp_begin(warp);
    begin_registers(t);
    t->kept_count = 0;
    t->overflow = false;
    t->instructions = t->barriers = 0;
    while (!run->over && !t->stopped && warp_settle(warp))
        if (step(t))
            break;
}

static int wait_for(struct tracing *t, const struct coordinates_box *box)
{
    if (arena_grow((void **)&t->waiting, t->waiting_count, &t->waiting_allocated, sizeof *t->waiting,
                   1 << 24))
        return -1;
    t->waiting[t->waiting_count++] = *box;
    return 0;
}

/* What the trace left of the box: for each axis the part beyond it, whole in the axes after it. */
static int wait_for_rest(struct tracing *t, const struct coordinates_box *wanted)
{
    struct coordinates_box rest = *wanted;
    for (unsigned a = 0; a < AXES; a++) {
        if (t->trace.box.high[a] < wanted->high[a]) {
            rest.low[a] = t->trace.box.high[a];
            if (wait_for(t, &rest))
                return -1;
        }
        rest.low[a] = t->trace.box.low[a];
        rest.high[a] = t->trace.box.high[a];
    }
    return 0;
}

static void trace_box(struct tracing *t)
{
    struct ptx_affine_result *result = t->result;
    double blocks = 1;
    t->streaming = false;
    trace_once(t);
    if (t->stopped || t->trace.run->over)
        return;
    if (t->overflow) {
        t->streaming = true;
        trace_once(t);
    } else {
        for (size_t i = 0; i < t->kept_count; i++)
            tracing_finish(t, &t->kept[i]);
    }
    for (unsigned a = 0; a < AXES; a++)
        blocks *= t->trace.box.high[a] - t->trace.box.low[a];
    result->boxes++;
    result->instructions += blocks * (double)t->instructions;
    result->barriers += blocks * (double)t->barriers;
}

static void trace_warps(struct tracing *t, uint64_t boxes_most)
{
    struct machine *run = t->trace.run;
    for (unsigned w = 0; w < run->warp_count && !t->stopped && !run->over; w++) {
        struct coordinates_box all = {{0, 0, 0},
                                      {run->launch->grid[0], run->launch->grid[1], run->launch->grid[2]}};
        t->trace.warp = &run->warps[w];
        t->waiting_count = 0;
        if (wait_for(t, &all))
            run->over = true;
        while (t->waiting_count && !t->stopped && !run->over) {
            struct coordinates_box wanted = t->waiting[--t->waiting_count];
            t->trace.box = wanted;
            trace_box(t);
            if (!t->stopped && wait_for_rest(t, &wanted)) {
                run->over = true;
            } else if (!t->stopped && t->result->boxes >= boxes_most && t->waiting_count) {
                t->result->end = PTX_AFFINE_BOXES;
                t->stopped = true;
            }
        }
    }
    if (run->over && !t->stopped)
        t->result->end = PTX_AFFINE_FAULT;
}

static int open_tracing(struct tracing *t, struct machine *run)
{
    unsigned functions = run->module->function_count;
    t->trace.run = run;
    /* NOLINTBEGIN(bugprone-sizeof-expression): tables of pointers, one for each function */
    t->trace.slots = arena_new(&run->arena, functions * sizeof *t->trace.slots);
    t->trace.predicates = arena_new(&run->arena, functions * sizeof *t->trace.predicates);
    /* NOLINTEND(bugprone-sizeof-expression) */
    t->kept = arena_new(&run->arena, ACCESSES_KEPT * sizeof *t->kept);
    if (!t->trace.slots || !t->trace.predicates || !t->kept)
        return -1;
    for (unsigned f = 0; f < functions; f++) {
        const struct function *function = &run->program->functions[f];
        if (!run->marks[f])
            continue;
        t->trace.slots[f] = arena_new(&run->arena, (function->slots + 1) * sizeof **t->trace.slots);
        t->trace.predicates[f] =
            arena_new(&run->arena, (function->predicates + 1) * sizeof **t->trace.predicates);
        if (!t->trace.slots[f] || !t->trace.predicates[f])
            return -1;
    }
    return 0;
}

int ptx_affine_run(const struct ptx_launch *launch, uint64_t boxes_most, struct ptx_affine_result *result)
{
    struct ptx_launch own = *launch;
    struct tracing tracing = {.result = result, .launch = launch};
    struct machine run;
    int failed = -1;
    memset(result, 0, sizeof *result);
    result->position = (struct ptx_position){.file = -1, .inlined_at = -1};
    own.check_races = own.check_undefined = false;
    own.blocks = NULL;
    own.on_access = NULL; /* told by tracing_finish(), when a box is known */
    if (grid_check(&own, &result->outcome))
        return -1;
    if (machine_open(&run, &own, &result->outcome) == 0 && open_tracing(&tracing, &run) == 0) {
        uint64_t before = run.instructions_left;
        trace_warps(&tracing, boxes_most ? boxes_most : boxes_default);
        result->outcome.instructions = before - run.instructions_left;
        result->outcome.complete = result->end == PTX_AFFINE_DONE;
        failed = 0;
    } else {
        grid_refuse(&result->outcome, PTX_FAULT_MEMORY, "the launch needs more memory than its budget");
    }
    free(tracing.waiting);
    machine_close(&run);
    return failed;
}
