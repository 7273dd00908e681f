/* A launch: block after block. */
#include "ptx/grid.h"

#include <string.h>

#include "ptx/block.h"
#include "ptx/fault.h"
#include "ptx/machine.h"

uint64_t ptx_launch_address(unsigned buffer)
{
    return memory_segment_base(buffer + 1);
}

int grid_refuse(struct ptx_outcome *outcome, enum ptx_fault_kind kind, const char *text)
{
    outcome->faults[0] =
        (struct ptx_fault){.kind = kind, .text = text, .buffer = -1, .times = 1, .at = {.site = -1}};
    outcome->fault_count = 1;
    outcome->failed = true;
    return -1;
}

static const char *wrong_launch(const struct ptx_launch *launch)
{
    const struct ptx_module *module = launch->module;
    if (launch->entry < 0 || (unsigned)launch->entry >= module->function_count)
        return "there is no such entry";
    const struct ptx_function *entry = &module->functions[launch->entry];
    if (!entry->entry)
        return "a device function is not launched";
    if (entry->problem)
        return entry->problem->text;
    uint64_t threads = 1, blocks = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (!launch->grid[axis] || !launch->block[axis] || launch->block[axis] > PTX_BLOCK_THREADS_MAX)
            return "a side of the grid or of the block is 0, or too large";
        threads *= launch->block[axis];
        if (__builtin_mul_overflow(blocks, launch->grid[axis], &blocks) || blocks > UINT64_C(1) << 40)
            return "the grid is too large";
    }
    if (threads > PTX_BLOCK_THREADS_MAX)
        return "more than 1024 threads a block";
    if (launch->buffer_count > PTX_BUFFERS_MAX)
        return "more than 64 buffers";
    for (unsigned i = 0; i < launch->buffer_count; i++)
        if (launch->buffers[i].bytes >= UINT64_C(1) << (SEGMENT_SHIFT - 2))
            return "a buffer is too large";
    if (launch->dynamic_shared_bytes > PTX_SHARED_BYTES_MAX ||
        entry->shared_bytes + launch->dynamic_shared_bytes > PTX_SHARED_BYTES_MAX)
        return "more shared memory than a block may have";
    for (uint64_t i = 0; launch->blocks && i < launch->block_count; i++)
        if (launch->blocks[i] >= blocks)
            return "a block outside of the grid";
    return NULL;
}

static void run_blocks(struct machine *run)
{
    const struct ptx_launch *launch = run->launch;
    uint64_t x = launch->grid[0], y = launch->grid[1], all = x * y * launch->grid[2];
    uint64_t count = launch->blocks ? launch->block_count : all;
    for (uint64_t n = 0; n < count && !run->over; n++) {
        uint64_t index = launch->blocks ? launch->blocks[n] : n;
        run->block_index = index;
        run->block[0] = (uint32_t)(index % x);
        run->block[1] = (uint32_t)(index / x % y);
        run->block[2] = (uint32_t)(index / x / y);
        machine_begin_block(run);
        block_run(run);
        run->outcome->blocks += !run->over;
        run->outcome->cut = run->over;
        memcpy(run->outcome->cut_block, run->block, sizeof run->block);
    }
    run->outcome->complete = run->outcome->blocks == count;
}

int grid_check(const struct ptx_launch *launch, struct ptx_outcome *outcome)
{
    const char *wrong = wrong_launch(launch);
    return wrong ? grid_refuse(outcome, PTX_FAULT_UNKNOWN, wrong) : 0;
}

int ptx_launch_run(const struct ptx_launch *launch, struct ptx_outcome *outcome)
{
    memset(outcome, 0, sizeof *outcome);
    if (grid_check(launch, outcome))
        return -1;
    for (unsigned i = 0; i < launch->buffer_count; i++)
        if (launch->buffers[i].bytes && !launch->buffers[i].data)
            return grid_refuse(outcome, PTX_FAULT_UNKNOWN, "a buffer without data");
    struct machine run;
    int result = 0;
    if (machine_open(&run, launch, outcome)) {
        result = grid_refuse(outcome, PTX_FAULT_MEMORY, "the launch needs more memory than its budget");
    } else {
        uint64_t before = run.instructions_left;
        run_blocks(&run);
        outcome->instructions = before - run.instructions_left;
    }
    machine_close(&run);
    return result;
}
