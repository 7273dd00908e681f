/* Experiments by chance, of every kernel, and the plain trace of one. A program that includes this brings
   cmocka along. */
#include <stdlib.h>
#include <string.h>

#include "kernels/device/kernel_entry.h"
#include "kernels/model/access.h"

extern "C" const model_entry *const plain_entries[];

static uint64_t seed = 20261121;

/* splitmix64 */
static inline uint64_t draw(uint64_t below)
{
    uint64_t z = seed += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % below;
}

static inline int64_t draw_param(const kernel_param &p, int64_t n)
{
    if (p.power_of_two) {
        int64_t value = p.min << draw(8);
        return value > p.max ? p.max : value;
    }
    int64_t max = p.max == PARAM_MAX_IS_SIZE ? n : p.max;
    static const int64_t likely[] = {0, 1, 7, 8, 11, 31, 32, 33, 128};
    int64_t value = draw(2) ? likely[draw(9)] : p.min + (int64_t)draw((uint64_t)(max - p.min + 1));
    return value < p.min ? p.min : value > max ? max : value;
}

/* False: the kernel does not do what was drawn. */
static inline bool draw_experiment(const kernel *k, experiment *drawn)
{
    static const int64_t blocks[] = {1, 2, 31, 32, 33, 64, 100, 128, 255, 256, 512, 1000, 1024};
    experiment &e = *drawn;
    problems wrong = {};
    do
        experiment_init(&e, k), e.dtype = (dtype)draw(DTYPE_COUNT);
    while (!(k->dtypes >> e.dtype & 1u));
    e.size[0] = 1 + (int64_t)draw(k->dims == 2 ? 40 : 1000);
    e.size[1] = k->dims == 2 ? 1 + (int64_t)draw(40) : 0;
    e.block[0] = draw(2) ? blocks[draw(13)] : 1 + (int64_t)draw(1024);
    if (k->block_dims == 2) {
        e.block[0] = 1 + (int64_t)draw(64);
        e.block[1] = 1 + (int64_t)draw(1024 / (uint64_t)e.block[0]);
    }
    for (int i = 0; i < k->param_count; i++)
        e.param[i] = draw_param(k->params[i], e.size[0] * (k->dims == 2 ? e.size[1] : 1));
    domain d = experiment_domain(&e);
    if (k->refuse(&d, e.dtype).pointer)
        return false;
    if (k->grid_stride && draw(2)) /* loops once or many times */
        e.grid[0] = 1 + (int64_t)draw(20), e.grid[1] = e.grid[2] = 1;
    if (experiment_check(&e, nullptr, &wrong) < 0)
        fail_msg("%s: %s: %s", k->name, wrong.at[0].pointer, wrong.at[0].detail);
    for (int i = 0; i < k->grid_dims; i++) /* sometimes larger than needed */
        e.grid[i] += draw(3) ? 0 : (int64_t)draw(4);
    return true;
}

static inline experiment draw_allowed(const kernel *k)
{
    experiment e;
    while (!draw_experiment(k, &e))
        ;
    return e;
}

static inline access plain(const experiment &e)
{
    run r{};
    access sums{};
    r.kernel = e.kernel;
    r.dtype = e.dtype;
    r.domain = experiment_domain(&e);
    r.grid = {(uint64_t)e.grid[0], (uint64_t)e.grid[1], (uint64_t)e.grid[2]};
    (*plain_entries[suite_index(e.kernel)])(&r, &sums, nullptr);
    return sums;
}

/* Of very many dependent steps the model lets a part stand for all; and the plain trace takes its time. */
static inline void shorten(experiment *e)
{
    static const struct {
        const char *param;
        int64_t most;
    } loops[] = {{"steps", 30}, {"passes", 3}};
    for (int i = 0; i < e->kernel->param_count; i++)
        for (const auto &loop : loops)
            if (strcmp(e->kernel->params[i].name, loop.param) == 0 && e->param[i] > loop.most)
                e->param[i] = loop.most;
}

/* So many configurations of each kernel, or as many as the environment says. */
static inline int draws_wanted(int usual)
{
    const char *wanted = getenv("COALESCED_MODEL_DRAWS");
    return wanted ? atoi(wanted) : usual;
}
