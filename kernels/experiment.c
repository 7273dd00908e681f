/* Defaults and checks of an experiment, field by field; the derived grid; the arrays' offsets. */
#include "kernels/experiment.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/kernel_param.h"

/* The limit of a buffer, bytes: half of what a signed 64-bit index can address. */
static const uint64_t bytes_limit = UINT64_C(1) << 62;

enum {
    SHARED_BYTES_MAX = 232448, /* of a block on sm_90, for devices that do not report a limit */
    THREADS_PER_CORE = 2048,   /* for the derived grid of a device that does not report this limit */
};

static double quiet_default_s;

void experiment_quiet_default(double seconds)
{
    quiet_default_s = seconds;
}

const char *transfers_name(enum transfers transfers)
{
    static const char *const names[TRANSFERS_COUNT] = {"none", "pageable", "pinned"};
    return names[transfers];
}

void experiment_init(struct experiment *experiment, const struct kernel *kernel)
{
    *experiment = (struct experiment){
        .kernel = kernel,
        .dtype = kernel->dtype,
        .size = {(int64_t)kernel->size[0], kernel->dims == 2 ? (int64_t)kernel->size[1] : 0},
        .block = {(int64_t)kernel->block.x, (int64_t)kernel->block.y, (int64_t)kernel->block.z},
        .measure = {.min_samples = 30, .noise = 0.01, .max_seconds = 1, .quiet_s = quiet_default_s},
        .timeout_s = 60,
        .shared_bytes = kernel->dynamic_shared_bytes,
    };
    for (int i = 0; i < kernel->param_count; i++)
        experiment->param[i] = kernel->params[i].fallback;
}

struct domain experiment_domain(const struct experiment *experiment)
{
    struct domain domain = {.kernel = experiment->kernel,
                            .rows = experiment->kernel->dims > 0,
                            .columns = (uint64_t)experiment->size[0]};
    if (experiment->kernel->dims == 2) {
        domain.rows = (uint64_t)experiment->size[0];
        domain.columns = (uint64_t)experiment->size[1];
    }
    domain.n = domain.rows * domain.columns;
    domain.block = (struct shape){(uint64_t)experiment->block[0], (uint64_t)experiment->block[1],
                                  (uint64_t)experiment->block[2]};
    domain.grid = (struct shape){(uint64_t)experiment->grid[0], (uint64_t)experiment->grid[1],
                                 (uint64_t)experiment->grid[2]};
    memcpy(domain.param, experiment->param, sizeof domain.param);
    return domain;
}

uint64_t experiment_shared_bytes(const struct experiment *experiment)
{
    struct domain domain = experiment_domain(experiment);
    return experiment->kernel->shared_bytes(&domain, experiment->dtype) + (uint64_t)experiment->shared_bytes;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t buffer_bytes(const struct experiment *experiment, const struct domain *domain, int buffer)
{
    uint64_t elements = experiment->kernel->elements(domain, buffer);
    uint64_t each = kernel_element_bytes(experiment->kernel, buffer, experiment->dtype);
    return elements > bytes_limit / each ? bytes_limit : elements * each;
}

uint64_t experiment_buffer_at(const struct experiment *experiment, int buffer)
{
    struct domain domain = experiment_domain(experiment);
    uint64_t at = KERNEL_GUARD_BYTES;
    for (int i = 0; i < buffer && at < bytes_limit; i++)
        at = round_up(at + buffer_bytes(experiment, &domain, i) + KERNEL_GUARD_BYTES, KERNEL_ALIGN_BYTES) +
             KERNEL_GUARD_BYTES;
    return at < bytes_limit ? at : bytes_limit;
}

uint64_t experiment_memory_bytes(const struct experiment *experiment)
{
    return experiment_buffer_at(experiment, experiment->kernel->buffer_count);
}

uint64_t experiment_working_set_bytes(const struct experiment *experiment)
{
    struct domain domain = experiment_domain(experiment);
    uint64_t bytes = 0;
    for (int i = 0; i < experiment->kernel->buffer_count && bytes < bytes_limit; i++)
        bytes += buffer_bytes(experiment, &domain, i);
    return bytes < bytes_limit ? bytes : bytes_limit;
}

static uint64_t widest_element_bytes(const struct experiment *experiment)
{
    uint64_t widest = 1;
    for (int b = 0; b < experiment->kernel->buffer_count; b++) {
        uint64_t each = kernel_element_bytes(experiment->kernel, b, experiment->dtype);
        widest = each > widest ? each : widest;
    }
    return widest;
}

enum { SIZE_POINTER_BYTES = 64 };
static const char *size_pointer(const struct experiment *experiment, char pointer[SIZE_POINTER_BYTES])
{
    snprintf(pointer, SIZE_POINTER_BYTES, "#/%s",
             experiment->size_by_name ? experiment->kernel->size_name : "size");
    return pointer;
}

/* Returns true when the size is valid enough for the other checks. */
static bool check_size(const struct experiment *experiment, struct problems *problems)
{
    const struct kernel *kernel = experiment->kernel;
    char pointer[SIZE_POINTER_BYTES];
    bool usable = true;
    size_pointer(experiment, pointer);
    for (int i = 0; i < kernel->dims; i++)
        if (experiment->size[i] < 1) {
            problem_add(problems, pointer, "%smust be at least 1, is %lld",
                        kernel->dims == 1 ? ""
                        : i == 0          ? "rows "
                                          : "columns ",
                        (long long)experiment->size[i]);
            usable = false;
        }
    if (!usable)
        return false;
    uint64_t n = (uint64_t)experiment->size[0], each = widest_element_bytes(experiment);
    uint64_t limit = bytes_limit / (64 * each);
    if (kernel->dims == 2)
        n = n > limit / (uint64_t)experiment->size[1] ? limit + 1 : n * (uint64_t)experiment->size[1];
    if (n > limit) {
        problem_add(problems, pointer,
                    "elements of %llu bytes overflow the address space; the limit is %llu elements",
                    (unsigned long long)each, (unsigned long long)limit);
        return false;
    }
    return true;
}

static bool check_params(const struct experiment *experiment, bool sized, struct problems *problems)
{
    const struct kernel *kernel = experiment->kernel;
    uint64_t n = experiment_domain(experiment).n;
    int before = problems->count;
    for (int i = 0; i < kernel->param_count; i++) {
        const struct kernel_param *param = &kernel->params[i];
        char pointer[64];
        snprintf(pointer, sizeof pointer, "#/%s", param->name);
        kernel_param_check(param, experiment->param[i], sized ? &n : NULL, pointer, problems);
    }
    return problems->count == before;
}

static const char axes[] = "xyz";

/* What the CUDA runtime reports for such a launch: cudaErrorInvalidConfiguration. */
#define CUDA_REFUSES "; CUDA would refuse the launch: \"invalid configuration argument\""

static bool check_block(const struct experiment *experiment, const struct device_facts *facts,
                        struct problems *problems)
{
    const struct kernel *kernel = experiment->kernel;
    const int64_t *block = experiment->block;
    int before = problems->count;
    for (int i = 0; i < 3; i++) {
        if (block[i] < 1)
            problem_add(problems, "#/block", "%c must be at least 1 thread, is %lld", axes[i],
                        (long long)block[i]);
        else if (i >= kernel->block_dims && block[i] != 1)
            problem_add(problems, "#/block", "%s takes blocks of %d dimension%s: %c must be 1, is %lld",
                        kernel->name, kernel->block_dims, kernel->block_dims == 1 ? "" : "s", axes[i],
                        (long long)block[i]);
        else if (block[i] > facts->max_block[i])
            problem_add(problems, "#/block", "at most %u threads in %c on %s, is %lld" CUDA_REFUSES,
                        facts->max_block[i], axes[i], facts_limits_name(facts), (long long)block[i]);
    }
    if (problems->count != before)
        return false;
    double threads = (double)block[0] * (double)block[1] * (double)block[2];
    if (threads > facts->max_threads_per_block)
        problem_add(problems, "#/block",
                    "%lld x %lld x %lld = %.0f threads a block, the limit of %s is %u" CUDA_REFUSES,
                    (long long)block[0], (long long)block[1], (long long)block[2], threads,
                    facts_limits_name(facts), facts->max_threads_per_block);
    return problems->count == before;
}

/* The number of blocks whose threads fill the device once: the default grid of a kernel that loops over the
   grid. Without a known device: as many blocks as cover the size. */
static uint64_t one_wave(const struct experiment *experiment, const struct device_facts *facts)
{
    const int64_t *block = experiment->block;
    if (!facts || !facts->multiprocessors)
        return UINT64_MAX;
    uint64_t threads =
        facts->max_threads_per_multiprocessor ? facts->max_threads_per_multiprocessor : THREADS_PER_CORE;
    uint64_t blocks = threads / (uint64_t)(block[0] * block[1] * block[2]);
    return facts->multiprocessors * (blocks ? blocks : 1);
}

static void check_grid(struct experiment *experiment, const struct device_facts *facts,
                       struct problems *problems)
{
    const struct device_facts *limits = facts ? facts : &facts_any_device;
    const struct kernel *kernel = experiment->kernel;
    struct domain domain = experiment_domain(experiment);
    struct shape cover = kernel->cover(&domain);
    const uint64_t need[3] = {cover.x, cover.y, cover.z};
    int64_t *grid = experiment->grid;
    bool derive = !grid[0] && !grid[1] && !grid[2];
    char size[SIZE_POINTER_BYTES];
    const char *pointer = !derive ? "#/grid" : kernel->dims ? size_pointer(experiment, size) : "#/threads";
    for (int i = 0; i < 3; i++) {
        uint64_t least = (need[i] + (uint64_t)experiment->block[i] - 1) / (uint64_t)experiment->block[i];
        uint64_t cluster = i == 0 ? kernel->cluster(&domain) : 1;
        if (!derive && kernel->free_grid)
            least = 1;
        if (derive)
            grid[i] = (int64_t)((least ? least : 1) + cluster - 1) / (int64_t)cluster * (int64_t)cluster;
        if (kernel->grid_stride && i == 0) {
            uint64_t wave = one_wave(experiment, facts);
            if (derive && wave < least)
                grid[i] = (int64_t)wave;
            least = 1;
        }
        if (grid[i] < 1)
            problem_add(problems, pointer, "%c must be at least 1 block, is %lld", axes[i],
                        (long long)grid[i]);
        else if (i >= kernel->grid_dims && grid[i] != 1)
            problem_add(problems, pointer, "%s takes grids of %d dimension%s: %c must be 1, is %lld",
                        kernel->name, kernel->grid_dims, kernel->grid_dims == 1 ? "" : "s", axes[i],
                        (long long)grid[i]);
        else if (grid[i] > limits->max_grid[i])
            problem_add(problems, pointer, "needs %lld blocks in %c, the limit of %s is %u",
                        (long long)grid[i], axes[i], facts_limits_name(limits), limits->max_grid[i]);
        else if ((uint64_t)grid[i] % cluster)
            problem_add(problems, pointer, "must be a multiple of the cluster's %llu blocks in x, is %lld",
                        (unsigned long long)cluster, (long long)grid[i]);
        else if ((uint64_t)grid[i] < least)
            problem_add(
                problems, pointer,
                "%lld blocks of %lld threads, %d element%s a thread, do not cover the size in %c: %llu "
                "threads, at least %llu blocks are needed",
                (long long)grid[i], (long long)experiment->block[i], kernel->per_thread,
                kernel->per_thread == 1 ? "" : "s", axes[i], (unsigned long long)need[i],
                (unsigned long long)least);
    }
}

static void check_shared(const struct experiment *experiment, const struct device_facts *facts,
                         struct problems *problems)
{
    uint64_t own = experiment_shared_bytes(experiment) - (uint64_t)experiment->shared_bytes;
    uint64_t limit =
        facts && facts->shared_bytes_per_block_optin ? facts->shared_bytes_per_block_optin : SHARED_BYTES_MAX;
    if (own > limit)
        problem_add(problems, "#/block", "needs %llu bytes of shared memory a block, the limit is %llu",
                    (unsigned long long)own, (unsigned long long)limit);
    else if (experiment->shared_bytes < 0 || (uint64_t)experiment->shared_bytes > limit - own)
        problem_add(problems, "#/shared_bytes",
                    "must be from 0 to %llu, is %lld: a block has at most %llu bytes of shared memory%s, the "
                    "kernel itself needs %llu",
                    (unsigned long long)(limit - own), (long long)experiment->shared_bytes,
                    (unsigned long long)limit, limit == SHARED_BYTES_MAX ? " on any GPU" : "",
                    (unsigned long long)own);
}

static void check_refusal(const struct experiment *experiment, struct problems *problems)
{
    for (int i = 0; i < experiment->kernel->param_count; i++)
        if (problems_about(problems, experiment->kernel->params[i].name))
            return; /* the kernel would refuse a value that nobody gave */
    struct domain domain = experiment_domain(experiment);
    struct kernel_problem problem = experiment->kernel->refuse(&domain, experiment->dtype);
    char size[SIZE_POINTER_BYTES];
    if (problem.pointer && strcmp(problem.pointer, "#/size") == 0)
        problem.pointer = size_pointer(experiment, size);
    if (problem.pointer)
        problem_add(problems, problem.pointer, "%s", problem.detail);
}

static void check_memory(const struct experiment *experiment, const struct device_facts *facts,
                         struct problems *problems)
{
    unsigned long long need = experiment_memory_bytes(experiment), has = facts->memory_bytes;
    const struct kernel *kernel = experiment->kernel;
    char size[SIZE_POINTER_BYTES];
    if (need > has)
        problem_add(problems, kernel->dims ? size_pointer(experiment, size) : "#/arguments",
                    "%d buffers need %llu bytes (%.3g GB), %s has %llu (%.3g GB)", kernel->buffer_count, need,
                    (double)need * 1e-9, facts->name, has, (double)has * 1e-9);
}

static void check_range(struct problems *problems, const char *pointer, double value, double min, double max)
{
    if (!(value >= min && value <= max))
        problem_add(problems, pointer, "must be from %g to %g, is %g", min, max, value);
}

static void check_common(const struct experiment *experiment, struct problems *problems)
{
    check_range(problems, "#/measure/min_samples", (double)experiment->measure.min_samples, 1,
                EXPERIMENT_MIN_SAMPLES_MAX);
    check_range(problems, "#/measure/noise", experiment->measure.noise, 0, 1);
    check_range(problems, "#/measure/max_seconds", experiment->measure.max_seconds, 0.001,
                EXPERIMENT_MAX_SECONDS_MAX);
    check_range(problems, "#/measure/quiet_s", experiment->measure.quiet_s, 0, EXPERIMENT_QUIET_MAX_S);
    check_range(problems, "#/timeout_s", experiment->timeout_s, 0.1, EXPERIMENT_TIMEOUT_MAX_S);
    check_range(problems, "#/priority", (double)experiment->priority, -EXPERIMENT_PRIORITY_MAX,
                EXPERIMENT_PRIORITY_OVERRIDE);
}

void experiment_refuse_dtype(const struct experiment *experiment, const char *given,
                             struct problems *problems)
{
    const struct kernel *kernel = experiment->kernel;
    char taken[64] = "";
    for (int i = 0; i < DTYPE_COUNT; i++) {
        size_t used = strlen(taken);
        if (kernel->dtypes >> i & 1u)
            snprintf(taken + used, sizeof taken - used, "%s%s", used ? ", " : "", dtype_name((enum dtype)i));
    }
    problem_add(problems, "#/dtype", "%s takes %s, not %.40s", kernel->name, taken, given);
}

/* All memory of a CPU is equally near. */
static void check_peer(const struct experiment *experiment, const struct device_facts *facts,
                       struct problems *problems)
{
    if (experiment->kernel->peer && facts && strcmp(facts->backend, "cuda") != 0)
        problem_add(problems, "#/kernel", "%s is about the memories of two GPUs, %s is none",
                    experiment->kernel->name, facts->name);
    else if (experiment->kernel->peer && facts && strcmp(experiment->peer_uuid, facts->uuid) == 0)
        problem_add(problems, experiment->peer_given ? "#/peer" : "#/peer_uuid",
                    "must be another device than the one that runs it, %s", facts->uuid);
}

/* A GPU's compute capability times ten, 90 for "sm_90"; 0 when it is no GPU. */
static int capability(const struct device_facts *facts)
{
    int found = 0;
    return sscanf(facts->arch, "sm_%d", &found) == 1 ? found : 0;
}

static void check_architecture(const struct experiment *experiment, const struct device_facts *facts,
                               struct problems *problems)
{
    struct domain domain = experiment_domain(experiment);
    int least = experiment->kernel->architecture(&domain), found = facts ? capability(facts) : 0;
    if (found && found < least)
        problem_add(problems, "#/kernel",
                    "asked for in this way, %s needs a GPU of compute capability %d.%d; %s has %d.%d",
                    experiment->kernel->name, least / 10, least % 10, facts->name, found / 10, found % 10);
}

int experiment_check(struct experiment *experiment, const struct device_facts *facts,
                     struct problems *problems)
{
    const struct kernel *kernel = experiment->kernel;
    int before = problems->count;
    if (kernel->dtypes && !(kernel->dtypes >> experiment->dtype & 1u))
        experiment_refuse_dtype(experiment, dtype_name(experiment->dtype), problems);
    check_common(experiment, problems);
    check_peer(experiment, facts, problems);
    bool sized = check_size(experiment, problems);
    bool formed = check_params(experiment, sized, problems);
    bool blocked = check_block(experiment, facts ? facts : &facts_any_device, problems);
    if (sized && formed && blocked) {
        check_architecture(experiment, facts, problems);
        check_refusal(experiment, problems);
        check_grid(experiment, facts, problems);
        check_shared(experiment, facts, problems);
    }
    if (sized && formed && facts && problems->count == before)
        check_memory(experiment, facts, problems);
    return problems->count == before ? 0 : -1;
}
