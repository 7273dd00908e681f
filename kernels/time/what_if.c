/* Makes the candidates, and keeps the best of those that do the same work. */
#include "kernels/time/what_if.h"

#include <math.h>
#include <string.h>

static const double same_work = 0.03;

struct what_if_search {
    const struct what_if_case *asked;
    struct device_facts facts;
    bool derived; /* the request's grid is the derived one */
    int tries;    /* candidates that may still be tried */
    int count;
    struct what_if *found; /* fastest first, each of another field */
};

static uint64_t grid_blocks(const struct experiment *e)
{
    return (uint64_t)e->grid[0] * (uint64_t)e->grid[1] * (uint64_t)e->grid[2];
}

bool what_if_grid_derived(const struct experiment *experiment, const struct calibration *calibration)
{
    struct experiment bare = *experiment;
    struct device_facts facts;
    struct problems problems = {0};
    calibration_facts(calibration, &facts);
    memset(bare.grid, 0, sizeof bare.grid);
    return experiment_check(&bare, &facts, &problems) == 0 &&
           memcmp(bare.grid, experiment->grid, sizeof bare.grid) == 0;
}

/* ---- the same work ---- */

static bool alike(double one, double other)
{
    return fabs(one - other) <= same_work * fmax(one, other);
}

static uint64_t operations_of(const struct experiment *e)
{
    struct domain domain = experiment_domain(e);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): an experiment that was checked has a kernel */
    return e->kernel->ledger(&domain).operations;
}

static bool does_the_same(const struct what_if_case *asked, const struct what_if *then,
                          const struct access *access)
{
    const struct access *now = asked->access;
    const struct kernel_param *param = then->param < 0 ? NULL : &then->experiment.kernel->params[then->param];
    bool shared_is_work = param && param->type == PARAM_INTEGER;
    return alike((double)(now->load.bytes + now->store.bytes + now->atomic.bytes),
                 (double)(access->load.bytes + access->store.bytes + access->atomic.bytes)) &&
           alike((double)(now->load.used + now->store.used),
                 (double)(access->load.used + access->store.used)) &&
           alike((double)operations_of(asked->experiment), (double)operations_of(&then->experiment)) &&
           (!shared_is_work || alike((double)(now->shared_load.requests + now->shared_store.requests),
                                     (double)(access->shared_load.requests + access->shared_store.requests)));
}

/* ---- one candidate ---- */

static void keep(struct what_if_search *search, const struct what_if *then)
{
    int at = 0, same = -1;
    for (int i = 0; i < search->count; i++)
        if (strcmp(search->found[i].field, then->field) == 0)
            same = i;
    if (same >= 0 && search->found[same].time.us <= then->time.us)
        return;
    if (same >= 0) /* removes the slower change of the same field */
        memmove(&search->found[same], &search->found[same + 1],
                sizeof *search->found * (size_t)(--search->count - same));
    while (at < search->count && search->found[at].time.us <= then->time.us)
        at++;
    if (at >= WHAT_IF_MOST)
        return;
    if (search->count < WHAT_IF_MOST)
        search->count++;
    memmove(&search->found[at + 1], &search->found[at],
            sizeof *search->found * (size_t)(search->count - 1 - at));
    search->found[at] = *then;
}

/* Tries the request with one field changed; its grid is cleared by the caller where it is derived. */
static void try_change(struct what_if_search *search, const char *field, int param,
                       const struct experiment *changed)
{
    const struct what_if_case *asked = search->asked;
    struct what_if then = {.field = field, .param = param, .experiment = *changed};
    struct problems problems = {0};
    struct access access;
    if (search->tries == 0 || experiment_check(&then.experiment, &search->facts, &problems) < 0)
        return;
    search->tries--;
    access_count(&then.experiment, &access);
    if (!does_the_same(asked, &then, &access))
        return;
    /* Shared memory added by the compiler stays the same; registers may differ where another instance
       runs. */
    int64_t shared = asked->shared_bytes;
    if (shared >= 0)
        shared += (int64_t)experiment_shared_bytes(&then.experiment) -
                  (int64_t)experiment_shared_bytes(asked->experiment);
    predicted_time_predict(&then.experiment, &access, asked->now->calibration,
                           param < 0 ? asked->registers : -1, shared, &then.time);
    if (!then.time.why_not.en && then.time.us <= asked->now->us * (1 - WHAT_IF_GAIN))
        keep(search, &then);
}

static struct experiment change_begin(const struct what_if_search *search)
{
    struct experiment changed = *search->asked->experiment;
    if (search->derived)
        memset(changed.grid, 0, sizeof changed.grid);
    return changed;
}

/* ---- candidates ---- */

static void try_blocks(struct what_if_search *search)
{
    static const int64_t flat[][2] = {{32, 1}, {64, 1}, {128, 1}, {256, 1}, {512, 1}, {1024, 1}};
    static const int64_t shapes[][2] = {{32, 4},  {32, 8},  {32, 16}, {32, 32}, {64, 4},
                                        {128, 2}, {256, 1}, {16, 16}, {8, 32},  {1, 256}};
    const int64_t *now = search->asked->experiment->block;
    bool one = search->asked->experiment->kernel->block_dims == 1;
    int64_t beside[][2] = {
        {now[0] * 2, now[1]}, {now[0] / 2, now[1]}, {now[0], now[1] * 2}, {now[0], now[1] / 2}};
    int count = one ? 2 : 4,
        common = one ? (int)(sizeof flat / sizeof *flat) : (int)(sizeof shapes / sizeof *shapes);
    for (int i = 0; i < count + common; i++) {
        const int64_t *to = i < count ? beside[i] : one ? flat[i - count] : shapes[i - count];
        struct experiment changed = change_begin(search);
        if ((to[0] == now[0] && to[1] == now[1]) || to[0] * to[1] < WARP_LANES)
            continue;
        changed.block[0] = to[0];
        changed.block[1] = to[1];
        try_change(search, "block", -1, &changed);
    }
}

static void try_value(struct what_if_search *search, int param, int64_t value)
{
    struct experiment changed = change_begin(search);
    if (value == changed.param[param])
        return;
    changed.param[param] = value;
    try_change(search, changed.kernel->params[param].name, param, &changed);
}

static void try_integer(struct what_if_search *search, int param)
{
    const struct kernel_param *about = &search->asked->experiment->kernel->params[param];
    int64_t now = search->asked->experiment->param[param], below = 1;
    int64_t line = LINE_BYTES / (int64_t)dtype_bytes(search->asked->experiment->dtype);
    while (below <= now / 4)
        below *= 2;
    int64_t values[] = {about->min,        about->fallback,        below, below * 2, below * 4,
                        now / line * line, (now / line + 1) * line};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        size_t before = 0;
        while (before < i && values[before] != values[i])
            before++;
        if (before == i)
            try_value(search, param, values[i]);
    }
}

static void try_params(struct what_if_search *search)
{
    const struct kernel *kernel = search->asked->experiment->kernel;
    for (int i = 0; i < kernel->param_count; i++) {
        const struct kernel_param *param = &kernel->params[i];
        if (param->type == PARAM_INTEGER)
            try_integer(search, i);
        for (int64_t value = 0; param->type == PARAM_CHOICE && param->choices[value]; value++)
            try_value(search, i, value);
    }
}

static void try_grids(struct what_if_search *search)
{
    const struct experiment *now = search->asked->experiment;
    struct experiment changed = *now;
    if (!search->derived) {
        memset(changed.grid, 0, sizeof changed.grid);
        try_change(search, "grid", -1, &changed);
    }
    if (!now->kernel->grid_stride || now->kernel->grid_dims > 1)
        return;
    int64_t wave = (int64_t)(search->asked->now->blocks_per_sm * search->asked->now->calibration->sms);
    int64_t blocks[] = {now->grid[0] * 2, now->grid[0] * 4, now->grid[0] / 2, wave, wave * 2, wave * 4};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        changed.grid[0] = blocks[i];
        changed.grid[1] = changed.grid[2] = 1;
        if (blocks[i] > 0 && grid_blocks(&changed) != grid_blocks(now))
            try_change(search, "grid", -1, &changed);
    }
}

int what_if_find(const struct what_if_case *asked, struct what_if found[WHAT_IF_MOST])
{
    struct what_if_search search = {
        .asked = asked,
        .derived = what_if_grid_derived(asked->experiment, asked->now->calibration),
        .tries = asked->access->exact ? WHAT_IF_TRIES : WHAT_IF_TRIES_SAMPLED,
        .found = found,
    };
    calibration_facts(asked->now->calibration, &search.facts);
    if (asked->experiment->shared_bytes) {
        struct experiment changed = change_begin(&search);
        changed.shared_bytes = 0;
        try_change(&search, "shared_bytes", -1, &changed);
    }
    try_params(&search);
    try_blocks(&search);
    try_grids(&search);
    return search.count;
}
