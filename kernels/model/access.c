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

void access_count(const struct experiment *experiment, struct access *access)
{
    access_trace(experiment, access, NULL);
}
