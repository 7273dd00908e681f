/* Machine code, as a compiler that was led astray may write it: read or refused with a reason, and what was read
   lies within its bounds and is compared with a program of two lines. */
#include <stdint.h>
#include <stdlib.h>

#include "ptx/machine_match.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_entry(const struct cubin_entry *entry)
{
    for (size_t i = 0; i < entry->count; i++)
        if (entry->code[i].target < -1 || entry->code[i].word.stall == 0 || entry->code[i].word.bytes > 32)
            abort();
}

static void check_match(const struct cubin_entry *entry)
{
    static const struct match_site sites[] = {{.ptx_line = 20,
                                               .kind = MACHINE_LOAD,
                                               .space = MACHINE_GLOBAL,
                                               .bytes = 4,
                                               .base = 1,
                                               .executed = true},
                                              {.ptx_line = 21,
                                               .kind = MACHINE_STORE,
                                               .space = MACHINE_GLOBAL,
                                               .bytes = 4,
                                               .base = 1,
                                               .executed = true}};
    static const struct match_branch branches[] = {
        {.ptx_line = 25, .target_line = 20, .conditional = true, .diverges = true}, {.ptx_line = 30}};
    const struct match_program program = {.sites = sites,
                                          .site_count = 2,
                                          .branches = branches,
                                          .branch_count = 2,
                                          .begin_line = 1,
                                          .end_line = 40};
    struct match_result result;
    if (machine_match_run(&result, &program, entry, NULL) < 0)
        return;
    if (result.verdicts[0].how >= MATCH_HOW_COUNT || result.verdicts[1].leader > 1)
        abort();
    machine_match_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cubin *cubin;
    struct error error = {0};
    if (cubin_read(&cubin, data, size, &error) < 0) {
        if (error.kind == ERROR_NONE || !error.text[0] || cubin)
            abort();
        return 0;
    }
    for (size_t i = 0; i < cubin->count; i++) {
        check_entry(&cubin->entries[i]);
        check_match(&cubin->entries[i]);
        if (!cubin_entry_find(cubin, cubin->entries[i].name))
            abort();
    }
    cubin_free(cubin);
    return 0;
}
