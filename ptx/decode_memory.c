/* ld, st, atom, red, cvta: spaces, vectors, and the list of sites. */
#include <string.h>

#include "ptx/decode.h"
#include "ptx/execute.h"
#include "ptx/scalars.h"

static const struct {
    const char *word;
    enum ptx_space space;
} spaces[] = {
    {"global", PTX_GLOBAL}, {"shared", PTX_SHARED}, {"shared::cta", PTX_SHARED}, {"local", PTX_LOCAL},
    {"const", PTX_CONST},   {"param", PTX_PARAM},   {"param::entry", PTX_PARAM}, {"param::func", PTX_PARAM},
};

/* Words of ld, st and atom that change nothing here, and the cache operators among them. */
static const struct {
    const char *word;
    bool cache;
} ignored[] = {
    {"ca", true},
    {"cg", true},
    {"cs", true},
    {"cv", true},
    {"lu", true},
    {"wb", true},
    {"wt", true},
    {"nc", true},
    {"weak", false},
    {"relaxed", false},
    {"acquire", false},
    {"release", false},
    {"acq_rel", false},
    {"cta", false},
    {"gpu", false},
    {"sys", false},
    {"cluster", false},
    {"L1::evict_normal", true},
    {"L1::evict_last", true},
    {"L1::evict_first", true},
    {"L1::no_allocate", true},
    {"L2::64B", true},
    {"L2::128B", true},
    {"L2::256B", true},
    {"L1::evict_unchanged", true},
    {"volatile", false},
    {"v2", false},
    {"v4", false},
    {"mmio", false},
};

static int known_word(const char *word)
{
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcmp(word, ignored[i].word) == 0)
            return (int)i;
    return -1;
}

static int space_word(const char *word)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (strcmp(word, spaces[i].word) == 0)
            return (int)i;
    return -1;
}

static int add_site(struct parser *parser, const struct statement *statement, struct instruction *instruction,
                    unsigned elements)
{
    struct ptx_module *module = parser->module;
    if (arena_grow((void **)&parser->sites, module->site_count, &parser->site_allocated,
                   sizeof *parser->sites, PTX_INSTRUCTIONS_MAX))
        return parser_no_memory(parser);
    const char *cache = "";
    for (unsigned i = 0; i < statement->opcode.word_count; i++) {
        int known = known_word(statement->opcode.words[i]);
        if (known >= 0 && ignored[known].cache && !*cache)
            cache = ignored[known].word;
    }
    instruction->site = (int32_t)module->site_count;
    parser->sites[module->site_count++] = (struct ptx_site){
        .position = parser->position,
        .kind = (enum ptx_access_kind)instruction->kind,
        .space = (enum ptx_space)instruction->space,
        .bytes = instruction->element_bytes * elements,
        .elements = elements,
        .opcode = statement->opcode.text,
        .cache = cache,
        .is_volatile = instruction->is_volatile,
        .function = parser->function,
    };
    return 0;
}

/* Base and offset; what symbol an address begins with decides about parameters. */
static int address(struct parser *parser, const struct operand *operand, struct instruction *instruction)
{
    if (operand->kind != OPERAND_ADDRESS)
        return parser_fail(parser, "an address stands in [ ]");
    instruction->base = operand->base;
    instruction->base_units = operand->base_units;
    instruction->offset = operand->offset;
    const struct symbol *symbol = operand->symbol;
    if (!symbol)
        return 0;
    struct constant constant = {.units = 2, .bits = 0};
    if (symbol->kind == SYMBOL_VARIABLE) {
        constant.what = instruction->space == PTX_GENERIC ? CONSTANT_GENERIC : CONSTANT_VARIABLE;
        constant.variable = (int)symbol->index;
    } else if (symbol->kind == SYMBOL_LOCAL) {
        constant.what = instruction->space == PTX_GENERIC ? CONSTANT_LOCAL_GENERIC : CONSTANT_LOCAL;
        constant.bits = symbol->index;
        if (symbol->parameter && instruction->space == PTX_PARAM) {
            int64_t last = operand->offset +
                           instruction->element_bytes * (instruction->to_count > instruction->from_count
                                                             ? instruction->to_count
                                                             : instruction->from_count);
            if (operand->offset < 0 || last > symbol->bytes)
                return parser_fail(parser, "an access outside of a parameter");
            instruction->space = PTX_LOCAL;
            instruction->hidden = true;
        }
    } else if (symbol->kind == SYMBOL_PARAMETER) {
        constant.what = instruction->space == PTX_GENERIC ? CONSTANT_PARAM_GENERIC : CONSTANT_BITS;
        constant.bits = symbol->index;
    } else {
        return parser_fail(parser, "this cannot be an address");
    }
    instruction->base_units = 2;
    return parser_constant(parser, constant, &instruction->base);
}

/* Space, width and words of ld and st. *elements: 1, 2 or 4. */
static int memory_words(struct parser *parser, const struct statement *statement,
                        struct instruction *instruction, unsigned *elements)
{
    const struct opcode *opcode = &statement->opcode;
    enum ptx_type type = decode_type(statement, 0);
    *elements = opcode_has(opcode, "v2") ? 2 : opcode_has(opcode, "v4") ? 4 : 1;
    instruction->space = PTX_GENERIC;
    if (opcode->type_count != 1 || type == PTX_PRED || decode_count(parser, statement, 2, 2))
        return decode_unknown(parser, statement);
    for (unsigned i = 0; i < opcode->word_count; i++) {
        int space = space_word(opcode->words[i]);
        if (space >= 0)
            instruction->space = (uint8_t)spaces[space].space;
        else if (known_word(opcode->words[i]) < 0)
            return decode_unknown(parser, statement);
    }
    instruction->type = (uint8_t)type;
    instruction->element_bytes = (uint8_t)ptx_types[type].bytes;
    instruction->has_order =
        opcode_has(opcode, "relaxed") || opcode_has(opcode, "acquire") || opcode_has(opcode, "release");
    instruction->is_volatile =
        instruction->has_order || opcode_has(opcode, "volatile") || opcode_has(opcode, "mmio");
    return instruction->element_bytes * *elements > 16 ? decode_unknown(parser, statement) : 0;
}

/* The registers of an access: one, or a vector. Registers may be wider than the type. */
static int data(struct parser *parser, const struct operand *operand, unsigned elements, bool load,
                struct instruction *instruction)
{
    const struct operand *list = operand;
    unsigned count = 1;
    if (operand->kind == OPERAND_VECTOR) {
        list = &parser->elements[operand->first];
        count = operand->count;
    }
    if (count != elements)
        return parser_fail(parser, "%u registers for %u elements", count, elements);
    for (unsigned i = 0; i < count; i++) {
        enum ptx_type type = (enum ptx_type)instruction->type, own = type;
        if (list[i].kind == OPERAND_REGISTER && ptx_types[list[i].type].bytes >= ptx_types[type].bytes)
            own = list[i].type;
        if (i && list[i].kind == OPERAND_REGISTER && list[0].kind == OPERAND_REGISTER &&
            ptx_type_units(list[i].type) != ptx_type_units(list[0].type))
            return parser_fail(parser, "a vector of unlike registers");
        if (load ? decode_to(parser, &list[i], own, instruction)
                 : decode_from(parser, &list[i], own, instruction))
            return -1;
    }
    return 0;
}

int decode_load(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    unsigned elements;
    instruction->execute = execute_load;
    instruction->kind = PTX_LOAD;
    if (memory_words(parser, statement, instruction, &elements) ||
        data(parser, &statement->operands[0], elements, true, instruction) ||
        address(parser, &statement->operands[1], instruction))
        return -1;
    if (instruction->space == PTX_PARAM || instruction->hidden)
        return 0;
    return add_site(parser, statement, instruction, elements);
}

int decode_store(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    unsigned elements;
    instruction->execute = execute_store;
    instruction->kind = PTX_STORE;
    if (memory_words(parser, statement, instruction, &elements) ||
        data(parser, &statement->operands[1], elements, false, instruction) ||
        address(parser, &statement->operands[0], instruction))
        return -1;
    if (instruction->space == PTX_PARAM)
        return parser_fail(parser, "a store to the parameters of an entry");
    return instruction->hidden ? 0 : add_site(parser, statement, instruction, elements);
}

/* atom.global.add.u32 d, [a], b; red without d; cas with b and c. */
int decode_atomic(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct opcode *opcode = &statement->opcode;
    enum ptx_type type = decode_type(statement, 0);
    bool red = strcmp(opcode->mnemonic, "red") == 0;
    const char *operation = NULL;
    instruction->space = PTX_GENERIC;
    instruction->kind = PTX_ATOMIC;
    instruction->type = (uint8_t)type;
    instruction->element_bytes = (uint8_t)ptx_types[type].bytes;
    instruction->execute = execute_atomic;
    for (unsigned i = 0; i < opcode->word_count; i++) {
        int space = space_word(opcode->words[i]);
        if (space >= 0)
            instruction->space = (uint8_t)spaces[space].space;
        else if (strcmp(opcode->words[i], "noftz") != 0 && known_word(opcode->words[i]) < 0) {
            if (operation)
                return decode_unknown(parser, statement);
            operation = opcode->words[i];
        }
    }
    bool cas = operation && strcmp(operation, "cas") == 0;
    unsigned operands = (red ? 2u : 3u) + cas;
    instruction->scalar = operation && opcode->type_count == 1 ? scalars_find(operation, type) : NULL;
    if (!instruction->scalar || opcode_has(opcode, "v2") || opcode_has(opcode, "v4") ||
        opcode_has(opcode, "v8"))
        return decode_unknown(parser, statement);
    if (decode_count(parser, statement, operands, operands))
        return -1;
    const struct operand *at = &statement->operands[!red];
    if (!red && decode_to(parser, &statement->operands[0], type, instruction))
        return -1;
    for (unsigned i = 1; i <= 1u + cas; i++)
        if (decode_from(parser, at + i, type, instruction))
            return -1;
    return address(parser, at, instruction) || add_site(parser, statement, instruction, 1) ? -1 : 0;
}

/* cvta.to.global.u64 d, a; cvta.global.u64 d, a; isspacep.shared p, a. mode 1: to the space, 0: from it. */
int decode_address(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct opcode *opcode = &statement->opcode;
    bool test = strcmp(opcode->mnemonic, "isspacep") == 0;
    enum ptx_type type = test ? PTX_U64 : decode_type(statement, 0);
    int space = -1;
    for (unsigned i = 0; i < opcode->word_count; i++)
        if (space < 0)
            space = space_word(opcode->words[i]);
    if (space < 0 || type != PTX_U64)
        return decode_unknown(parser, statement);
    if (decode_count(parser, statement, 2, 2) ||
        decode_to(parser, &statement->operands[0], test ? PTX_PRED : type, instruction) ||
        decode_from(parser, &statement->operands[1], type, instruction))
        return -1;
    instruction->execute = test ? execute_space_test : execute_address;
    instruction->type = (uint8_t)(test ? PTX_PRED : type);
    instruction->space = (uint8_t)spaces[space].space;
    instruction->mode = opcode_has(opcode, "to");
    instruction->rule = test ? AFFINE_NONE : AFFINE_COPY;
    return 0;
}

int decode_nothing(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    (void)parser;
    (void)statement;
    instruction->execute = execute_nothing;
    return 0;
}
