/* Calls the traced body of a kernel. */
#include "kernels/model/access.h"

#include <stddef.h>

#include "kernels/device/kernel_entry.h"

extern const model_entry *const model_entries[];

void access_trace(const struct experiment *experiment, struct access *access, struct explain *explain)
{
    struct run run = {
        .kernel = experiment->kernel,
        .dtype = experiment->dtype,
        .domain = experiment_domain(experiment),
        .grid = {(uint64_t)experiment->grid[0], (uint64_t)experiment->grid[1], (uint64_t)experiment->grid[2]},
        .shared_bytes = experiment_shared_bytes(experiment),
    };
    (*model_entries[suite_index(experiment->kernel)])(&run, access, explain);
}

uint64_t access_element_bytes(const struct kernel *kernel, enum dtype dtype,
                              const struct access_instruction *instruction)
{
    if (instruction->space == SPACE_CONSTANT)
        return CONSTANT_WORD_BYTES;
    if (instruction->space == SPACE_SHARED)
        return kernel->dtypes ? dtype_bytes(dtype) : instruction->bytes;
    return kernel_element_bytes(kernel, instruction->space, dtype);
}

void access_count(const struct experiment *experiment, struct access *access)
{
    access_trace(experiment, access, NULL);
}

/* Sums that are nothing but uint64_t counts. */
static void add_counts(void *to, const void *more, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++)
        ((uint64_t *)to)[i] += ((const uint64_t *)more)[i];
}

void access_add_up(struct access *access, const struct access_instruction *instructions, size_t count)
{
    for (const struct access_instruction *i = instructions; i < instructions + count; i++) {
        if (i->space == SPACE_SHARED && i->kind == ACCESS_ATOMIC)
            continue; /* neither a load nor a store */
        if (i->space == SPACE_SHARED)
            add_counts(i->kind == ACCESS_STORE ? &access->shared_store : &access->shared_load, &i->shared,
                       sizeof i->shared);
        else if (i->space == SPACE_CONSTANT)
            access->constant_extra += i->global.used / CONSTANT_WORD_BYTES - i->global.requests;
        else
            add_counts(i->kind == ACCESS_STORE    ? &access->store
                       : i->kind == ACCESS_ATOMIC ? &access->atomic
                                                  : &access->load,
                       &i->global, sizeof i->global);
    }
}
