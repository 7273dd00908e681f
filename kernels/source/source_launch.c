/* Bytes of parameters, buffers and constants. */
#include "kernels/source/source_launch.h"

#include <string.h>

#include "kernels/kernel_param.h"

enum { PATTERN = 0xA5 };

static void put_scalar(const struct source_kernel *k, const struct source_slot *slot,
                       const struct domain *domain, unsigned char *to)
{
    struct source_type type = slot->argument->type;
    if (slot->param < 0) {
        source_type_put_unsigned(type.base, domain->n, to);
        return;
    }
    for (unsigned c = 0; c < type.width; c++, to += source_type_component_bytes(type.base)) {
        const struct kernel_param *param = &k->kernel.params[slot->param + (int)c];
        int64_t value = domain->param[slot->param + (int)c];
        if (param->type == PARAM_NUMBER)
            source_type_put_real(type.base, kernel_param_number(value), to);
        else
            source_type_put_signed(type.base, value, to);
    }
}

void source_launch_parameters(const struct source_kernel *kernel, const struct domain *domain,
                              const uint64_t address[KERNEL_BUFFERS], void *bytes)
{
    memset(bytes, 0, kernel->layout.parameter_bytes);
    for (int i = 0; i < kernel->layout.slot_count; i++) {
        const struct source_slot *slot = &kernel->layout.slot[i];
        unsigned char *to = (unsigned char *)bytes + slot->offset;
        if (slot->buffer >= 0)
            memcpy(to, &address[slot->buffer], sizeof *address);
        else
            put_scalar(kernel, slot, domain, to);
    }
}

void source_launch_fill(const struct source_kernel *kernel, int buffer, uint64_t from, uint64_t to,
                        void *bytes)
{
    const struct source_argument *a = &kernel->draft.argument[kernel->slot_of_buffer[buffer]];
    if (a->role == BUFFER_OUTPUT)
        memset(bytes, PATTERN, (size_t)(to - from) * source_type_bytes(a->type));
    else
        source_fill_write(&a->fill, buffer, a->type, from, to, bytes);
}

void source_launch_constant(const struct source_constant *constant, void *bytes)
{
    unsigned each = source_type_component_bytes(constant->type.base);
    for (size_t i = 0; i < constant->value_count; i++)
        source_fill_number_put(&constant->values[i], constant->type.base, (unsigned char *)bytes + i * each);
}
