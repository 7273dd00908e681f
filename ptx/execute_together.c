/* What the lanes of a warp do with each other. */
#include <string.h>

#include "ptx/block.h"
#include "ptx/execute.h"
#include "ptx/fault.h"
#include "ptx/warp.h"

/* Adds a fault for the first lane that is not in its own mask. The PTX ISA calls the behaviour of shfl.sync, vote.sync,
   match.sync, redux.sync and bar.warp.sync undefined for such a lane. */
static void check_own(struct warp *warp, const struct instruction *i, const uint32_t bits[LANES],
                      uint32_t mask)
{
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (bits[lane] >> lane & 1)
            continue;
        struct ptx_fault fault = fault_of(warp, i, lane, PTX_FAULT_SHUFFLE);
        fault.text = " takes part and is not in its own mask";
        fault_add(warp->run, &fault);
        return;
    }
}

/* The mask operand: one value for all lanes that take part. Lanes of it that have not ended and are not here are a
   fault, and so are lanes that are here and not in it. */
static uint32_t members(struct warp *warp, const struct instruction *i, unsigned operand, uint32_t mask)
{
    const uint32_t *bits = warp_slot(warp, i->from[operand]);
    check_own(warp, i, bits, mask);
    uint32_t wanted = bits[__builtin_ctz(mask)];
    uint32_t missing = wanted & warp->live & ~mask;
    for (int k = warp->top - 1; k >= 0 && missing; k--)
        if (warp->paths[k].mask & missing && block_only_returns(warp, &warp->paths[k]))
            missing &= ~warp->paths[k].mask;
    if (missing) {
        /* Each lane may name its own mask; one that names only those that are here is fine. */
        struct ptx_fault fault = fault_of(warp, i, __builtin_ctz(missing), PTX_FAULT_SHUFFLE);
        fault_add(warp->run, &fault);
    }
    return wanted & mask;
}

/* The value of a lane that has returned, or never was, is not defined: to name it in the mask and to take it is a fault.
   source[l]: the lane whose value lane l takes. */
static void check_sources(struct warp *warp, const struct instruction *i, uint32_t mask,
                          const int source[LANES])
{
    const uint32_t *bits = warp_slot(warp, i->from[3]);
    uint32_t named = bits[__builtin_ctz(mask)] & ~mask;
    for (int lane = 0; lane < LANES; lane++) {
        if (!(mask >> lane & 1) || !(named >> source[lane] & 1))
            continue;
        struct ptx_fault fault = fault_of(warp, i, lane, PTX_FAULT_SHUFFLE);
        fault.text = " takes the value of a lane that has returned or never was";
        fault_add(warp->run, &fault);
        return;
    }
}

int execute_shuffle(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const uint32_t *value = warp_slot(warp, i->from[0]), *by = warp_slot(warp, i->from[1]),
                   *clamp = warp_slot(warp, i->from[2]);
    uint32_t result[LANES], inside = 0;
    int source[LANES];
    uint32_t here = i->from_count > 3 ? members(warp, i, 3, mask) | mask : mask;
    for (int lane = 0; lane < LANES; lane++) {
        int part = (int)(clamp[lane] >> 8 & 31), bound = (int)(clamp[lane] & 31),
            distance = (int)(by[lane] & 31);
        int top = (lane & part) | (bound & ~part), low = lane & part, from;
        bool in;
        if (i->mode == 'u') {
            from = lane - distance;
            in = from >= top;
        } else if (i->mode == 'd') {
            from = lane + distance;
            in = from <= top;
        } else if (i->mode == 'b') {
            from = lane ^ distance;
            in = from <= top;
        } else {
            from = low | (distance & ~part);
            in = from <= top;
        }
        from = in ? from : lane;
        inside |= (uint32_t)in << lane;
        source[lane] = from;
        result[lane] = here >> from & 1 ? value[from] : value[lane];
    }
    if (i->from_count > 3)
        check_sources(warp, i, mask, source);
    warp_write(warp, i->to[0], 1, mask, result);
    if (i->to_count > 1)
        warp_write_predicate(warp, i->to[1], mask, inside);
    return 0;
}

static void write_all(struct warp *warp, const struct instruction *i, uint32_t mask, uint32_t value)
{
    uint32_t values[LANES];
    for (int lane = 0; lane < LANES; lane++)
        values[lane] = value;
    warp_write(warp, i->to[0], 1, mask, values);
}

int execute_vote(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t here = i->from_count > 1 ? members(warp, i, 1, mask) : mask;
    uint32_t votes = warp_predicate(warp, i, 0) & here;
    bool holds = i->mode == 'a' ? votes == here : i->mode == 'o' ? votes != 0 : votes == 0 || votes == here;
    if (i->mode == 'b')
        write_all(warp, i, mask, votes);
    else
        warp_write_predicate(warp, i->to[0], mask, holds ? UINT32_MAX : 0);
    return 0;
}

int execute_match(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t here = members(warp, i, 1, mask), result[LANES] = {0}, holds = 0;
    for (uint32_t left = here; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t value = warp_value(warp, i->from[0], i->from_units[0], lane);
        for (uint32_t others = here; others; others &= others - 1) {
            int other = __builtin_ctz(others);
            result[lane] |= (uint32_t)(warp_value(warp, i->from[0], i->from_units[0], other) == value)
                            << other;
        }
        if (i->mode == 'a') {
            holds |= (uint32_t)(result[lane] == here) << lane;
            result[lane] = result[lane] == here ? here : 0;
        }
    }
    warp_write(warp, i->to[0], 1, mask, result);
    if (i->to_count > 1)
        warp_write_predicate(warp, i->to[1], mask, holds);
    return 0;
}

int execute_active(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    write_all(warp, i, mask, mask);
    return 0;
}

static uint32_t reduced(const struct instruction *i, uint32_t a, uint32_t b)
{
    bool less = i->type == PTX_S32 ? (int32_t)a < (int32_t)b : a < b;
    switch (i->mode) {
    case 0:
        return a + b;
    case 1:
        return less ? a : b;
    case 2:
        return less ? b : a;
    case 3:
        return a & b;
    case 4:
        return a | b;
    default:
        return a ^ b;
    }
}

int execute_reduce(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const uint32_t *value = warp_slot(warp, i->from[0]);
    uint32_t left = members(warp, i, 1, mask);
    if (!left)
        return 0;
    uint32_t sum = value[__builtin_ctz(left)];
    for (left &= left - 1; left; left &= left - 1)
        sum = reduced(i, sum, value[__builtin_ctz(left)]);
    write_all(warp, i, mask, sum);
    return 0;
}

int execute_elect(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint32_t here = members(warp, i, 0, mask);
    uint32_t leader = here ? (uint32_t)__builtin_ctz(here) : 0;
    write_all(warp, i, mask, leader);
    warp_write_predicate(warp, i->to[1], mask, UINT32_C(1) << leader);
    return 0;
}
