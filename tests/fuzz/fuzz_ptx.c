/* Any text as PTX: refused with a sentence, or each of its entries is executed within a small budget, in numbers and in
   boxes of blocks. What both say of accesses is not compared here: a text may read its own clock. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/affine_launch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFERS = 3, BUFFER_BYTES = 4096 };

static void must(int holds)
{
    if (!holds)
        abort();
}

struct watch {
    const struct ptx_module *module;
};

static void on_access(void *context, const struct ptx_access *access)
{
    const struct watch *watch = context;
    must(access->site >= 0 && (unsigned)access->site < watch->module->site_count);
    must(access->mask != 0 && access->space != PTX_GENERIC && access->bytes);
    must(access->extent[0] && access->extent[1] && access->extent[2]);
}

static void check_faults(const struct ptx_outcome *outcome)
{
    char text[400];
    must(outcome->fault_count <= PTX_FAULTS_MAX);
    for (unsigned i = 0; i < outcome->fault_count; i++)
        must(ptx_fault_text(&outcome->faults[i], text, sizeof text) > 0);
}

static void execute(const struct ptx_module *module, int entry)
{
    static uint8_t bytes[BUFFERS][BUFFER_BYTES];
    static struct ptx_outcome outcome;
    static struct ptx_affine_result result;
    struct watch watch = {module};
    struct ptx_buffer buffers[BUFFERS];
    uint64_t *parameters = calloc(1, module->functions[entry].parameter_bytes + 8u);
    must(parameters != NULL);
    for (unsigned i = 0; i < module->functions[entry].parameter_bytes / 8; i++)
        parameters[i] = i < BUFFERS ? ptx_launch_address(i) : 100;
    for (unsigned i = 0; i < BUFFERS; i++) {
        memset(bytes[i], (int)i, BUFFER_BYTES);
        buffers[i] = (struct ptx_buffer){"buffer", bytes[i], BUFFER_BYTES, 4, i == 2, i == 0};
    }
    struct ptx_launch launch = {.module = module,
                                .entry = entry,
                                .grid = {3, 2, 1},
                                .block = {8, 5, 1},
                                .dynamic_shared_bytes = 64,
                                .parameters = parameters,
                                .buffers = buffers,
                                .buffer_count = BUFFERS,
                                .budget = {.instructions = 4000, .bytes = 16 << 20},
                                .check_races = true,
                                .check_undefined = true,
                                .on_access = on_access,
                                .context = &watch};
    ptx_launch_run(&launch, &outcome);
    check_faults(&outcome);
    ptx_affine_run(&launch, 100, &result);
    check_faults(&result.outcome);
    free(parameters);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_problem problem;
    char *text = malloc(size + !size); /* its own, so that a byte behind it is seen */
    must(text != NULL);
    memcpy(text, data, size);
    struct ptx_module *module = ptx_module_parse(text, size, &problem);
    free(text);
    if (!module) {
        must(problem.text[0] != '\0');
        return 0;
    }
    for (unsigned f = 0; f < module->function_count && f < 4; f++)
        if (module->functions[f].entry && !module->functions[f].problem)
            execute(module, (int)f);
    ptx_module_free(module);
    return 0;
}
