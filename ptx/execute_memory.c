/* ld, st, atom, red, cvta. */
#include <string.h>

#include "ptx/execute.h"
#include "ptx/memory.h"
#include "ptx/shadow.h"
#include "ptx/warp.h"

/* Bits of an element, extended to what the register holds. */
static uint64_t extended(const struct instruction *i, uint64_t bits)
{
    unsigned free_bits = 64 - i->element_bytes * 8u, own = ptx_types[i->to_type].bytes * 8u;
    if (ptx_types[i->type].class == PTX_CLASS_SIGNED && free_bits) {
        bits = (uint64_t)((int64_t)(bits << free_bits) >> free_bits);
        if (own < 64)
            bits &= (UINT64_C(1) << own) - 1;
    }
    return bits;
}

static void load_element(struct warp *warp, const struct instruction *i, const struct memory_access *access,
                         unsigned element)
{
    uint64_t wide[LANES];
    uint32_t narrow[LANES];
    unsigned bytes = i->element_bytes;
    size_t skip = (size_t)element * bytes;
    if (bytes == 4 && i->to_units == 1) {
        for (int lane = 0; lane < LANES; lane++)
            memcpy(&narrow[lane], access->at[lane] + skip, 4);
        warp_write(warp, i->to[element], 1, access->mask, narrow);
        return;
    }
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t bits = 0;
        if (access->mask >> lane & 1)
            memcpy(&bits, access->at[lane] + skip, bytes);
        wide[lane] = extended(i, bits);
    }
    if (i->to_units == 2) {
        warp_write(warp, i->to[element], 2, access->mask, wide);
        return;
    }
    for (int lane = 0; lane < LANES; lane++)
        narrow[lane] = (uint32_t)wide[lane];
    warp_write(warp, i->to[element], 1, access->mask, narrow);
}

/* What a refused lane loads. */
static void load_nothing(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    static const uint64_t zeroes[LANES];
    for (unsigned element = 0; mask && element < i->to_count; element++)
        warp_write(warp, i->to[element], i->to_units, mask, zeroes);
}

static bool watched(const struct memory_access *access, const struct instruction *i)
{
    return access->segment->shadow && !i->hidden;
}

int execute_load(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint64_t address[LANES];
    struct memory_access access;
    unsigned bytes = i->element_bytes * i->to_count;
    uint32_t left = mask, loaded = 0;
    memory_addresses(warp, i, address);
    /* All are read before a register of the address may be overwritten. */
    while (left && !warp->run->over) {
        memory_take(warp, i, address, bytes, &left, &access);
        if (!access.mask)
            continue;
        loaded |= access.mask;
        if (watched(&access, i))
            shadow_note(warp, &(struct shadow_access){i, access.segment, access.mask, access.offset,
                                                      access.at, i->element_bytes, NULL});
        memory_tell(warp, i, &access);
        for (unsigned element = 0; element < i->to_count; element++)
            load_element(warp, i, &access, element);
    }
    load_nothing(warp, i, mask & ~loaded);
    return warp->run->over ? -1 : 0;
}

int execute_store(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint64_t address[LANES];
    struct memory_access access;
    uint8_t values[LANES][16];
    unsigned bytes = i->element_bytes * i->from_count;
    memory_addresses(warp, i, address);
    for (unsigned element = 0; element < i->from_count; element++)
        for (int lane = 0; lane < LANES; lane++) {
            uint64_t bits = warp_value(warp, i->from[element], i->from_units[element], lane);
            memcpy(values[lane] + element * i->element_bytes, &bits, i->element_bytes);
        }
    while (mask && !warp->run->over) {
        memory_take(warp, i, address, bytes, &mask, &access);
        if (!access.mask)
            continue;
        if (watched(&access, i))
            shadow_note(warp, &(struct shadow_access){i, access.segment, access.mask, access.offset,
                                                      access.at, bytes, (const uint8_t(*)[16])values});
        memory_tell(warp, i, &access);
        for (uint32_t lanes = access.mask; lanes; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            memcpy(access.at[lane], values[lane], bytes);
        }
    }
    return warp->run->over ? -1 : 0;
}

int execute_atomic(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint64_t address[LANES], before[LANES] = {0};
    uint32_t narrow[LANES];
    struct memory_access access;
    uint32_t left = mask;
    memory_addresses(warp, i, address);
    while (left && !warp->run->over) {
        memory_take(warp, i, address, i->element_bytes, &left, &access);
        if (!access.mask)
            continue;
        if (watched(&access, i))
            shadow_note(warp, &(struct shadow_access){i, access.segment, access.mask, access.offset,
                                                      access.at, i->element_bytes, NULL});
        memory_tell(warp, i, &access);
        for (uint32_t lanes = access.mask; lanes; lanes &= lanes - 1) {
            int lane = __builtin_ctz(lanes);
            uint64_t operand = warp_value(warp, i->from[0], i->from_units[0], lane);
            uint64_t other = i->from_count > 1 ? warp_value(warp, i->from[1], i->from_units[1], lane) : 0;
            memcpy(&before[lane], access.at[lane], i->element_bytes);
            uint64_t after = i->scalar(before[lane], operand, other);
            memcpy(access.at[lane], &after, i->element_bytes);
        }
    }
    if (!i->to_count)
        return warp->run->over ? -1 : 0;
    for (int lane = 0; lane < LANES; lane++)
        narrow[lane] = (uint32_t)before[lane];
    if (i->to_units == 2)
        warp_write(warp, i->to[0], 2, mask, before);
    else
        warp_write(warp, i->to[0], 1, mask, narrow);
    return warp->run->over ? -1 : 0;
}

/* Addresses of global and constant memory are generic already. */
static uint64_t window(const struct machine *run, unsigned space)
{
    return space == PTX_SHARED  ? memory_segment_base(run->shared_segment)
           : space == PTX_LOCAL ? memory_segment_base(run->local_segment)
           : space == PTX_PARAM ? memory_segment_base(run->parameter_segment)
                                : 0;
}

int execute_address(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    uint64_t base = window(warp->run, i->space), result[LANES];
    const uint64_t *from = warp_slot(warp, i->from[0]);
    for (int lane = 0; lane < LANES; lane++)
        result[lane] = i->mode ? from[lane] - base : from[lane] + base;
    warp_write(warp, i->to[0], 2, mask, result);
    return 0;
}

int execute_space_test(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    const struct machine *run = warp->run;
    const uint64_t *from = warp_slot(warp, i->from[0]);
    uint32_t result = 0;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t number = from[lane] >> SEGMENT_SHIFT;
        enum ptx_space space = number == run->shared_segment      ? PTX_SHARED
                               : number == run->local_segment     ? PTX_LOCAL
                               : number == run->parameter_segment ? PTX_PARAM
                               : number < run->segment_count && run->segments[number].space == PTX_CONST
                                   ? PTX_CONST
                                   : PTX_GLOBAL;
        result |= (uint32_t)(space == i->space) << lane;
    }
    warp_write_predicate(warp, i->to[0], mask, result);
    return 0;
}

int execute_nothing(struct warp *warp, const struct instruction *i, uint32_t mask)
{
    (void)warp;
    (void)i;
    (void)mask;
    return 0;
}
