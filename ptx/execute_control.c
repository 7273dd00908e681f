/* Branches, calls and barriers. */
#include <string.h>

#include "ptx/execute.h"
#include "ptx/fault.h"
#include "ptx/warp.h"

static void note_branch(struct warp *warp, const struct instruction *i)
{
    warp->run->outcome->branch_of_data |= (i->depends & DEPENDS_DATA) != 0;
    warp->run->outcome->branch_of_atomic |= (i->depends & DEPENDS_ATOMIC) != 0;
}

int execute_branch(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    note_branch(warp, i);
    return warp_diverge(warp, i, mask, i->target);
}

/* One target after the other parts from the rest. */
int execute_table_branch(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const uint32_t *list = &warp->run->program->lists[i->table], *by = warp_slot(warp, i->from[0]);
    const struct path here = warp->paths[warp->top];
    note_branch(warp, i);
    uint32_t beyond = 0, rest = here.mask & ~mask;
    for (int lane = 0; lane < LANES; lane++)
        beyond |= (uint32_t)(by[lane] >= list[0]) << lane;
    if (beyond & mask) {
        struct ptx_fault fault = fault_of(warp, i, __builtin_ctz(beyond & mask), PTX_FAULT_UNKNOWN);
        fault.text = "brx.idx beyond its targets";
        return fault_end(warp->run, &fault);
    }
    if (here.reconverge == i->reconverge)
        warp->top--;
    else
        warp->paths[warp->top].pc = i->reconverge;
    struct {
        uint32_t target, mask;
    } parts[LANES + 1];
    unsigned count = 0;
    if (rest)
        parts[count].target = here.pc, parts[count++].mask = rest;
    for (uint32_t left = mask; left;) {
        uint32_t same = 0, index = by[__builtin_ctz(left)];
        for (uint32_t lanes = left; lanes; lanes &= lanes - 1)
            same |= by[__builtin_ctz(lanes)] == index ? lanes & (0u - lanes) : 0;
        parts[count].target = list[1 + index];
        parts[count++].mask = same;
        left &= ~same;
    }
    if (count > 1)
        warp_note_parting(warp, i);
    for (unsigned a = 0; a < count; a++) {
        for (unsigned b = 0; warp->together && b < a; b++)
            warp_parted(warp, parts[a].mask, parts[b].mask);
        if (warp->top + 1 >= PATHS_MAX) {
            struct ptx_fault fault = fault_of(warp, i, __builtin_ctz(mask), PTX_FAULT_UNKNOWN);
            fault.text = "more paths of one warp than are executed";
            return fault_end(warp->run, &fault);
        }
        if (parts[a].target != i->reconverge)
            warp->paths[++warp->top] =
                (struct path){parts[a].target, i->reconverge, parts[a].mask, here.function, false};
    }
    return 0;
}

/* Back from a function, or the end of the thread. */
int execute_return(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t end = warp->run->program->functions[warp->paths[warp->top].function].end;
    return warp_diverge(warp, i, mask, end);
}

int execute_exit(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    (void)i;
    warp_lanes_end(warp, mask);
    return 0;
}

/* The bytes of parameters, from a lane's memory to its memory. */
static void copy_parameter(struct warp *warp, uint32_t mask, uint32_t to, uint32_t from, uint32_t bytes)
{
    struct machine *run = warp->run;
    for (uint32_t left = mask; left; left &= left - 1) {
        uint8_t *memory =
            run->local.data + state_thread(warp, __builtin_ctz(left)) * (size_t)run->local_bytes;
        memmove(memory + to, memory + from, bytes);
    }
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static int call_builtin(struct warp *warp, const struct instruction *i, uint32_t mask, const uint32_t *list,
                        uint32_t own)
{
    const struct function *callee = &warp->run->program->functions[i->target];
    if (callee->builtin == BUILTIN_ASSERT) {
        struct ptx_fault fault = fault_of(warp, i, __builtin_ctz(mask), PTX_FAULT_TRAP);
        fault.text = "an assertion fails";
        fault_add(warp->run, &fault);
        warp_lanes_end(warp, mask);
        return 0;
    }
    struct ptx_fault note = fault_of(warp, i, __builtin_ctz(mask), PTX_FAULT_STUB);
    note.text = "printf prints nothing here";
    note.note = true;
    fault_add(warp->run, &note);
    for (uint32_t left = mask; left && list[1]; left &= left - 1)
        memset(warp->run->local.data +
                   state_thread(warp, __builtin_ctz(left)) * (size_t)warp->run->local_bytes + own + list[0],
               0, list[1]);
    return 0;
}

/* The result is copied back when the path of the callee has arrived: see execute_call_end(). */
int execute_call(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    struct machine *run = warp->run;
    const struct function *callee = &run->program->functions[i->target];
    const uint32_t *list = &run->program->lists[i->table];
    struct path *top = &warp->paths[warp->top];
    uint32_t own = run->local_offsets[top->function], theirs = run->local_offsets[i->target];
    if (!callee->defined)
        return call_builtin(warp, i, mask, list, own);
    unsigned arguments = list[2];
    for (unsigned a = 0; a < arguments && a < callee->formal_count; a++)
        copy_parameter(warp, mask, theirs + callee->formals[a].offset, own + list[3 + 2 * a],
                       smaller(callee->formals[a].bytes, list[4 + 2 * a]));
    if (warp->top + 1 == PATHS_MAX) {
        struct ptx_fault fault = fault_of(warp, i, __builtin_ctz(mask), PTX_FAULT_UNKNOWN);
        fault.text = "more paths of one warp than are executed";
        return fault_end(run, &fault);
    }
    warp->paths[++warp->top] = (struct path){callee->first, callee->end, mask, i->target, false};
    warp_use_frame(warp);
    return 0;
}

int execute_trap(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    struct ptx_fault fault = fault_of(warp, i, __builtin_ctz(mask), PTX_FAULT_TRAP);
    fault_add(warp->run, &fault);
    warp_lanes_end(warp, mask);
    return 0;
}

int execute_fence(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    (void)mask;
    if (i->mode)
        warp->run->fenced = true;
    return 0;
}

int execute_warp_barrier(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    (void)i;
    (void)mask;
    (void)warp;
    return 0;
}
