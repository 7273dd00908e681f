/* Turns and barriers. A thread that has returned counts as arrived; one that waits elsewhere is a fault. */
#include "ptx/block.h"

#include <string.h>

#include "ptx/execute.h"
#include "ptx/fault.h"
#include "ptx/warp.h"

/* Instructions of a warp before the next one has its turn: a warp may wait in a loop for another. */
static const uint64_t turn = 4096;

bool block_only_returns(const struct warp *warp, const struct path *path)
{
    const struct machine *run = warp->run;
    uint32_t pc = path->pc, end = run->program->functions[path->function].end;
    if (path->function != (uint32_t)run->launch->entry)
        return false;
    for (int steps = 0; steps < 16 && pc < end; steps++) {
        const struct instruction *i = warp_instruction(warp, pc);
        if (i->flow == FLOW_RETURN && i->guard == NO_SLOT)
            return true;
        if (i->site >= 0 || (i->flow != FLOW_NEXT && i->flow != FLOW_BRANCH) ||
            (i->flow == FLOW_BRANCH && i->guard != NO_SLOT))
            return false;
        pc = i->flow == FLOW_BRANCH ? i->target : pc + 1;
    }
    return pc == end;
}

/* A path beside the top one that has not arrived where both meet, brought to the top. */
static bool run_sibling(struct warp *warp)
{
    struct path *top = &warp->paths[warp->top];
    for (int k = warp->top - 1; k >= 0; k--) {
        struct path *other = &warp->paths[k];
        if (other->reconverge != top->reconverge || other->function != top->function)
            return false;
        if (!other->waits && other->mask && !(other->mask & top->mask) && other->pc != other->reconverge) {
            struct path swapped = *top;
            *top = *other;
            *other = swapped;
            return true;
        }
    }
    return false;
}

/* other_warp, other_lane: a thread that does not reach the barrier (NULL: none is named). waits: it waits at the instruction
   `other`. If it does not, the line of `other` is not reported: the compiler may have moved that instruction. */
static void barrier_fault(struct warp *warp, const struct instruction *i, int lane,
                          const struct warp *other_warp, const struct instruction *other, int other_lane,
                          bool waits)
{
    struct ptx_fault fault = fault_of(warp, i, lane, PTX_FAULT_BARRIER);
    if (other_warp) {
        fault.has_other = true;
        fault.other = fault_thread(warp->run, state_thread(other_warp, other_lane), other);
        if (!waits)
            fault.other.position = (struct ptx_position){0};
    }
    fault_add(warp->run, &fault);
}

/* The lanes that are not here have returned, or are about to. Otherwise a fault. */
static bool others_return(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t missing = warp->live & ~mask;
    for (int k = warp->top - 1; k >= 0 && missing; k--) {
        uint32_t here = warp->paths[k].mask & missing;
        if (here && (warp->paths[k].waits || !block_only_returns(warp, &warp->paths[k]))) {
            barrier_fault(warp, i, __builtin_ctz(mask), warp, warp_instruction(warp, warp->paths[k].pc),
                          __builtin_ctz(here), warp->paths[k].waits);
            return false;
        }
        missing &= ~here;
    }
    return true;
}

int execute_barrier(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    struct machine *run = warp->run;
    struct path *top = &warp->paths[warp->top];
    uint32_t pc = top->pc - 1;
    int first = __builtin_ctz(mask);
    uint32_t number = ((const uint32_t *)warp_slot(warp, i->from[0]))[first] & 15;
    uint32_t threads = i->boolean ? ((const uint32_t *)warp_slot(warp, i->from[1]))[first] : 0;
    if (warp->live & ~mask) {
        if (mask == top->mask) {
            top->pc = pc;
            top->waits = true;
            if (run_sibling(warp))
                return 0;
            top->pc = pc + 1;
            top->waits = false;
        }
        if (!others_return(warp, i, mask)) {
            warp_lanes_end(warp, UINT32_MAX);
            return 0;
        }
    }
    run->outcome->barriers++;
    if (i->mode == 'a') {
        run->arrived[number] += LANES;
        return 0;
    }
    warp->state = WARP_WAITS;
    warp->barrier_pc = pc;
    warp->barrier = number;
    warp->barrier_threads = threads;
    warp->barrier_mask = mask;
    warp->barrier_votes = i->mode == 's' ? 0 : warp_predicate(warp, i, i->from_count - 1u);
    return -1;
}

/* ---- between warps ---- */

static bool has_arrived(const struct machine *run, unsigned number)
{
    unsigned threads = run->arrived[number], wanted = 0;
    bool all = true;
    for (unsigned w = 0; w < run->warp_count; w++) {
        const struct warp *warp = &run->warps[w];
        bool here = warp->state == WARP_WAITS && warp->barrier == number;
        threads += here ? LANES : 0;
        all &= here || warp->state == WARP_ENDED;
        if (here && warp->barrier_threads > wanted)
            wanted = warp->barrier_threads;
    }
    return wanted ? threads >= wanted : all;
}

static uint32_t voted(const struct machine *run, unsigned number, unsigned mode)
{
    uint32_t count = 0, lanes = 0;
    for (unsigned w = 0; w < run->warp_count; w++) {
        const struct warp *warp = &run->warps[w];
        if (warp->state != WARP_WAITS || warp->barrier != number)
            continue;
        count += (uint32_t)__builtin_popcount(warp->barrier_votes & warp->barrier_mask);
        lanes += (uint32_t)__builtin_popcount(warp->barrier_mask);
    }
    return mode == 'p' ? count : mode == '&' ? (count == lanes ? UINT32_MAX : 0) : count ? UINT32_MAX : 0;
}

/* Warps that wait for the whole block wait at one instruction. */
static bool same_instruction(struct machine *run, unsigned number)
{
    struct warp *first = NULL;
    for (unsigned w = 0; w < run->warp_count; w++) {
        struct warp *warp = &run->warps[w];
        if (warp->state != WARP_WAITS || warp->barrier != number || warp->barrier_threads)
            continue;
        if (!first) {
            first = warp;
        } else if (warp->barrier_pc != first->barrier_pc) {
            barrier_fault(first, warp_instruction(first, first->barrier_pc),
                          __builtin_ctz(first->barrier_mask), warp, warp_instruction(warp, warp->barrier_pc),
                          __builtin_ctz(warp->barrier_mask), true);
            return false;
        }
    }
    return true;
}

static void release(struct machine *run, unsigned number)
{
    uint32_t results[3] = {voted(run, number, 'p'), voted(run, number, '&'), voted(run, number, '|')};
    for (unsigned w = 0; w < run->warp_count; w++) {
        struct warp *warp = &run->warps[w];
        if (warp->state != WARP_WAITS || warp->barrier != number)
            continue;
        const struct instruction *i = warp_instruction(warp, warp->barrier_pc);
        uint32_t values[LANES];
        for (int lane = 0; lane < LANES; lane++)
            values[lane] = results[0];
        if (i->mode == 'p')
            warp_write(warp, i->to[0], 1, warp->barrier_mask, values);
        else if (i->mode == '&' || i->mode == '|')
            warp_write_predicate(warp, i->to[0], warp->barrier_mask, results[i->mode == '&' ? 1 : 2]);
        warp->state = WARP_RUNS;
    }
    run->arrived[number] = 0;
    run->epoch++;
}

enum barriers {
    BARRIERS_STUCK,
    BARRIERS_RELEASED, /* at least one was complete: something runs again */
    BARRIERS_FAULT     /* which is told */
};

/* Nothing runs. */
static enum barriers release_barriers(struct machine *run)
{
    enum barriers result = BARRIERS_STUCK;
    for (unsigned number = 0; number < 16; number++) {
        bool waits = false;
        for (unsigned w = 0; w < run->warp_count; w++)
            waits |= run->warps[w].state == WARP_WAITS && run->warps[w].barrier == number;
        if (!waits || !has_arrived(run, number))
            continue;
        if (!same_instruction(run, number))
            return BARRIERS_FAULT;
        release(run, number);
        result = BARRIERS_RELEASED;
    }
    return result;
}

/* Who waits for ever, and somebody that waits at another barrier. */
static void never_complete(struct machine *run)
{
    struct warp *first = NULL, *other = NULL;
    for (unsigned w = 0; w < run->warp_count; w++) {
        struct warp *warp = &run->warps[w];
        if (warp->state != WARP_WAITS)
            continue;
        if (!first)
            first = warp;
        else if (!other && (warp->barrier != first->barrier || warp->barrier_pc != first->barrier_pc))
            other = warp;
    }
    if (first)
        barrier_fault(first, warp_instruction(first, first->barrier_pc), __builtin_ctz(first->barrier_mask),
                      other, other ? warp_instruction(other, other->barrier_pc) : NULL,
                      other ? __builtin_ctz(other->barrier_mask) : 0, true);
}

void block_run(struct machine *run)
{
    memset(run->arrived, 0, sizeof run->arrived);
    run->epoch++;
    for (unsigned w = 0; w < run->warp_count; w++)
        warp_begin(&run->warps[w]);
    while (!run->over) {
        unsigned running = 0, waiting = 0;
        for (unsigned w = 0; w < run->warp_count && !run->over; w++) {
            if (run->warps[w].state == WARP_RUNS)
                warp_run(&run->warps[w], turn);
            running += run->warps[w].state == WARP_RUNS;
            waiting += run->warps[w].state == WARP_WAITS;
        }
        if (run->over || (!running && !waiting))
            return;
        if (running)
            continue;
        enum barriers barriers = release_barriers(run);
        if (barriers == BARRIERS_STUCK)
            never_complete(run);
        if (barriers != BARRIERS_RELEASED)
            return;
    }
}
