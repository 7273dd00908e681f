/* Offsets of buffers and guards, and the checks on the device and on the host. */
#include "kernels/measure/layout.h"

#include <math.h>
#include <stdio.h>

enum {
    HOST_CHUNKS = 64, /* the second check of the output, on the host: the number of chunks */
    HOST_CHUNK = 64,  /* elements of a chunk; chunks are spread evenly from the first element to the last */
};

/* A device whose memory is the host's has all memories in one. */
static enum memory memory_of(const struct layout *layout, int buffer)
{
    struct domain domain = experiment_domain(layout->experiment);
    return layout->kind->host_alloc ? layout->experiment->kernel->memory_of(&domain, buffer) : MEMORY_OWN;
}

/* The index of a memory in the layout, or -1. A result names the placement of the first. */
static int reserve_one(struct layout *layout, enum memory whose, bool anew, struct error *error)
{
    const struct experiment *e = layout->experiment;
    struct reserved place;
    struct domain domain = experiment_domain(e);
    for (int i = 0; i < layout->bases; i++)
        if (layout->whose[i] == whose)
            return i;
    if (whose == MEMORY_PEER &&
        layout->kind->peer(layout->device, e->peer_uuid, e->kernel->peer_access(&domain), error) < 0)
        return -1;
    if (layout->kind->reserve(layout->device, layout->bytes, whose, anew, &place, error) < 0)
        return -1;
    if (!layout->bases)
        layout->place = place;
    layout->whose[layout->bases] = whose;
    layout->base[layout->bases] = place.base;
    return layout->bases++;
}

/* The device's own memory comes first, if any buffer lies there. */
static int reserve_all(struct layout *layout, bool anew, struct error *error)
{
    for (enum memory whose = MEMORY_OWN; whose < MEMORIES; whose++)
        for (int b = 0; b < layout->experiment->kernel->buffer_count; b++)
            if (memory_of(layout, b) == whose && reserve_one(layout, whose, anew, error) < 0)
                return -1;
    return 0;
}

int layout_make(const struct device_kind *kind, struct device *device, const struct experiment *e, bool anew,
                struct layout *layout, struct error *error)
{
    *layout =
        (struct layout){.kind = kind, .device = device, .experiment = e, .bytes = experiment_memory_bytes(e)};
    if (reserve_all(layout, anew, error) < 0)
        return -1;
    layout->run = (struct run){
        .kernel = e->kernel,
        .dtype = e->dtype,
        .domain = experiment_domain(e),
        .grid = {(uint64_t)e->grid[0], (uint64_t)e->grid[1], (uint64_t)e->grid[2]},
        .shared_bytes = experiment_shared_bytes(e),
    };
    for (int b = 0; b < e->kernel->buffer_count; b++) {
        int there = 0;
        while (layout->whose[there] != memory_of(layout, b))
            there++;
        layout->run.buffer[b] = layout->base[there] + experiment_buffer_at(e, b);
        layout->run.elements[b] = e->kernel->elements(&layout->run.domain, b);
    }
    return 0;
}

/* Guard zone g lies before buffer g and behind buffer g - 1, so there is one more zone than buffers. Every
   memory has all zones. */
static void guard_zone(const struct layout *layout, int g, char *base, char **begin, uint64_t *bytes)
{
    const struct run *run = &layout->run;
    uint64_t from = 0, to = layout->bytes;
    if (g)
        from = experiment_buffer_at(layout->experiment, g - 1) + run_buffer_bytes(run, g - 1);
    if (g < run->kernel->buffer_count)
        to = experiment_buffer_at(layout->experiment, g);
    *begin = base + from;
    *bytes = to - from;
}

int layout_fill(const struct layout *layout, struct error *error)
{
    int zones = layout->run.kernel->buffer_count + 1;
    for (int i = 0; i < zones * layout->bases; i++) {
        char *begin;
        uint64_t bytes;
        guard_zone(layout, i % zones, layout->base[i / zones], &begin, &bytes);
        if (layout->kind->fill(layout->device, begin, PATTERN_BYTE, bytes, error) < 0)
            return -1;
    }
    for (int b = 0; b < layout->run.kernel->buffer_count; b++)
        if (layout->kind->prepare(layout->device, &layout->run, b, error) < 0)
            return -1;
    return 0;
}

/* ---- checking ---- */

static double element_value(enum dtype dtype, const void *at)
{
    switch (dtype) {
    case DTYPE_F64:
        return *(const double *)at;
    case DTYPE_I32:
        return *(const int32_t *)at;
    case DTYPE_U8:
        return *(const uint8_t *)at;
    case DTYPE_U16:
        return *(const uint16_t *)at;
    default:
        return *(const float *)at;
    }
}

static bool is_pattern(const void *at, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i++)
        if (((const unsigned char *)at)[i] != PATTERN_BYTE)
            return false;
    return true;
}

/* Records the first wrong element, whose bytes are at `found`. */
static void note_first(struct correctness *c, const struct run *run, int buffer, uint64_t index,
                       const void *found)
{
    double expected = 0;
    if (c->has_first)
        return;
    c->has_first = true;
    snprintf(c->first.buffer, sizeof c->first.buffer, "%s", run->kernel->buffers[buffer].name);
    c->first.index = index;
    c->first.untouched = !run->kernel->expected(&run->domain, run->dtype, buffer, index, &expected);
    c->first.expected = expected;
    c->first.found = element_value(run->dtype, found);
}

static int check_buffer(const struct layout *layout, int b, struct correctness *c, struct error *error)
{
    const struct run *run = &layout->run;
    struct mismatches found;
    if (layout->kind->check(layout->device, run, b, &found, error) < 0)
        return -1;
    if (run->kernel->buffers[b].role != BUFFER_INPUT)
        c->elements_checked += run->elements[b];
    if (!found.mismatches)
        return 0;
    c->mismatches += found.mismatches;
    c->max_abs_error = fmax(c->max_abs_error, found.max_abs_error);
    uint64_t each = kernel_element_bytes(run->kernel, b, run->dtype), value = 0;
    if (layout->kind->read(layout->device, &value, (char *)run->buffer[b] + found.first * each, each, error) <
        0)
        return -1;
    note_first(c, run, b, found.first, &value);
    return 0;
}

static int check_guard(const struct layout *layout, int g, char *base, struct correctness *c,
                       struct error *error)
{
    char *begin;
    uint64_t bytes;
    struct mismatches found;
    guard_zone(layout, g, base, &begin, &bytes);
    if (layout->kind->count_other(layout->device, begin, PATTERN_BYTE, bytes, &found, error) < 0)
        return -1;
    if (!found.mismatches)
        return 0;
    c->mismatches += found.mismatches;
    if (c->has_first)
        return 0;
    c->has_first = true;
    int b = g ? g - 1 : 0;
    snprintf(c->first.buffer, sizeof c->first.buffer, "%s", layout->run.kernel->buffers[b].name);
    c->first.guard = c->first.untouched = true;
    uint64_t each = kernel_element_bytes(layout->run.kernel, b, layout->run.dtype);
    c->first.index = g ? layout->run.elements[b] + found.first / each : 0;
    return 0;
}

static int check_on_host(const struct layout *layout, int b, struct correctness *c, struct error *error)
{
    const struct run *run = &layout->run;
    uint64_t each = kernel_element_bytes(run->kernel, b, run->dtype), count = run->elements[b];
    uint64_t length = count < HOST_CHUNK ? count : HOST_CHUNK;
    uint64_t chunks = count / HOST_CHUNK < HOST_CHUNKS ? count / HOST_CHUNK + 1 : HOST_CHUNKS;
    for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        _Alignas(8) char bytes[HOST_CHUNK * 8];
        uint64_t begin =
            chunks == 1 ? 0 : (uint64_t)((double)(count - length) * (double)chunk / (double)(chunks - 1));
        if (layout->kind->read(layout->device, bytes, (char *)run->buffer[b] + begin * each, length * each,
                               error) < 0)
            return -1;
        for (uint64_t i = 0; i < length; i++) {
            const void *found = bytes + i * each;
            double expected;
            bool touched = run->kernel->expected(&run->domain, run->dtype, b, begin + i, &expected);
            if (touched ? element_value(run->dtype, found) == expected : is_pattern(found, each))
                continue;
            c->mismatches++;
            note_first(c, run, b, begin + i, found);
        }
    }
    return 0;
}

int layout_check(const struct layout *layout, struct correctness *c, struct error *error)
{
    for (int b = 0; b < layout->run.kernel->buffer_count; b++)
        if (check_buffer(layout, b, c, error) < 0)
            return -1;
    int zones = layout->run.kernel->buffer_count + 1;
    for (int i = 0; i < zones * layout->bases; i++)
        if (check_guard(layout, i % zones, layout->base[i / zones], c, error) < 0)
            return -1;
    /* The host compares a sample only if the device found no mismatch: else an element would be counted twice. */
    for (int b = 0; !c->mismatches && b < layout->run.kernel->buffer_count; b++)
        if (layout->run.kernel->buffers[b].role != BUFFER_INPUT && check_on_host(layout, b, c, error) < 0)
            return -1;
    c->checked = true;
    c->verified = c->mismatches == 0;
    if (c->verified)
        return 0;
    return error_set(error, ERROR_INCORRECT, "%llu wrong: the first in %s at %llu%s",
                     (unsigned long long)c->mismatches, c->first.buffer, (unsigned long long)c->first.index,
                     c->first.guard       ? ", outside of it"
                     : c->first.untouched ? ", not to be touched"
                                          : "");
}
