/* The list of kernels, filled once from the generated rows. */
#include "kernels/kernel.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"

static const struct {
    const char *name;
    uint64_t bytes;
} dtypes[DTYPE_COUNT] = {[DTYPE_F32] = {"f32", 4},
                         [DTYPE_F64] = {"f64", 8},
                         [DTYPE_I32] = {"i32", 4},
                         [DTYPE_U8] = {"u8", 1},
                         [DTYPE_U16] = {"u16", 2}};

const char *dtype_name(enum dtype dtype)
{
    return dtypes[dtype].name;
}

int dtype_of(const char *name)
{
    return words_find(name, WORDS_TABLE(dtypes));
}

uint64_t dtype_bytes(enum dtype dtype)
{
    return dtypes[dtype].bytes;
}

uint64_t kernel_element_bytes(const struct kernel *kernel, int buffer, enum dtype dtype)
{
    unsigned own = kernel->buffers[buffer].element_bytes;
    return own ? own : dtype_bytes(dtype);
}

static struct kernel *kernels;
static int kernel_count;
static pthread_once_t described = PTHREAD_ONCE_INIT;

static void describe_all(void)
{
    while (suite_rows[kernel_count].name)
        kernel_count++;
    kernels = calloc((size_t)kernel_count + 1, sizeof *kernels);
    if (!kernels)
        abort(); /* a few kilobytes, once, before any other work */
    for (int i = 0; i < kernel_count; i++) {
        kernels[i].name = suite_rows[i].name;
        kernels[i].source = suite_rows[i].source;
        kernels[i].sha256 = suite_rows[i].sha256;
        suite_rows[i].describe(&kernels[i]);
        if (kernels[i].mistake[0]) { /* an error in the source: a program with this kernel must not run */
            fprintf(stderr, "kernels/suite/%s.cu: %s\n", kernels[i].name, kernels[i].mistake);
            abort();
        }
    }
}

int suite_count(void)
{
    pthread_once(&described, describe_all);
    return kernel_count;
}

const struct kernel *suite_at(int index)
{
    return index >= 0 && index < suite_count() ? &kernels[index] : NULL;
}

const struct kernel *suite_find(const char *name)
{
    for (int i = 0; i < suite_count(); i++)
        if (strcmp(kernels[i].name, name) == 0)
            return &kernels[i];
    return NULL;
}

const struct kernel *suite_debug_build(const struct kernel *kernel)
{
    static const char suffix[] = "_debug";
    size_t length = strlen(kernel->name), last = sizeof suffix - 1;
    if (length > last && strcmp(kernel->name + length - last, suffix) == 0)
        return kernel;
    for (int i = 0; i < suite_count(); i++)
        if (strncmp(kernels[i].name, kernel->name, length) == 0 &&
            strcmp(kernels[i].name + length, suffix) == 0)
            return &kernels[i];
    return NULL;
}

int suite_index(const struct kernel *kernel)
{
    return (int)(kernel - kernels);
}

bool kernel_index_is_small(const struct kernel *kernel, const struct domain *domain)
{
    uint64_t most = 0;
    for (int i = 0; i < kernel->buffer_count; i++) {
        uint64_t elements = kernel->elements(domain, i);
        most = elements > most ? elements : most;
    }
    uint64_t span_x = domain->grid.x * domain->block.x * (uint64_t)kernel->per_thread;
    uint64_t span_y = domain->grid.y * domain->block.y;
    uint64_t span = span_x > span_y ? span_x : span_y;
    return most + span + domain->n < (UINT64_C(1) << 31);
}
