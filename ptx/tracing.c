/* Accesses of boxes. */
#include "ptx/tracing.h"

#include <string.h>

#include "ptx/fault.h"

static void tell(struct tracing *t, const struct kept_access *kept)
{
    const struct ptx_launch *launch = t->launch;
    const struct coordinates_box *box = &t->trace.box;
    struct ptx_access told = {
        .site = kept->instruction->site,
        .warp = t->trace.warp->number,
        .mask = kept->access.mask,
        .space = kept->access.segment->space,
        .buffer = kept->access.segment->buffer,
        .bytes = kept->access.bytes,
    };
    for (unsigned a = 0; a < AXES; a++) {
        told.block[a] = box->low[a];
        told.extent[a] = box->high[a] - box->low[a];
        told.step[a] = told.extent[a] > 1 ? kept->step[a] : 0;
    }
    memcpy(told.address, kept->access.address, sizeof told.address);
    t->result->outcome.accesses++;
    if (launch->on_access)
        launch->on_access(launch->context, &told);
}

/* The lowest or the highest address of the box: at one of its corners. */
static void check_corner(struct tracing *t, const struct kept_access *kept, bool highest)
{
    struct machine *run = t->trace.run;
    const struct segment *segment = kept->access.segment;
    coordinates_wide further = 0;
    uint32_t block[AXES];
    for (unsigned a = 0; a < AXES; a++) {
        uint32_t span = t->trace.box.high[a] - t->trace.box.low[a] - 1;
        bool far = highest ? kept->step[a] > 0 : kept->step[a] < 0;
        block[a] = t->trace.box.low[a] + (far ? span : 0);
        further += far ? (coordinates_wide)kept->step[a] * span : 0;
    }
    if (!further)
        return;
    for (uint32_t left = kept->access.mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        coordinates_wide offset = (coordinates_wide)kept->access.offset[lane] + further;
        if (offset >= 0 && offset + kept->access.bytes <= segment->bytes)
            continue;
        struct ptx_fault fault = fault_of(t->trace.warp, kept->instruction, lane, PTX_FAULT_OUTSIDE);
        memcpy(fault.at.block, block, sizeof block);
        fault.address = kept->access.address[lane] + (uint64_t)further;
        fault.bytes = kept->access.bytes;
        fault_place(&fault, segment, (int64_t)offset, fault.bytes);
        fault_add(run, &fault);
        return;
    }
}

void tracing_finish(struct tracing *t, const struct kept_access *kept)
{
    check_corner(t, kept, false);
    check_corner(t, kept, true);
    tell(t, kept);
}

void tracing_keep(struct tracing *t, const struct kept_access *made)
{
    if (t->streaming) {
        tracing_finish(t, made);
    } else if (t->kept_count == ACCESSES_KEPT) {
        t->overflow = true;
    } else {
        t->kept[t->kept_count++] = *made;
    }
}
