/* Counts as bytes between the sandbox and the server. */
#include "kernels/source/source_result.h"

#include <stdlib.h>
#include <string.h>

void source_count_pack(const struct source_count *count, struct buffer *out)
{
    size_t instructions = (size_t)count->instruction_count, accesses = (size_t)count->listed.access_count;
    buffer_append(out, count, sizeof *count);
    buffer_append(out, count->instructions, instructions * sizeof *count->instructions);
    buffer_append(out, count->places, instructions * sizeof *count->places);
    buffer_append(out, count->listed.accesses, accesses * sizeof *count->listed.accesses);
}

void source_count_free(struct source_count *count)
{
    free(count->instructions);
    free(count->places);
    free(count->listed.accesses);
    count->instructions = NULL;
    count->places = NULL;
    count->listed.accesses = NULL;
    count->listed.instructions = NULL;
}

/* The next `count` objects of `each` bytes, copied. NULL: there are fewer, or no memory. */
static void *take(const char **bytes, size_t *left, int count, size_t each)
{
    if (count < 0 || (size_t)count > *left / each)
        return NULL;
    void *taken = calloc((size_t)count + 1, each);
    if (taken) {
        memcpy(taken, *bytes, (size_t)count * each);
        *bytes += (size_t)count * each;
        *left -= (size_t)count * each;
    }
    return taken;
}

static bool instruction_valid(const struct access_instruction *one)
{
    return (int)one->kind >= 0 && one->kind < ACCESS_KINDS && one->space >= 0 && one->space < SPACES &&
           one->bytes && one->bytes <= 32;
}

static bool access_valid(const struct explain_access *one, int instructions)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (one->first[lane] < -1 || one->first[lane] > INT64_MAX / 2)
            return false;
    return one->instruction >= 0 && one->instruction < instructions;
}

static bool code_valid(const struct code *code)
{
    if (code->passes < 0 || code->passes > CODE_PASSES)
        return false;
    for (int i = 0; i < code->passes; i++)
        if (!code->pass[i].iterations)
            return false;
    return true;
}

/* Ends every text, and looks at what is an index or divides. */
static bool contents_valid(struct source_count *count)
{
    count->inexact[sizeof count->inexact - 1] = '\0';
    count->no_code[sizeof count->no_code - 1] = '\0';
    if (!code_valid(&count->code) || count->registers > SOURCE_COUNT_REGISTERS)
        return false;
    for (int i = 0; i < count->fault_count; i++)
        count->faults[i].text[sizeof count->faults[i].text - 1] = '\0';
    for (int i = 0; i < count->instruction_count; i++) {
        count->places[i].array[sizeof count->places[i].array - 1] = '\0';
        if (!instruction_valid(&count->instructions[i]))
            return false;
    }
    for (int i = 0; i < count->listed.access_count; i++) {
        struct explain_access *one = &count->listed.accesses[i];
        one->index[sizeof one->index - 1] = '\0';
        if (!access_valid(one, count->instruction_count))
            return false;
    }
    return true;
}

/* A flag of an untrusted struct may hold any byte. */
static void flag_settle(bool *flag)
{
    unsigned char byte;
    memcpy(&byte, flag, 1);
    *flag = byte != 0;
}

static void flags_settle(struct source_count *count)
{
    bool *const flags[] = {&count->access.exact,
                           &count->access.has_dependent_loads,
                           &count->access.load_reach.exact,
                           &count->access.store_reach.exact,
                           &count->failed,
                           &count->has_code,
                           &count->watched,
                           &count->checked,
                           &count->races_unchecked};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        flag_settle(flags[i]);
    for (int i = 0; i < count->fault_count; i++)
        flag_settle(&count->faults[i].note);
}

int source_count_unpack(struct source_count *count, const void *bytes, size_t size, struct error *error)
{
    const char *at = (const char *)bytes + sizeof *count;
    size_t left = size - sizeof *count;
    *count = (struct source_count){.failed = true};
    if (size < sizeof *count)
        return error_set(error, ERROR_INVALID, "the counts are too short");
    memcpy(count, bytes, sizeof *count);
    count->instructions = NULL;
    count->places = NULL;
    count->listed.accesses = NULL;
    count->listed.instructions = NULL;
    if (count->instruction_count > SOURCE_COUNT_INSTRUCTIONS || count->fault_count < 0 ||
        count->fault_count > SOURCE_COUNT_FAULTS ||
        !(count->instructions = take(&at, &left, count->instruction_count, sizeof *count->instructions)) ||
        !(count->places = take(&at, &left, count->instruction_count, sizeof *count->places)) ||
        !(count->listed.accesses =
              take(&at, &left, count->listed.access_count, sizeof *count->listed.accesses)) ||
        left || !contents_valid(count)) {
        source_count_free(count);
        return error_set(error, ERROR_INVALID, "the counts are not as they should be");
    }
    flags_settle(count);
    count->listed.instructions = count->instructions;
    count->listed.instruction_count = count->instruction_count;
    return 0;
}
