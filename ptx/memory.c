/* Addresses to bytes. */
#include "ptx/memory.h"

#include <string.h>

#include "ptx/fault.h"
#include "ptx/warp.h"

void memory_addresses(const struct warp *warp, const struct instruction *instruction, uint64_t address[LANES])
{
    uint64_t offset = (uint64_t)instruction->offset;
    if (instruction->base == NO_SLOT) {
        for (int lane = 0; lane < LANES; lane++)
            address[lane] = offset;
    } else if (instruction->base_units == 2) {
        const uint64_t *base = warp_slot(warp, instruction->base);
        for (int lane = 0; lane < LANES; lane++)
            address[lane] = base[lane] + offset;
    } else {
        const uint32_t *base = warp_slot(warp, instruction->base);
        for (int lane = 0; lane < LANES; lane++)
            address[lane] = (uint64_t)base[lane] + offset;
    }
}

/* Which segment an address is of; *base is the address of its first byte. NULL: of none. */
static struct segment *segment_of(struct machine *run, const struct instruction *i, uint64_t address,
                                  uint64_t *base)
{
    if (i->space == PTX_SHARED || i->space == PTX_LOCAL || i->space == PTX_PARAM) {
        *base = 0;
        return i->space == PTX_SHARED ? &run->shared : i->space == PTX_LOCAL ? &run->local : &run->parameters;
    }
    uint64_t number = address >> SEGMENT_SHIFT;
    *base = memory_segment_base((unsigned)number);
    if (number >= run->segment_count)
        return NULL;
    if (number == run->shared_segment)
        return i->space == PTX_GENERIC ? &run->shared : NULL;
    if (number == run->local_segment)
        return i->space == PTX_GENERIC ? &run->local : NULL;
    if (number == run->parameter_segment)
        return i->space == PTX_GENERIC ? &run->parameters : NULL;
    struct segment *segment = &run->segments[number];
    if (!segment->present || (i->space != PTX_GENERIC && segment->space != i->space))
        return NULL;
    return segment;
}

static void lane_fault(struct warp *warp, const struct instruction *i, const struct segment *segment,
                       int lane, uint64_t address, int64_t offset, enum ptx_fault_kind kind, unsigned bytes)
{
    struct ptx_fault fault = fault_of(warp, i, lane, kind);
    fault.address = address;
    fault.bytes = bytes;
    fault.index = offset;
    if (segment)
        fault_place(&fault, segment, offset, bytes);
    fault_add(warp->run, &fault);
}

/* Lanes that may not access what they want. */
static uint32_t refused(struct warp *warp, const struct instruction *i, const struct segment *segment,
                        uint64_t limit, const uint64_t *address, uint32_t mask, struct memory_access *access)
{
    uint32_t wrong = 0;
    unsigned bytes = access->bytes;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t offset = access->offset[lane];
        enum ptx_fault_kind kind;
        if (!segment || offset > limit || segment->bytes < bytes)
            kind = PTX_FAULT_OUTSIDE;
        else if (offset & (bytes - 1))
            kind = PTX_FAULT_MISALIGNED;
        else if (segment->read_only && i->kind != PTX_LOAD)
            kind = PTX_FAULT_READ_ONLY;
        else
            continue;
        lane_fault(warp, i, segment, lane, address[lane], (int64_t)offset, kind, bytes);
        wrong |= UINT32_C(1) << lane;
    }
    return wrong;
}

static void undefined(struct warp *warp, const struct instruction *i, const struct memory_access *access)
{
    const uint8_t *defined = access->segment->defined;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        uint64_t offset = access->offset[lane];
        for (uint64_t byte = offset; byte < offset + access->bytes; byte++)
            if (!(defined[byte / 8] >> byte % 8 & 1)) {
                lane_fault(warp, i, access->segment, lane, access->address[lane], (int64_t)byte,
                           PTX_FAULT_UNDEFINED, access->bytes);
                break;
            }
    }
}

static void define(const struct memory_access *access)
{
    uint8_t *defined = access->segment->defined;
    unsigned bytes = access->bytes;
    for (uint32_t left = access->mask; left; left &= left - 1) {
        uint64_t offset = access->offset[__builtin_ctz(left)];
        if (bytes >= 8)
            memset(defined + offset / 8, 0xFF, bytes / 8);
        else
            defined[offset / 8] |= (uint8_t)(((1u << bytes) - 1) << offset % 8);
    }
}

void memory_take(struct warp *warp, const struct instruction *i, const uint64_t address[LANES],
                 unsigned bytes, uint32_t *mask, struct memory_access *access)
{
    struct machine *run = warp->run;
    int first = __builtin_ctz(*mask);
    uint64_t base;
    struct segment *segment = segment_of(run, i, address[first], &base);
    uint32_t group = *mask;
    if (i->space == PTX_GENERIC || i->space == PTX_GLOBAL || i->space == PTX_CONST) {
        uint64_t unlike = 0;
        for (int lane = 0; lane < LANES; lane++)
            unlike |= *mask >> lane & 1 ? (address[lane] ^ address[first]) >> SEGMENT_SHIFT : 0;
        for (int lane = 0; unlike && lane < LANES; lane++)
            if ((address[lane] ^ address[first]) >> SEGMENT_SHIFT)
                group &= ~(UINT32_C(1) << lane);
    }
    *mask &= ~group;
    uint64_t size = segment ? segment->bytes : 0, limit = size - bytes, wrong = 0;
    for (int lane = 0; lane < LANES; lane++) {
        uint64_t offset = (group >> lane & 1 ? address[lane] : address[first]) - base;
        access->offset[lane] = offset;
        wrong |= (offset > limit) | (offset & (bytes - 1));
    }
    access->segment = segment;
    access->bytes = bytes;
    if (wrong || size < bytes || (segment->read_only && i->kind != PTX_LOAD))
        group &= ~refused(warp, i, segment, limit, address, group, access);
    access->mask = group;
    if (!group)
        return;
    bool local = segment == &run->local;
    first = __builtin_ctz(group);
    for (int lane = 0; lane < LANES; lane++) {
        if (!(group >> lane & 1))
            access->offset[lane] = access->offset[first];
        access->at[lane] = segment->data + access->offset[lane] +
                           (local ? state_thread(warp, lane) * (size_t)run->local_bytes : 0);
        access->address[lane] = segment->space == PTX_GLOBAL || segment->space == PTX_CONST
                                    ? segment->base + access->offset[lane]
                                    : access->offset[lane];
    }
    if (segment->defined && i->kind != PTX_STORE)
        undefined(warp, i, access);
    if (segment->defined && i->kind != PTX_LOAD)
        define(access);
}

void memory_tell(struct warp *warp, const struct instruction *i, const struct memory_access *access)
{
    struct machine *run = warp->run;
    const struct ptx_launch *launch = run->launch;
    struct ptx_outcome *outcome = run->outcome;
    outcome->accesses += i->site >= 0;
    outcome->address_of_data |= (i->depends & DEPENDS_DATA) != 0;
    outcome->address_of_atomic |= (i->depends & DEPENDS_ATOMIC) != 0;
    if (!launch->on_access || i->site < 0)
        return;
    struct ptx_access told = {
        .site = i->site,
        .block = {run->block[0], run->block[1], run->block[2]},
        .warp = warp->number,
        .mask = access->mask,
        .space = access->segment->space,
        .buffer = access->segment->buffer,
        .bytes = access->bytes,
        .extent = {1, 1, 1},
    };
    memcpy(told.address, access->address, sizeof told.address);
    launch->on_access(launch->context, &told);
}
