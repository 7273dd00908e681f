/* mov, cvt, and what makes or takes predicates. */
#include <string.h>

#include "ptx/decode.h"
#include "ptx/execute.h"
#include "ptx/special.h"

/* A register that may be wider than the type: what is written is extended to it. */
static int to_wider(struct parser *parser, const struct operand *operand, enum ptx_type type,
                    struct instruction *instruction)
{
    enum ptx_type own = type;
    if (operand->kind == OPERAND_REGISTER && ptx_types[operand->type].bytes >= ptx_types[type].bytes)
        own = operand->type;
    return decode_to(parser, operand, own, instruction);
}

static int from_wider(struct parser *parser, const struct operand *operand, enum ptx_type type,
                      struct instruction *instruction)
{
    enum ptx_type own = type;
    if (operand->kind == OPERAND_REGISTER && ptx_types[operand->type].bytes >= ptx_types[type].bytes)
        own = operand->type;
    return decode_from(parser, operand, own, instruction);
}

/* mov.b64 {a, b}, c and mov.b64 c, {a, b}. */
static int move_vector(struct parser *parser, const struct statement *statement,
                       struct instruction *instruction)
{
    bool pack = statement->operands[1].kind == OPERAND_VECTOR;
    const struct operand *vector = &statement->operands[pack], *whole = &statement->operands[!pack];
    enum ptx_type type = decode_type(statement, 0);
    unsigned bytes = ptx_types[type].bytes / (vector->count ? vector->count : 1);
    static const enum ptx_type of_bytes[] = {PTX_NO_TYPE, PTX_B8, PTX_B16, PTX_NO_TYPE, PTX_B32};
    if (vector->count < 2 || vector->count > 4 || bytes < 1 || bytes > 4 || !of_bytes[bytes])
        return decode_unknown(parser, statement);
    instruction->type = (uint8_t)type;
    instruction->element_bytes = (uint8_t)bytes;
    instruction->execute = pack ? execute_pack : execute_unpack;
    if (pack && decode_to(parser, whole, type, instruction))
        return -1;
    if (!pack && decode_from(parser, whole, type, instruction))
        return -1;
    for (unsigned i = 0; i < vector->count; i++) {
        const struct operand *element = &parser->elements[vector->first + i];
        if (pack ? decode_from(parser, element, of_bytes[bytes], instruction)
                 : decode_to(parser, element, of_bytes[bytes], instruction))
            return -1;
    }
    return 0;
}

static void copy_32(void *restrict to, const void *const *from)
{
    memcpy(to, from[0], LANES * sizeof(uint32_t));
}

static void copy_64(void *restrict to, const void *const *from)
{
    memcpy(to, from[0], LANES * sizeof(uint64_t));
}

int decode_move(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    enum ptx_type type = decode_type(statement, 0);
    if (type == PTX_NO_TYPE || statement->opcode.word_count)
        return decode_unknown(parser, statement);
    if (type == PTX_PRED)
        return decode_predicates(parser, statement, instruction);
    if (decode_count(parser, statement, 2, 2))
        return -1;
    const struct operand *to = &statement->operands[0], *from = &statement->operands[1];
    if (to->kind == OPERAND_VECTOR || from->kind == OPERAND_VECTOR)
        return move_vector(parser, statement, instruction);
    if (decode_to(parser, to, type, instruction))
        return -1;
    instruction->type = (uint8_t)type;
    if (from->kind == OPERAND_REGISTER && from->special >= 0) {
        instruction->execute = execute_clock;
        instruction->changes = true;
        instruction->mode = (uint8_t)from->special;
        return ptx_types[special_registers[from->special].type].bytes == ptx_types[type].bytes
                   ? 0
                   : decode_unknown(parser, statement);
    }
    instruction->execute = execute_lanes;
    instruction->lanes = ptx_type_units(type) == 2 ? copy_64 : copy_32;
    instruction->rule = AFFINE_COPY;
    return decode_from(parser, from, type, instruction);
}

static bool is_float(enum ptx_type type)
{
    return ptx_types[type].class == PTX_CLASS_FLOAT;
}

static bool is_packed(enum ptx_type type)
{
    return type == PTX_F16X2 || type == PTX_BF16X2 || type == PTX_U16X2 || type == PTX_S16X2;
}

int decode_convert(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct opcode *opcode = &statement->opcode;
    enum ptx_type to = decode_type(statement, 0), from = decode_type(statement, 1);
    if (opcode->type_count != 2 || opcode->word_count || opcode->approximate || to == PTX_PRED ||
        from == PTX_PRED)
        return decode_unknown(parser, statement);
    instruction->type = (uint8_t)to;
    instruction->source_type = (uint8_t)from;
    instruction->rounding = (uint8_t)opcode->rounding;
    instruction->saturate = opcode->saturate;
    instruction->flush = opcode->flush;
    instruction->mode = opcode->to_integer;
    if (opcode->rounding == ROUND_AWAY)
        return decode_unknown(parser, statement);
    if (is_packed(to)) {
        if ((to != PTX_F16X2 && to != PTX_BF16X2) || from != PTX_F32 || decode_count(parser, statement, 3, 3))
            return decode_unknown(parser, statement);
        instruction->execute = execute_convert_pair;
        return decode_to(parser, &statement->operands[0], to, instruction) ||
                       decode_from(parser, &statement->operands[1], from, instruction) ||
                       decode_from(parser, &statement->operands[2], from, instruction)
                   ? -1
                   : 0;
    }
    if (is_packed(from) || decode_count(parser, statement, 2, 2))
        return decode_unknown(parser, statement);
    instruction->execute = execute_convert;
    if (!is_float(to) && !is_float(from))
        instruction->rule = opcode->saturate ? AFFINE_NONE : AFFINE_CONVERT;
    return to_wider(parser, &statement->operands[0], to, instruction) ||
                   from_wider(parser, &statement->operands[1], from, instruction)
               ? -1
               : 0;
}

/* The comparison among an opcode's words, and the boolean operation: -1 where there is none. */
static int comparison_of(const struct opcode *opcode)
{
    for (int i = 0; i < LANES_COMPARISONS; i++)
        if (opcode_has(opcode, lanes_comparisons[i]))
            return i;
    return -1;
}

static uint8_t boolean_of(const struct opcode *opcode)
{
    return opcode_has(opcode, "and")   ? '&'
           : opcode_has(opcode, "or")  ? '|'
           : opcode_has(opcode, "xor") ? '^'
                                       : 0;
}

/* Comparison, boolean operation and operands a, b, c of setp and set, from operands[1] on. */
static int comparing(struct parser *parser, const struct statement *statement, enum ptx_type type,
                     struct instruction *instruction)
{
    int comparison = comparison_of(&statement->opcode);
    enum ptx_type each = type == PTX_F16X2    ? PTX_F16
                         : type == PTX_BF16X2 ? PTX_BF16
                                              : type; /* half by half */
    instruction->boolean = boolean_of(&statement->opcode);
    unsigned operands = instruction->boolean ? 4 : 3;
    if (comparison < 0 || statement->opcode.word_count != (instruction->boolean ? 2u : 1u) ||
        !(instruction->compare = lanes_compare(comparison, each)))
        return decode_unknown(parser, statement);
    instruction->mode = (uint8_t)comparison;
    instruction->flush = statement->opcode.flush;
    instruction->source_type = (uint8_t)type;
    if (decode_count(parser, statement, operands, operands) ||
        decode_from(parser, &statement->operands[1], type, instruction) ||
        decode_from(parser, &statement->operands[2], type, instruction))
        return -1;
    return instruction->boolean ? decode_from(parser, &statement->operands[3], PTX_PRED, instruction) : 0;
}

int decode_compare(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    enum ptx_type type = decode_type(statement, 0);
    const struct operand *to = &statement->operands[0];
    bool pair = type == PTX_F16X2 || type == PTX_BF16X2;
    if (statement->opcode.type_count != 1 || (pair && !to->has_second))
        return decode_unknown(parser, statement);
    instruction->execute = pair ? execute_compare_pair : execute_compare;
    instruction->type = PTX_PRED;
    instruction->rule = AFFINE_COMPARE;
    if (decode_to(parser, to, PTX_PRED, instruction))
        return -1;
    if (to->has_second) {
        if (to->second != NO_SLOT && to->second_type != PTX_PRED)
            return parser_fail(parser, "the second result of setp is no predicate");
        instruction->to[instruction->to_count++] = to->second;
        instruction->second_is_predicate = true;
    }
    return comparing(parser, statement, type, instruction);
}

/* set.lt.u32.f32 d, a, b: all bits, or 1.0. Of two halves each has its own result. */
int decode_set(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    enum ptx_type type = decode_type(statement, 0), of = decode_type(statement, 1);
    bool whole = type == PTX_U32 || type == PTX_S32 || type == PTX_F32 || type == PTX_U16 ||
                 type == PTX_S16 || type == PTX_F16 || type == PTX_BF16;
    bool pair = of == PTX_F16X2 || of == PTX_BF16X2;
    if (statement->opcode.type_count != 2 || (pair ? type != of && type != PTX_U32 : !whole))
        return decode_unknown(parser, statement);
    instruction->execute = pair ? execute_set_pair : execute_set;
    instruction->type = (uint8_t)type;
    return decode_to(parser, &statement->operands[0], type, instruction) ||
                   comparing(parser, statement, of, instruction)
               ? -1
               : 0;
}

int decode_select(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    enum ptx_type type = decode_type(statement, 0);
    if (statement->opcode.type_count != 1 || statement->opcode.word_count || type == PTX_PRED)
        return decode_unknown(parser, statement);
    instruction->execute = execute_select;
    instruction->type = (uint8_t)type;
    instruction->rule = AFFINE_SELECT;
    return decode_count(parser, statement, 4, 4) ||
                   decode_to(parser, &statement->operands[0], type, instruction) ||
                   decode_from(parser, &statement->operands[1], type, instruction) ||
                   decode_from(parser, &statement->operands[2], type, instruction) ||
                   decode_from(parser, &statement->operands[3], PTX_PRED, instruction)
               ? -1
               : 0;
}

int decode_slct(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    enum ptx_type type = decode_type(statement, 0), by = decode_type(statement, 1);
    if (statement->opcode.type_count != 2 || (by != PTX_S32 && by != PTX_F32) || type == PTX_PRED)
        return decode_unknown(parser, statement);
    instruction->execute = execute_slct;
    instruction->type = (uint8_t)type;
    instruction->source_type = (uint8_t)by;
    instruction->flush = statement->opcode.flush;
    return decode_count(parser, statement, 4, 4) ||
                   decode_to(parser, &statement->operands[0], type, instruction) ||
                   decode_from(parser, &statement->operands[1], type, instruction) ||
                   decode_from(parser, &statement->operands[2], type, instruction) ||
                   decode_from(parser, &statement->operands[3], by, instruction)
               ? -1
               : 0;
}

/* and, or, xor, not and mov of predicates. */
int decode_predicates(struct parser *parser, const struct statement *statement,
                      struct instruction *instruction)
{
    static const struct {
        const char *mnemonic;
        uint8_t mode;
        unsigned operands;
    } rows[] = {{"and", '&', 3}, {"or", '|', 3}, {"xor", '^', 3}, {"not", '~', 2}, {"mov", '=', 2}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(statement->opcode.mnemonic, rows[i].mnemonic) != 0)
            continue;
        instruction->execute = execute_predicates;
        instruction->mode = rows[i].mode;
        instruction->type = PTX_PRED;
        if (decode_count(parser, statement, rows[i].operands, rows[i].operands) ||
            decode_to(parser, &statement->operands[0], PTX_PRED, instruction))
            return -1;
        for (unsigned j = 1; j < rows[i].operands; j++)
            if (decode_from(parser, &statement->operands[j], PTX_PRED, instruction))
                return -1;
        return 0;
    }
    return decode_unknown(parser, statement);
}

/* add.cc, addc, addc.cc, sub.cc, subc, mad.lo.cc, madc.hi.cc ...: mode is '+', '-', 'l' or 'h'. */
int decode_carry(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct opcode *opcode = &statement->opcode;
    enum ptx_type type = decode_type(statement, 0);
    bool mad = strncmp(opcode->mnemonic, "mad", 3) == 0;
    bool add = strncmp(opcode->mnemonic, "add", 3) == 0, sub = strncmp(opcode->mnemonic, "sub", 3) == 0;
    unsigned bytes = ptx_types[type].bytes, operands = mad ? 4 : 3;
    if ((!mad && !add && !sub) || bytes < 4 || is_float(type) || is_packed(type) || opcode->type_count != 1)
        return decode_unknown(parser, statement);
    instruction->execute = execute_carry;
    instruction->type = (uint8_t)type;
    instruction->carry_in = strlen(opcode->mnemonic) == 4;
    instruction->carry_out = opcode_has(opcode, "cc");
    instruction->mode = add ? '+' : sub ? '-' : opcode_has(opcode, "hi") ? 'h' : 'l';
    if (decode_count(parser, statement, operands, operands) ||
        decode_to(parser, &statement->operands[0], type, instruction))
        return -1;
    for (unsigned i = 1; i < operands; i++)
        if (decode_from(parser, &statement->operands[i], type, instruction))
            return -1;
    return 0;
}

/* testp.finite.f32 p, a. */
int decode_test(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    static const char *const tests[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    enum ptx_type type = decode_type(statement, 0);
    size_t mode = 0;
    while (mode < sizeof tests / sizeof *tests && !opcode_has(&statement->opcode, tests[mode]))
        mode++;
    if (mode == sizeof tests / sizeof *tests || (type != PTX_F32 && type != PTX_F64))
        return decode_unknown(parser, statement);
    instruction->execute = execute_test;
    instruction->mode = (uint8_t)mode;
    instruction->type = PTX_PRED;
    instruction->source_type = (uint8_t)type;
    return decode_count(parser, statement, 2, 2) ||
                   decode_to(parser, &statement->operands[0], PTX_PRED, instruction) ||
                   decode_from(parser, &statement->operands[1], type, instruction)
               ? -1
               : 0;
}
