/* Tables that scripts/machine_code made, one for each architecture. A row holds for all instances that it
   names. */
#include "kernels/time/machine_code.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/model/access.h"

enum { NARROW = 1, WIDE = 2 }; /* 32-bit indices, 64-bit indices */
enum {
    F32 = 1u << DTYPE_F32,
    F64 = 1u << DTYPE_F64,
    I32 = 1u << DTYPE_I32,
    U8 = 1u << DTYPE_U8,
    U16 = 1u << DTYPE_U16,
};
enum {
    DEFAULT = 1u << LOAD_DEFAULT,
    CA = 1u << LOAD_CA,
    CG = 1u << LOAD_CG,
    LDG = 1u << LOAD_LDG,
    CS = 1u << LOAD_CS,
    VOLATILE = 1u << LOAD_VOLATILE,
};
#define V(variant) (1u << (variant))
#define ANY (~0u)

struct code_row {
    const char *kernel;
    unsigned dtypes, loads, variants, indices; /* sets of bits: the instances that it holds for */
    struct code code;
};

static const struct code_row sm_90[] = {
#include "kernels/time/machine_code_sm_90.inc"
};

static const struct code_table {
    const char *arch;
    const struct code_row *rows;
    size_t count;
} tables[] = {
    {"sm_90", sm_90, sizeof sm_90 / sizeof *sm_90},
};

static long arch_number(const char *arch)
{
    const char *digits = arch ? strpbrk(arch, "0123456789") : NULL;
    return digits ? strtol(digits, NULL, 10) : 0;
}

static const struct code_table *table_nearest(const char *arch)
{
    long wanted = arch_number(arch);
    const struct code_table *nearest = tables;
    for (size_t i = 1; i < sizeof tables / sizeof *tables; i++)
        if (labs(arch_number(tables[i].arch) - wanted) < labs(arch_number(nearest->arch) - wanted))
            nearest = &tables[i];
    return nearest;
}

const char *machine_code_find(const struct experiment *e, const char *arch, struct code *code)
{
    if (e->code) {
        *code = *e->code;
        return e->code_arch;
    }
    const struct code_table *table = table_nearest(arch);
    struct domain domain = experiment_domain(e);
    int load = e->kernel->load_param;
    unsigned load_bit = 1u << (load < 0 ? LOAD_DEFAULT : e->param[load]);
    unsigned variant_bit = V(e->kernel->variant(&domain));
    unsigned index_bit = kernel_index_is_small(e->kernel, &domain) ? NARROW : WIDE;
    for (const struct code_row *row = table->rows; row < table->rows + table->count; row++)
        if (row->dtypes & 1u << e->dtype && row->loads & load_bit && row->variants & variant_bit &&
            row->indices & index_bit && strcmp(row->kernel, e->kernel->name) == 0) {
            *code = row->code;
            return table->arch;
        }
    return NULL;
}

uint64_t machine_code_threads(const struct experiment *e)
{
    struct domain domain = experiment_domain(e);
    struct shape cover = e->kernel->cover(&domain);
    uint64_t warps = ((uint64_t)(e->block[0] * e->block[1] * e->block[2]) + WARP_LANES - 1) / WARP_LANES *
                     (uint64_t)(e->grid[0] * e->grid[1] * e->grid[2]);
    uint64_t busy = (cover.x + WARP_LANES - 1) / WARP_LANES;
    return (cover.y * cover.z == 1 && busy < warps ? busy : warps) * WARP_LANES;
}
