/* The table of mnemonics, and those whose operation is a row of lanes.h. */
#include "ptx/decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "ptx/execute.h"

static const struct mnemonic {
    const char *name;
    decode_fn *decode;
} mnemonics[] = {
    {"activemask", decode_active},
    {"addc", decode_carry},
    {"applypriority", decode_nothing},
    {"atom", decode_atomic},
    {"bar", decode_barrier},
    {"barrier", decode_barrier},
    {"bra", decode_branch},
    {"brkpt", decode_nothing},
    {"brx", decode_table_branch},
    {"call", decode_call},
    {"cvt", decode_convert},
    {"cvta", decode_address},
    {"discard", decode_nothing},
    {"elect", decode_elect},
    {"exit", decode_leave},
    {"fence", decode_fence},
    {"griddepcontrol", decode_nothing},
    {"isspacep", decode_address},
    {"ld", decode_load},
    {"ldu", decode_load},
    {"madc", decode_carry},
    {"match", decode_match},
    {"membar", decode_fence},
    {"mov", decode_move},
    {"nanosleep", decode_nothing},
    {"pmevent", decode_nothing},
    {"prefetch", decode_nothing},
    {"prefetchu", decode_nothing},
    {"red", decode_atomic},
    {"redux", decode_reduce},
    {"ret", decode_leave},
    {"selp", decode_select},
    {"set", decode_set},
    {"setp", decode_compare},
    {"shfl", decode_shuffle},
    {"slct", decode_slct},
    {"st", decode_store},
    {"subc", decode_carry},
    {"testp", decode_test},
    {"trap", decode_trap},
    {"vote", decode_vote},
};

int decode_unknown(struct parser *parser, const struct statement *statement)
{
    return parser_fail(parser, "%s is not executed yet", statement->opcode.text);
}

int decode_count(struct parser *parser, const struct statement *statement, unsigned least, unsigned most)
{
    if (statement->count >= least && statement->count <= most)
        return 0;
    return parser_fail(parser, "%s with %u operands", statement->opcode.text, statement->count);
}

enum ptx_type decode_type(const struct statement *statement, unsigned index)
{
    return index < statement->opcode.type_count ? statement->opcode.types[index] : PTX_NO_TYPE;
}

int decode_to(struct parser *parser, const struct operand *operand, enum ptx_type type,
              struct instruction *instruction)
{
    uint32_t slot = NO_SLOT;
    if (operand->kind != OPERAND_SINK) {
        if (operand->kind != OPERAND_REGISTER || operand->special >= 0 || operand->negated)
            return parser_fail(parser, "a result needs a register");
        for (size_t i = 0; i < parser_function(parser)->special_count && operand->type != PTX_PRED; i++)
            if (parser_function(parser)->specials[i].slot == operand->slot)
                return parser_fail(parser, "a special register is not written");
        if (parser_slot(parser, operand, type, &slot))
            return -1;
        instruction->to_type = (uint8_t)operand->type;
    }
    instruction->to_units = (uint8_t)ptx_type_units(type);
    instruction->to[instruction->to_count++] = slot;
    return 0;
}

int decode_from(struct parser *parser, const struct operand *operand, enum ptx_type type,
                struct instruction *instruction)
{
    unsigned at = instruction->from_count;
    if (at == OPERANDS_MAX)
        return parser_fail(parser, "too many operands");
    if (parser_slot(parser, operand, type, &instruction->from[at]))
        return -1;
    instruction->from_units[at] = (uint8_t)ptx_type_units(type);
    instruction->from_not |= (uint8_t)(operand->negated << at);
    instruction->from_count++;
    return 0;
}

/* ---- rows of lanes.h ---- */

enum { TABLES = 4, TABLE_SHIFT = 10 };
static const struct lanes_row *const lanes_tables[TABLES] = {lanes_integer, lanes_bits, lanes_float,
                                                             lanes_half};

static uint32_t row_hash(const char *mnemonic, const char *variant, enum ptx_type type)
{
    return (uint32_t)((hash_text(mnemonic) * 31 + hash_text(variant)) * 31 + (uint64_t)type * 0x9E3779B1u) >>
           3;
}

enum { INDEX_SIZE = sizeof((struct parser *)NULL)->lanes_index / sizeof(uint16_t) };

static void index_rows(struct parser *parser)
{
    for (unsigned table = 0; table < TABLES; table++)
        for (unsigned i = 0; lanes_tables[table][i].mnemonic; i++) {
            const struct lanes_row *row = &lanes_tables[table][i];
            uint32_t at = row_hash(row->mnemonic, row->variant, row->type) % INDEX_SIZE;
            while (parser->lanes_index[at])
                at = (at + 1) % INDEX_SIZE;
            parser->lanes_index[at] = (uint16_t)((table << TABLE_SHIFT) + i + 1);
        }
}

static const struct lanes_row *find_row(struct parser *parser, const char *mnemonic, const char *variant,
                                        enum ptx_type type)
{
    if (!parser->lanes_indexed)
        index_rows(parser);
    parser->lanes_indexed = true;
    for (uint32_t at = row_hash(mnemonic, variant, type) % INDEX_SIZE; parser->lanes_index[at];
         at = (at + 1) % INDEX_SIZE) {
        unsigned number = parser->lanes_index[at] - 1u;
        const struct lanes_row *row = &lanes_tables[number >> TABLE_SHIFT][number & ((1 << TABLE_SHIFT) - 1)];
        if (row->type == type && strcmp(row->mnemonic, mnemonic) == 0 && strcmp(row->variant, variant) == 0)
            return row;
    }
    return NULL;
}

/* The type of an operand by its letter in a shape. */
static enum ptx_type shape_type(char letter, enum ptx_type type)
{
    unsigned bytes = ptx_types[type].bytes;
    if (letter == 'i')
        return PTX_B32;
    if (letter == 'w')
        return bytes == 2 ? PTX_B32 : PTX_B64;
    return type;
}

static void variant_of(const struct opcode *opcode, char *variant, size_t size)
{
    size_t used = 0;
    variant[0] = '\0';
    for (unsigned i = 0; i < opcode->word_count; i++) {
        size_t length = strlen(opcode->words[i]);
        if (used + length + 2 > size)
            return;
        if (used)
            variant[used++] = '.';
        memcpy(variant + used, opcode->words[i], length + 1);
        used += length;
    }
}

static bool is_half(enum ptx_type type)
{
    return type == PTX_F16 || type == PTX_BF16 || type == PTX_F16X2 || type == PTX_BF16X2;
}

int decode_lanes(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct opcode *opcode = &statement->opcode;
    char variant[64];
    variant_of(opcode, variant, sizeof variant);
    enum ptx_type type = decode_type(statement, 0);
    char mnemonic[32];
    if (opcode->type_count > 2 || (opcode->type_count == 2 && strncmp(opcode->mnemonic, "dp", 2) != 0))
        return decode_unknown(parser, statement);
    /* dp4a.u32.s32: the second type where it is another one. */
    snprintf(mnemonic, sizeof mnemonic, "%s%s", opcode->mnemonic,
             opcode->type_count < 2 || opcode->types[1] == type ? ""
             : opcode->types[1] == PTX_S32                      ? "/s"
                                                                : "/u");
    const struct lanes_row *row = find_row(parser, mnemonic, variant, type);
    bool integer_sat = row && opcode->saturate && !(row->may & MAY_SATURATE);
    if (integer_sat) /* add.sat.s32 is an operation of its own */
        row = find_row(parser, opcode->mnemonic, *variant ? "hi.sat" : "sat", type);
    if (!row || (opcode->rounding != ROUND_DEFAULT && !(row->may & MAY_ROUND)) || opcode->to_integer ||
        (opcode->flush && !(row->may & MAY_FLUSH)))
        return decode_unknown(parser, statement);
    unsigned operands = (unsigned)strlen(row->shape);
    if (decode_count(parser, statement, operands, operands))
        return -1;
    instruction->type = (uint8_t)type;
    instruction->rule = row->rule;
    instruction->lanes = row->run;
    instruction->rounding = (uint8_t)opcode->rounding;
    instruction->flush = opcode->flush;
    instruction->saturate = opcode->saturate && !integer_sat;
    for (unsigned i = 0; i < operands; i++) {
        enum ptx_type of = shape_type(row->shape[i], type);
        if (i ? decode_from(parser, &statement->operands[i], of, instruction)
              : decode_to(parser, &statement->operands[i], of, instruction))
            return -1;
    }
    bool plain = !instruction->flush && !instruction->saturate && opcode->rounding <= ROUND_NEAREST;
    instruction->execute = is_half(type) && !plain ? execute_half : plain ? execute_lanes : execute_float;
    if (row->rule == AFFINE_DIV || row->rule == AFFINE_REM)
        instruction->execute = execute_division;
    return 0;
}

/* ---- statements ---- */

static int compare_names(const void *name, const void *row)
{
    return strcmp(name, ((const struct mnemonic *)row)->name);
}

bool decode_knows(const char *mnemonic)
{
    if (bsearch(mnemonic, mnemonics, sizeof mnemonics / sizeof *mnemonics, sizeof *mnemonics, compare_names))
        return true;
    for (unsigned table = 0; table < TABLES; table++)
        for (const struct lanes_row *row = lanes_tables[table]; row->mnemonic; row++)
            if (strcmp(row->mnemonic, mnemonic) == 0)
                return true;
    return false;
}

static decode_fn *decoder_of(const struct statement *statement)
{
    const struct mnemonic *found =
        bsearch(statement->opcode.mnemonic, mnemonics, sizeof mnemonics / sizeof *mnemonics,
                sizeof *mnemonics, compare_names);
    if (found)
        return found->decode;
    bool carry = opcode_has(&statement->opcode, "cc");
    bool predicates = decode_type(statement, 0) == PTX_PRED;
    return carry ? decode_carry : predicates ? decode_predicates : decode_lanes;
}

static int current_line(struct parser *parser, uint32_t *line)
{
    struct ptx_program *program = parser->program;
    if (arena_grow((void **)&program->lines, program->line_count, &program->line_allocated,
                   sizeof *program->lines, PTX_INSTRUCTIONS_MAX + 65536))
        return parser_no_memory(parser);
    *line = (uint32_t)program->line_count;
    program->lines[program->line_count++] = parser->position;
    return 0;
}

static int add_instruction(struct parser *parser, const struct instruction *instruction)
{
    struct ptx_program *program = parser->program;
    if (arena_grow((void **)&program->instructions, program->instruction_count,
                   &program->instruction_allocated, sizeof *program->instructions, PTX_INSTRUCTIONS_MAX))
        return parser_fail(parser, "more than %d instructions", PTX_INSTRUCTIONS_MAX);
    program->instructions[program->instruction_count++] = *instruction;
    return 0;
}

static struct instruction blank(void)
{
    return (struct instruction){.guard = NO_SLOT,
                                .base = NO_SLOT,
                                .site = -1,
                                .target = NO_SLOT,
                                .reconverge = NO_SLOT,
                                .table = NO_SLOT};
}

int decode_statement(struct parser *parser, const struct statement *statement, const struct operand *guard)
{
    struct instruction made = blank();
    if (parser_function(parser)->slots > PTX_REGISTERS_MAX)
        return parser_fail(parser, "more than %d registers and constants", PTX_REGISTERS_MAX);
    made.guard = guard->slot;
    made.guard_not = guard->negated;
    if (current_line(parser, &made.position) || decoder_of(statement)(parser, statement, &made))
        return -1;
    if (!made.execute)
        return 0;
    return add_instruction(parser, &made);
}

int decode_return(struct parser *parser)
{
    struct instruction made = blank();
    made.execute = execute_return;
    made.flow = FLOW_RETURN;
    return current_line(parser, &made.position) || add_instruction(parser, &made) ? -1 : 0;
}
