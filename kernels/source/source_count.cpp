/* A launch from PTX and a request, executed in numbers or in boxes of blocks. */
#include "kernels/source/source_count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "kernels/source/access_counter.h"
#include "kernels/source/source_launch_data.h"
#include "ptx/affine_launch.h"

/* Execution in numbers: block after block. */
struct call {
    access_counter *counter;
    box present; /* the block */
    bool begun;
    double weight;
};

static bool same_box(const box &l, const box &r)
{
    return memcmp(&l, &r, sizeof l) == 0;
}

static box box_of(const uint32_t block[3])
{
    box one;
    for (int i = 0; i < 3; i++) {
        one.low[i] = block[i];
        one.high[i] = one.low[i] + 1;
    }
    return one;
}

static void on_access(void *context, const ptx_access *access)
{
    call *c = (call *)context;
    const box next = box_of(access->block);
    if (c->begun && !same_box(c->present, next))
        c->counter->end_blocks(c->present, c->weight);
    c->present = next;
    c->begun = true;
    c->counter->take(*access);
}

static void on_box(void *context, const ptx_access *access)
{
    ((access_counter *)context)->take(*access);
}

/* Returns the names of the inputs of integers whose contents the request does not give: "idx, next". accumulated: and of
   arrays that are both read and written. */
static std::string inputs_without_fill(const source_kernel *kernel, bool accumulated)
{
    std::string names;
    for (int i = 0; i < kernel->draft.argument_count; i++) {
        const source_argument &one = kernel->draft.argument[i];
        bool read = one.role == BUFFER_INPUT || (accumulated && one.role == BUFFER_ACCUMULATED);
        if (one.pointer && read && one.type.base <= SOURCE_U64 && one.fill.rule == SOURCE_FILL_GENERATOR)
            names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    return names;
}

#define WITHOUT_FILL "inputs of integers without a fill hold 0 to 255: %s"

/* Where addresses follow from the contents of inputs, a note says what these are. */
static void note_contents(source_count *count, const source_kernel *kernel)
{
    const std::string names = inputs_without_fill(kernel, false);
    if (names.empty() || count->fault_count == SOURCE_COUNT_FAULTS)
        return;
    source_fault *note = &count->faults[count->fault_count++];
    *note = {};
    note->note = true;
    snprintf(note->text, sizeof note->text, "addresses depend on what arrays hold; " WITHOUT_FILL,
             names.c_str());
}

/* Copies the outcome's faults. Running out of time is a note if at least one block was executed to its end: the counts are
   then of such blocks. */
static void add_faults(source_count *count, const source_kernel *kernel, const ptx_outcome &outcome)
{
    bool others = outcome.fault_count == PTX_FAULTS_MAX;
    for (unsigned i = 0; i < outcome.fault_count; i++)
        others = others || (!outcome.faults[i].note && outcome.faults[i].kind != PTX_FAULT_STEPS);
    count->failed = count->failed || (outcome.failed && (outcome.blocks == 0 || others));
    for (unsigned i = 0; i < outcome.fault_count && count->fault_count < SOURCE_COUNT_FAULTS; i++) {
        const ptx_fault &found = outcome.faults[i];
        source_fault *fault = &count->faults[count->fault_count++];
        source_launch_data_fault(kernel, &found, fault);
        if (found.kind == PTX_FAULT_STEPS && outcome.blocks > 0)
            fault->note = true;
        size_t used = strlen(fault->text);
        bool endless = found.kind == PTX_FAULT_STEPS; /* a loop may wait for a value that nobody writes */
        const std::string names = inputs_without_fill(kernel, endless);
        if ((found.address_of_data || endless) && !names.empty())
            snprintf(fault->text + used, sizeof fault->text - used, "; " WITHOUT_FILL, names.c_str());
    }
}

static void say_inexact(source_count *count, const char *why)
{
    if (!count->inexact[0])
        snprintf(count->inexact, sizeof count->inexact, "%s", why);
}

static void note_outcome(source_count *count, const source_kernel *kernel, const ptx_outcome &outcome)
{
    add_faults(count, kernel, outcome);
    count->warp_instructions = outcome.instructions;
    count->access.has_dependent_loads = outcome.address_of_data || outcome.address_of_atomic;
    if (outcome.address_of_data)
        note_contents(count, kernel);
    if (outcome.address_of_atomic || outcome.branch_of_atomic)
        say_inexact(count, "an address or a branch depends on what an atomic operation returned or wrote");
}

/* Blocks that are executed where not all can be, evenly spread. */
static std::vector<uint64_t> drawn_blocks(uint64_t blocks, uint64_t wanted)
{
    std::vector<uint64_t> drawn;
    uint64_t count = std::max<uint64_t>(1, std::min(blocks, wanted));
    for (uint64_t i = 0; i < count; i++)
        drawn.push_back((uint64_t)((unsigned __int128)i * blocks / count));
    return drawn;
}

/* Executes the blocks in numbers; all where `wanted` is not less than there are. */
static int count_numbers(source_count *count, access_counter &counter, source_launch_data &data,
                         uint64_t wanted, struct error *error)
{
    std::unique_ptr<ptx_outcome> outcome(new ptx_outcome{});
    std::vector<uint64_t> drawn;
    call context = {&counter, {}, false, 1};
    if (wanted < count->blocks) {
        drawn = drawn_blocks(count->blocks, wanted);
        data.launch.blocks = drawn.data();
        data.launch.block_count = drawn.size();
        context.weight = (double)count->blocks / (double)drawn.size();
    }
    data.launch.on_access = on_access;
    data.launch.context = &context;
    int status = ptx_launch_run(&data.launch, outcome.get());
    if (context.begun && outcome->cut && same_box(context.present, box_of(outcome->cut_block)))
        counter.drop_block();
    else if (context.begun)
        counter.end_blocks(context.present, context.weight);
    note_outcome(count, counter.kernel(), *outcome);
    if (status < 0 && !count->fault_count)
        return error_set(error, ERROR_INVALID, "the launch is not possible");
    count->blocks_counted = outcome->blocks;
    count->races_unchecked = outcome->races_unchecked;
    count->checked =
        outcome->complete && drawn.empty() && data.launch.check_races && !outcome->races_unchecked;
    count->access.barriers = outcome->blocks ? (double)outcome->barriers : 0;
    if (!drawn.empty() || !outcome->complete) {
        char why[sizeof count->inexact];
        snprintf(why, sizeof why, "counted %llu of %llu blocks", (unsigned long long)outcome->blocks,
                 (unsigned long long)count->blocks);
        say_inexact(count, why);
        if (outcome->blocks)
            counter.scale((double)count->blocks / (double)outcome->blocks, context.weight);
    }
    return 0;
}

/* Counts all blocks at once, without data. False: the counts need data, and nothing is counted. */
static bool count_affine(source_count *count, access_counter &counter, const source_launch_data &data)
{
    std::unique_ptr<ptx_affine_result> result(new ptx_affine_result{});
    ptx_launch launch = data.launch;
    box all = {{0, 0, 0}, {launch.grid[0], launch.grid[1], launch.grid[2]}};
    launch.on_access = on_box;
    launch.context = &counter;
    launch.check_races = launch.check_undefined = false;
    if (ptx_affine_run(&launch, 0, result.get()) < 0 || result->end != PTX_AFFINE_DONE) {
        counter.forget();
        return false;
    }
    counter.end_blocks(all, 1);
    add_faults(count, counter.kernel(), result->outcome);
    count->blocks_counted = count->blocks;
    count->access.boxes = result->boxes;
    count->access.barriers = result->barriers;
    count->warp_instructions = (uint64_t)result->instructions;
    return true;
}

/* Why nothing is known of accesses that the compiler may have changed. */
static void say_unknown(source_count *count)
{
    if (count->access.shared_load.requests || count->access.shared_store.requests)
        say_inexact(
            count,
            "accesses of shared memory are those of the PTX: there is no machine code to compare with");
    if (count->access.atomic.requests)
        say_inexact(count,
                    "atomic operations are those of the PTX: there is no machine code to compare with");
}

/* A launch, and the limits of its execution. */
struct count_question {
    const struct experiment *experiment;
    const ptx_module *module;
    int entry;
    source_machine *machine; /* NULL: there is no machine code */
    const struct explain *listed;
    bool check;
    double seconds;
};

static int execute(source_count *count, access_counter &counter, const count_question &asked,
                   struct error *error)
{
    const int64_t *block = asked.experiment->block;
    const uint64_t threads_of_block = (uint64_t)(block[0] * block[1] * block[2]);
    const uint64_t sample = std::max<uint64_t>(1, SOURCE_COUNT_CHECKED_THREADS / threads_of_block);
    const bool small = count->blocks <= SOURCE_COUNT_CHECKED_THREADS / threads_of_block;
    const bool fits = source_launch_data_bytes(asked.experiment) <= SOURCE_COUNT_BYTES_MAX;
    uint8_t *parted = asked.machine ? source_machine_parted(asked.machine) : nullptr;
    source_launch_data data;
    count->watched = (small && fits) || asked.check;
    source_launch_data_make(data, asked.experiment, asked.module, asked.entry, false);
    data.launch.budget.seconds = asked.seconds;
    data.launch.parted = parted;
    if (!count->watched && count_affine(count, counter, data))
        return 0;
    if (!fits && asked.check)
        return error_set(
            error, ERROR_INVALID,
            "not checked: a check executes the launch, and its buffers hold more than %d MiB, which "
            "is the most for that; a smaller launch can be checked",
            SOURCE_COUNT_BYTES_MAX >> 20);
    if (!fits)
        return error_set(error, ERROR_INVALID,
                         "it must be executed to be counted, for example because an address depends on data, "
                         "and its buffers hold more than %d MiB, which is the most for that",
                         SOURCE_COUNT_BYTES_MAX >> 20);
    source_launch_data filled;
    source_launch_data_make(filled, asked.experiment, asked.module, asked.entry, true);
    filled.launch.budget.seconds = asked.seconds;
    filled.launch.parted = parted;
    filled.launch.check_races = filled.launch.check_undefined = count->watched;
    return count_numbers(count, counter, filled, count->watched ? count->blocks : sample, error);
}

/* Forgets what was executed. */
static void begin_again(source_count *count)
{
    count->fault_count = 0;
    count->inexact[0] = '\0';
    count->access = {};
}

/* Executes the launch and fills the counts. It is executed again when the machine code turns out to join other accesses
   than was assumed. */
static int count_accesses(source_count *count, const count_question &asked, struct error *error)
{
    struct domain domain = experiment_domain(asked.experiment);
    source_machine_verdict verdict = SOURCE_MACHINE_AGAIN;
    while (verdict == SOURCE_MACHINE_AGAIN) {
        char why[sizeof count->inexact] = "";
        begin_again(count);
        access_counter counter(asked.module, source_kernel_of(asked.experiment->kernel), domain, asked.listed,
                               asked.machine);
        if (execute(count, counter, asked, error) < 0)
            return -1;
        if (counter.too_many())
            return error_set(error, ERROR_INVALID, "the kernel has more than %d places that access memory",
                             SOURCE_COUNT_INSTRUCTIONS);
        verdict = SOURCE_MACHINE_EXACT;
        if (asked.machine && !count->failed &&
            source_machine_judge(asked.machine, counter.seen(), &verdict, why, sizeof why, error) < 0)
            return -1;
        if (why[0])
            say_inexact(count, why);
        if (verdict != SOURCE_MACHINE_AGAIN)
            counter.fill(count);
    }
    return 0;
}

/* Adds a note to a launch that stores nothing: the compiler may have removed all of its code, and a fault with it. */
static void note_nothing_stored(source_count *count, const source_kernel *kernel)
{
    bool outputs = false;
    for (int b = 0; b < kernel->kernel.buffer_count; b++)
        outputs = outputs || kernel->kernel.buffers[b].role != BUFFER_INPUT;
    if (!outputs || count->failed || count->blocks_counted < count->blocks || count->access.store.requests ||
        count->access.atomic.requests || count->fault_count == SOURCE_COUNT_FAULTS)
        return;
    source_fault *note = &count->faults[count->fault_count++];
    *note = {};
    note->note = true;
    snprintf(note->text, sizeof note->text, "%s", SOURCE_NOTHING_STORED);
}

static int count_launch(source_count *count, const count_question &asked, struct error *error)
{
    const int64_t *block = asked.experiment->block, *grid = asked.experiment->grid;
    uint64_t warps_of_block = (uint64_t)(block[0] * block[1] * block[2] + WARP_LANES - 1) / WARP_LANES;
    count->blocks = (uint64_t)grid[0] * (uint64_t)grid[1] * (uint64_t)grid[2];
    if (count_accesses(count, asked, error) < 0)
        return -1;
    note_nothing_stored(count, source_kernel_of(asked.experiment->kernel));
    if (count->blocks_counted)
        count->access.barriers /= (double)(count->blocks_counted * warps_of_block);
    if (!asked.machine)
        say_unknown(count);
    count->access.exact = !count->inexact[0];
    return 0;
}

/* Machine code that cannot be read is as if there were none. */
static int open_machine(source_machine **machine, const ptx_module *module, int entry,
                        const struct source_code *code, struct error *error)
{
    struct error why = {};
    *machine = nullptr;
    if (!code->cubin_bytes ||
        source_machine_new(machine, module, (unsigned)entry, code->cubin, code->cubin_bytes, &why) == 0)
        return 0;
    return why.kind == ERROR_MEMORY ? error_set(error, why.kind, "%s", why.text) : 0;
}

int source_count_make(const struct experiment *experiment, const struct source_code *code,
                      const struct explain *listed, bool check, double seconds, struct source_count *count,
                      struct error *error)
{
    const int64_t threads = experiment->block[0] * experiment->block[1] * experiment->block[2];
    count_question asked = {experiment, nullptr, -1, nullptr, listed, check, seconds};
    int status = -1;
    *count = {};
    ptx_module *module =
        source_launch_data_open(source_kernel_of(experiment->kernel), code, &asked.entry, error);
    if (!module)
        return -1;
    asked.module = module;
    if (listed)
        count->listed = *listed;
    count->listed.accesses = nullptr;
    count->listed.instructions = nullptr;
    try {
        if (open_machine(&asked.machine, module, asked.entry, code, error) == 0 &&
            source_machine_tell(asked.machine, count, error) == 0)
            status = count_launch(count, asked, error);
    } catch (const std::bad_alloc &) {
        status = error_set(error, ERROR_MEMORY, "no memory for the launch");
    }
    count->local_bytes = module->functions[asked.entry].local_bytes;
    count->static_shared_bytes = module->functions[asked.entry].shared_bytes;
    count->listed.lanes = count->listed.warp >= 0
                              ? (int)std::min<int64_t>(WARP_LANES, threads - count->listed.warp * WARP_LANES)
                              : 0;
    source_machine_free(asked.machine);
    ptx_module_free(module);
    if (status < 0)
        source_count_free(count);
    return status;
}
