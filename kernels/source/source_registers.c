#include "kernels/source/source_registers.h"

#include "ptx/cubin.h"

int source_registers(const void *cubin, size_t bytes, const char *symbol)
{
    struct cubin *read = NULL;
    if (!cubin || cubin_read(&read, cubin, bytes, NULL) < 0)
        return -1;
    const struct cubin_entry *entry = cubin_entry_find(read, symbol);
    int registers = entry ? (int)entry->registers : -1;
    cubin_free(read);
    return registers;
}
