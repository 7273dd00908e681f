/* A warp executes: a stack of paths, of which the top one runs until it reaches the point where it meets the others. */
#include "ptx/warp.h"

#include <string.h>

#include "base/clock.h"
#include "ptx/fault.h"

static const uint64_t clock_interval = 1 << 14;

void warp_write(struct warp *warp, uint32_t slot, unsigned units, uint32_t mask, const void *values)
{
    if (slot == NO_SLOT)
        return;
    void *at = warp_slot(warp, slot);
    if (mask == UINT32_MAX) {
        memcpy(at, values, (size_t)units * SLOT_BYTES);
    } else if (units == 2) {
        uint64_t *to = at;
        const uint64_t *from = values;
        for (int i = 0; i < LANES; i++) {
            uint64_t all = (uint64_t)0 - (mask >> i & 1);
            to[i] = (to[i] & ~all) | (from[i] & all);
        }
    } else {
        uint32_t *to = at;
        const uint32_t *from = values;
        for (int i = 0; i < LANES; i++) {
            uint32_t all = 0u - (mask >> i & 1);
            to[i] = (to[i] & ~all) | (from[i] & all);
        }
    }
}

void warp_write_predicate(struct warp *warp, uint32_t slot, uint32_t mask, uint32_t values)
{
    if (slot != NO_SLOT)
        warp->predicates[slot] = (warp->predicates[slot] & ~mask) | (values & mask);
}

void warp_use_frame(struct warp *warp)
{
    if (warp->top < 0)
        return;
    uint32_t function = warp->paths[warp->top].function;
    warp->frame = warp->frames[function];
    warp->predicates = warp->predicates_of[function];
}

void warp_begin(struct warp *warp)
{
    const struct machine *run = warp->run;
    const struct function *entry = &run->program->functions[run->launch->entry];
    unsigned first = warp->number * LANES, left = run->threads - first;
    uint32_t mask = left >= LANES ? UINT32_MAX : (UINT32_C(1) << left) - 1;
    warp->paths[0] = (struct path){entry->first, entry->end, mask, (uint32_t)run->launch->entry, false};
    warp->top = 0;
    warp->live = mask;
    warp->carry = 0;
    warp->state = WARP_RUNS;
    warp->time = 1;
    if (warp->together)
        memset(warp->together, 0, LANES * sizeof *warp->together);
    warp_use_frame(warp);
}

void warp_parted(struct warp *warp, uint32_t some, uint32_t others)
{
    for (uint32_t a = some; a; a &= a - 1)
        for (uint32_t b = others; b; b &= b - 1) {
            int i = __builtin_ctz(a), j = __builtin_ctz(b);
            warp->together[i][j] = warp->together[j][i] = warp->time;
        }
}

void warp_note_parting(const struct warp *warp, const struct instruction *instruction)
{
    const struct machine *run = warp->run;
    if (run->launch->parted)
        run->launch->parted[instruction - run->program->instructions] = 1;
}

static int push(struct warp *warp, const struct instruction *instruction, struct path path)
{
    if (warp->top + 1 == PATHS_MAX) {
        struct ptx_fault fault = fault_of(warp, instruction, __builtin_ctz(path.mask), PTX_FAULT_UNKNOWN);
        fault.text = "more paths of one warp than are executed";
        return fault_end(warp->run, &fault);
    }
    warp->paths[++warp->top] = path;
    return 0;
}

int warp_diverge(struct warp *warp, const struct instruction *instruction, uint32_t taken, uint32_t target)
{
    struct path *top = &warp->paths[warp->top];
    uint32_t next = top->pc, meet = instruction->reconverge, function = top->function;
    uint32_t rest = top->mask & ~taken;
    if (!rest) {
        top->pc = target;
        return 0;
    }
    if (!taken)
        return 0;
    warp_note_parting(warp, instruction);
    if (warp->together)
        warp_parted(warp, taken, rest);
    if (top->reconverge == meet)
        warp->top--; /* the path below waits there already */
    else
        top->pc = meet;
    if (next != meet && push(warp, instruction, (struct path){next, meet, rest, function, false}))
        return -1;
    return target != meet ? push(warp, instruction, (struct path){target, meet, taken, function, false}) : 0;
}

void warp_lanes_end(struct warp *warp, uint32_t mask)
{
    warp->live &= ~mask;
    for (int i = 0; i <= warp->top; i++)
        warp->paths[i].mask &= ~mask;
}

bool warp_spent(struct warp *warp, const struct instruction *instruction)
{
    struct machine *run = warp->run;
    bool late = run->deadline && clock_thread_ns() > run->deadline;
    if (run->instructions_left && !late)
        return false;
    struct ptx_fault fault = fault_of(warp, instruction, 0, PTX_FAULT_STEPS);
    fault.text = late ? "the launch takes longer than its budget of time"
                      : "the launch takes more instructions than its budget";
    fault_end(run, &fault);
    return true;
}

/* The lanes of a path that is at the end of a device function have a result, which goes to the caller's memory. */
static void give_result(struct warp *warp, const struct path *path)
{
    const struct machine *run = warp->run;
    const struct function *function = &run->program->functions[path->function];
    int caller = warp->top;
    if (path->pc != function->end || !function->result.bytes)
        return;
    while (caller >= 0 && warp->paths[caller].function == path->function)
        caller--;
    if (caller < 0)
        return;
    const struct path *to = &warp->paths[caller];
    const uint32_t *list = &run->program->lists[warp_instruction(warp, to->pc - 1)->table];
    uint32_t bytes = list[1] < function->result.bytes ? list[1] : function->result.bytes;
    for (uint32_t left = path->mask; left; left &= left - 1) {
        uint8_t *memory =
            run->local.data + state_thread(warp, __builtin_ctz(left)) * (size_t)run->local_bytes;
        memmove(memory + run->local_offsets[to->function] + list[0],
                memory + run->local_offsets[path->function] + function->result.offset, bytes);
    }
}

bool warp_settle(struct warp *warp)
{
    while (warp->top >= 0) {
        const struct path *top = &warp->paths[warp->top];
        if (top->mask && top->pc != top->reconverge)
            return true;
        give_result(warp, top);
        warp->top--;
        warp_use_frame(warp);
    }
    warp->state = WARP_ENDED;
    return false;
}

void warp_run(struct warp *warp, uint64_t most)
{
    struct machine *run = warp->run;
    const struct instruction *code = run->program->instructions;
    for (uint64_t steps = 0; steps < most && warp_settle(warp); steps++) {
        struct path *top = &warp->paths[warp->top];
        const struct instruction *i = &code[top->pc];
        uint32_t mask = top->mask;
        if (i->guard != NO_SLOT)
            mask &= i->guard_not ? ~warp->predicates[i->guard] : warp->predicates[i->guard];
        if (!(--run->instructions_left % clock_interval) && warp_spent(warp, i))
            return;
        warp->time++;
        top->pc++;
        if ((mask || i->keeps_empty) && i->execute(warp, i, mask))
            return;
    }
}
