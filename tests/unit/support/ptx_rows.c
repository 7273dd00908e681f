/* A kernel of one instruction. */
#include "tests/unit/support/ptx_rows.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "tests/unit/support/ptx_text.h"

enum { THREADS = 1024 };

static unsigned bytes_of(char letter, enum ptx_type type)
{
    unsigned bytes = ptx_types[type].bytes;
    return letter == 'i' ? 4 : letter == 'w' ? 2 * bytes : bytes;
}

static char register_of(unsigned bytes)
{
    return bytes == 2 ? 'h' : bytes == 4 ? 'w' : 'd';
}

/* Rounding, and .approx where nothing else is exact: what the manual asks for. */
static const char *modifier(const struct lanes_row *row)
{
    static const struct {
        const char *mnemonic, *modifier;
    } rows[] = {{"fma", ".rn"},     {"mad", ".rn"},       {"rcp", ".rn"},     {"sqrt", ".rn"},
                {"div", ".rn"},     {"rsqrt", ".approx"}, {"sin", ".approx"}, {"cos", ".approx"},
                {"lg2", ".approx"}, {"ex2", ".approx"},   {"tanh", ".approx"}};
    bool is_float = ptx_types[row->type].class == PTX_CLASS_FLOAT;
    for (size_t i = 0; is_float && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].mnemonic, row->mnemonic) == 0)
            return rows[i].modifier;
    return "";
}

/* dp4a.u32.s32 is the row "dp4a/s" of u32. */
static void opcode_text(const struct lanes_row *row, char *text, size_t size)
{
    const char *slash = strchr(row->mnemonic, '/'), *type = ptx_types[row->type].name;
    const char *second = slash ? (slash[1] == 's' ? ".s32" : ".u32") : "";
    char dp[8] = "";
    if (!slash && strncmp(row->mnemonic, "dp", 2) == 0)
        snprintf(dp, sizeof dp, ".%s", type);
    int length = slash ? (int)(slash - row->mnemonic) : (int)strlen(row->mnemonic);
    snprintf(text, size, "%.*s%s%s%s.%s%s%s", length, row->mnemonic, modifier(row), *row->variant ? "." : "",
             row->variant, type, second, dp);
}

static struct ptx_module *kernel_of(const struct lanes_row *row)
{
    struct buffer body = {0};
    char opcode[64];
    unsigned operands = (unsigned)strlen(row->shape) - 1;
    buffer_text(&body, "mov.u32 %w0, %tid.x;\nmul.wide.u32 %d0, %w0, 8;\n");
    for (unsigned i = 0; i < operands; i++) {
        unsigned bytes = bytes_of(row->shape[i + 1], row->type);
        buffer_format(&body,
                      "ld.param.u64 %%d1, [p%u];\nadd.u64 %%d1, %%d1, %%d0;\nld.global.u%u %%%c%u, [%%d1];\n",
                      i, bytes * 8, register_of(bytes), 10 + i);
    }
    opcode_text(row, opcode, sizeof opcode);
    unsigned bytes = bytes_of(row->shape[0], row->type);
    buffer_format(&body, "%s %%%c20", opcode, register_of(bytes));
    for (unsigned i = 0; i < operands; i++)
        buffer_format(&body, ", %%%c%u", register_of(bytes_of(row->shape[i + 1], row->type)), 10 + i);
    buffer_format(
        &body, ";\nld.param.u64 %%d1, [p4];\nadd.u64 %%d1, %%d1, %%d0;\nst.global.u%u [%%d1], %%%c20;\nret;",
        bytes * 8, register_of(bytes));
    assert_false(body.failed);
    struct ptx_module *module = ptx_text_parse(5, body.data);
    buffer_free(&body);
    return module;
}

/* Small ones, ends of ranges, special numbers, and any bits. */
static uint64_t value_of(unsigned thread, unsigned operand, unsigned bytes, enum ptx_type type)
{
    static const uint64_t patterns[] = {0,
                                        1,
                                        2,
                                        3,
                                        5,
                                        7,
                                        16,
                                        31,
                                        32,
                                        33,
                                        63,
                                        64,
                                        255,
                                        256,
                                        0x7FFF,
                                        0x8000,
                                        0xFFFF,
                                        0x7FFFFFFF,
                                        0x80000000,
                                        0xFFFFFFFF,
                                        0x3F800000,
                                        0xBF800000,
                                        0x7F800000,
                                        0xFF800000,
                                        0x7FC00000,
                                        0x00000001,
                                        0x00800000,
                                        0x3C00,
                                        0xBC00,
                                        0x7C00,
                                        0xFC00,
                                        0x7E00,
                                        0x0400,
                                        0x3F80,
                                        0x7F80,
                                        0x3FF0000000000000,
                                        0x7FF0000000000000,
                                        0xFFF0000000000000,
                                        0x7FF8000000000000,
                                        0x8000000000000000,
                                        0x7FFFFFFFFFFFFFFF,
                                        UINT64_MAX};
    enum { PATTERNS = sizeof patterns / sizeof *patterns };
    uint64_t hash = (thread * 4 + operand + 1) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    hash = (hash ^ hash >> 27) * UINT64_C(0x94D049BB133111EB);
    hash ^= hash >> 31;
    uint64_t value = thread % 3 == 0 ? patterns[hash % PATTERNS] : thread % 3 == 1 ? hash >> hash % 61 : hash;
    /* Numbers of like size, so that sums and products are not all infinite or the larger one. */
    if (thread % 3 == 2 && thread % 2 && type == PTX_F32)
        value = lanes_f32_bits((float)(int32_t)hash * 0x1p-20f);
    if (thread % 3 == 2 && thread % 2 && type == PTX_F64)
        value = lanes_f64_bits((double)(int64_t)hash * 0x1p-40);
    if (thread % 3 == 2 && thread % 2 && (type == PTX_F16 || type == PTX_F16X2))
        value = 0x3000300030003000 ^ (hash & 0x8FFF8FFF8FFF8FFF);
    return bytes == 8 ? value : value & ((UINT64_C(1) << bytes * 8) - 1);
}

static void check_row(const struct lanes_row *row, uint64_t (*expected)(const struct ptx_row_case *),
                      bool (*equal)(const struct ptx_row_case *, uint64_t, uint64_t))
{
    static uint64_t data[5][THREADS];
    static struct ptx_outcome outcome;
    struct ptx_buffer buffers[5];
    struct ptx_module *module = kernel_of(row);
    unsigned operands = (unsigned)strlen(row->shape) - 1, bytes = bytes_of(row->shape[0], row->type);
    memset(data, 0, sizeof data);
    for (unsigned i = 0; i < 5; i++)
        buffers[i] =
            (struct ptx_buffer){.name = "data", .data = data[i], .bytes = sizeof data[i], .element_bytes = 8};
    for (unsigned i = 0; i < operands; i++)
        for (unsigned t = 0; t < THREADS; t++)
            data[i][t] = value_of(t, i, bytes_of(row->shape[i + 1], row->type), row->type);
    struct ptx_launch launch = ptx_text_launch(module, buffers, 5, 1, THREADS);
    assert_int_equal(ptx_launch_run(&launch, &outcome), 0);
    /* A division by 0 is told, and has a result. */
    assert_true(outcome.complete && (!outcome.fault_count || outcome.faults[0].kind == PTX_FAULT_TRAP));
    for (unsigned t = 0; t < THREADS; t++) {
        struct ptx_row_case c = {.row = row, .operands = {data[0][t], data[1][t], data[2][t], data[3][t]}};
        uint64_t right = expected(&c), mask = bytes == 8 ? UINT64_MAX : (UINT64_C(1) << bytes * 8) - 1;
        if (!equal(&c, right & mask, data[4][t]))
            fail_msg("%s.%s.%s of %" PRIx64 ", %" PRIx64 ", %" PRIx64 ", %" PRIx64 " is %" PRIx64
                     ", not %" PRIx64,
                     row->mnemonic, row->variant, ptx_types[row->type].name, data[0][t], data[1][t],
                     data[2][t], data[3][t], data[4][t], right & mask);
    }
    ptx_module_free(module);
}

static bool same_bits(const struct ptx_row_case *c, uint64_t right, uint64_t actual)
{
    (void)c;
    return right == actual;
}

unsigned ptx_rows_compare(const struct lanes_row *rows, uint64_t (*expected)(const struct ptx_row_case *),
                          bool (*equal)(const struct ptx_row_case *, uint64_t, uint64_t))
{
    unsigned count = 0;
    for (; rows[count].mnemonic; count++)
        check_row(&rows[count], expected, equal);
    return count;
}

unsigned ptx_rows_check(const struct lanes_row *rows, uint64_t (*expected)(const struct ptx_row_case *))
{
    return ptx_rows_compare(rows, expected, same_bits);
}
