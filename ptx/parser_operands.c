/* Operands, and the slots that hold their values. */
#include "ptx/parser.h"

#include <string.h>

#include "base/hash.h"
#include "ptx/special.h"

int parser_constant(struct parser *parser, struct constant constant, uint32_t *slot)
{
    struct function *function = parser_function(parser);
    uint64_t key[] = {constant.units, constant.what, (uint64_t)constant.variable, constant.bits};
    uint32_t *cached = &parser->constant_cache[hash_bytes(key, sizeof key) % 1024];
    if (*cached && *cached <= function->constant_count) {
        const struct constant *known = &function->constants[*cached - 1];
        if (known->units == constant.units && known->what == constant.what &&
            known->variable == constant.variable && known->bits == constant.bits) {
            *slot = known->slot;
            return 0;
        }
    }
    if (arena_grow((void **)&function->constants, function->constant_count, &function->constant_allocated,
                   sizeof *function->constants, PTX_REGISTERS_MAX))
        return parser_no_memory(parser);
    constant.slot = function->slots;
    function->slots += constant.units;
    function->constants[function->constant_count++] = constant;
    *cached = (uint32_t)function->constant_count;
    *slot = constant.slot;
    return 0;
}

static int use_special(struct parser *parser, enum special_register special, enum ptx_type type,
                       uint32_t *slot)
{
    struct function *function = parser_function(parser);
    for (size_t i = 0; i < function->special_count; i++)
        if (function->specials[i].special == special) {
            *slot = function->specials[i].slot;
            return 0;
        }
    if (arena_grow((void **)&function->specials, function->special_count, &function->special_allocated,
                   sizeof *function->specials, SPECIAL_REGISTERS))
        return parser_no_memory(parser);
    function->specials[function->special_count++] =
        (struct special_use){function->slots, (uint8_t)ptx_type_units(type), (uint8_t)special};
    *slot = function->slots;
    function->slots += ptx_type_units(type);
    return 0;
}

static int special_operand(struct parser *parser, const struct lexer_token *name, struct operand *operand)
{
    enum special_register special = special_register_of(name->text, name->length);
    if (special == SPECIAL_NONE)
        return 0;
    operand->kind = OPERAND_REGISTER;
    operand->type = special_registers[special].type;
    if (special_registers[special].changes) {
        operand->special = (int)special;
        operand->slot = NO_SLOT;
        return 0;
    }
    return use_special(parser, special, operand->type, &operand->slot);
}

/* A register, special register, symbol or a name of something to come. */
static int name_operand(struct parser *parser, struct operand *operand)
{
    const struct lexer_token name = parser->lexer.token;
    uint32_t number;
    lexer_next(&parser->lexer);
    operand->name = name;
    if (name.length == 1 && *name.text == '_') {
        operand->kind = OPERAND_SINK;
        operand->slot = NO_SLOT;
        return 0;
    }
    const struct symbol *symbol = parser_find(parser, name.text, name.length, &number);
    if (symbol && symbol->kind == SYMBOL_REGISTER) {
        operand->kind = OPERAND_REGISTER;
        operand->type = symbol->type;
        unsigned units = ptx_type_units(symbol->type);
        operand->slot = symbol->index + number * (units ? units : 1);
        return 0;
    }
    if (symbol) {
        operand->kind = OPERAND_SYMBOL;
        operand->symbol = symbol;
        return 0;
    }
    if (name.length == strlen("WARP_SZ") && memcmp(name.text, "WARP_SZ", name.length) == 0) {
        operand->kind = OPERAND_BITS; /* a number of the language */
        operand->bits = LANES;
        return 0;
    }
    operand->kind = OPERAND_NAME;
    if (*name.text == '%')
        return special_operand(parser, &name, operand);
    return 0;
}

/* + or - and an integer, any number of times. */
static int offset_of(struct parser *parser, uint64_t *offset)
{
    while (lexer_is_mark(&parser->lexer, '+') || lexer_is_mark(&parser->lexer, '-')) {
        int64_t value;
        parser_has_mark(parser, '+');
        if (parser_integer(parser, &value))
            return -1;
        *offset += (uint64_t)value;
    }
    return 0;
}

static int address_operand(struct parser *parser, struct operand *operand)
{
    struct operand base = {.special = -1};
    uint64_t offset = 0;
    if (parser->lexer.token.kind == TOKEN_WORD) {
        if (name_operand(parser, &base))
            return -1;
        if (base.kind == OPERAND_NAME)
            return parser_fail(parser, "%.*s is not declared",
                               (int)(base.name.length < 100 ? base.name.length : 100), base.name.text);
        if (base.kind == OPERAND_SINK || base.special >= 0 ||
            (base.kind == OPERAND_REGISTER && (base.type == PTX_PRED || ptx_types[base.type].bytes < 4)))
            return parser_fail(parser, "this cannot be an address");
    } else {
        int64_t value;
        if (parser_integer(parser, &value))
            return -1;
        offset = (uint64_t)value;
    }
    if (offset_of(parser, &offset) || parser_mark(parser, ']'))
        return -1;
    operand->kind = OPERAND_ADDRESS;
    operand->symbol = base.kind == OPERAND_SYMBOL ? base.symbol : NULL;
    operand->name = base.name;
    operand->base = base.kind == OPERAND_REGISTER && base.name.length ? base.slot : NO_SLOT;
    operand->base_units = operand->base == NO_SLOT ? 0 : (uint8_t)ptx_type_units(base.type);
    operand->offset = (int64_t)offset;
    return 0;
}

static int list_operand(struct parser *parser, struct operand *operand, char end)
{
    struct operand elements[8];
    unsigned count = 0;
    bool vector = end == '}';
    operand->first = parser->element_count;
    if (!vector && parser_has_mark(parser, ')')) {
        operand->kind = OPERAND_LIST;
        return 0;
    }
    do {
        struct operand element;
        if (vector && count == 8)
            return parser_fail(parser, "vectors of more than 8 elements are not executed");
        if (!lexer_is_mark(&parser->lexer, '{') && !lexer_is_mark(&parser->lexer, '(')) {
            if (parser_operand(parser, &element))
                return -1;
        } else {
            return parser_fail(parser, "lists in each other are not executed");
        }
        if (vector) {
            elements[count] = element;
        } else {
            if (parser->element_count == ELEMENTS_MAX)
                return parser_fail(parser, "more than %d arguments", ELEMENTS_MAX);
            parser->elements[parser->element_count++] = element;
        }
        count++;
    } while (parser_has_mark(parser, ','));
    if (parser_mark(parser, end))
        return -1;
    for (unsigned i = 0; vector && i < count; i++) {
        if (parser->element_count == ELEMENTS_MAX)
            return parser_fail(parser, "more than %d elements", ELEMENTS_MAX);
        parser->elements[parser->element_count++] = elements[i];
    }
    operand->kind = vector ? OPERAND_VECTOR : OPERAND_LIST;
    operand->count = count;
    return 0;
}

static int number_operand(struct parser *parser, struct operand *operand, bool minus)
{
    const struct lexer_token *token = &parser->lexer.token;
    static const enum operand_kind kinds[] = {
        [TOKEN_NUMBER] = OPERAND_BITS, [TOKEN_FLOAT] = OPERAND_FLOAT, [TOKEN_DOUBLE] = OPERAND_DOUBLE};
    if (token->kind != TOKEN_NUMBER && token->kind != TOKEN_FLOAT && token->kind != TOKEN_DOUBLE)
        return parser_fail(parser, "%.*s where an operand should be",
                           (int)(token->length < 40 ? token->length : 40), token->text);
    operand->kind = kinds[token->kind];
    operand->bits = token->bits;
    if (minus)
        operand->bits = token->kind == TOKEN_NUMBER  ? 0 - operand->bits
                        : token->kind == TOKEN_FLOAT ? operand->bits ^ UINT64_C(1) << 31
                                                     : operand->bits ^ UINT64_C(1) << 63;
    lexer_next(&parser->lexer);
    return 0;
}

int parser_operand(struct parser *parser, struct operand *operand)
{
    *operand = (struct operand){.special = -1, .base = NO_SLOT, .slot = NO_SLOT};
    if (parser_has_mark(parser, '['))
        return address_operand(parser, operand);
    if (parser_has_mark(parser, '{'))
        return list_operand(parser, operand, '}');
    if (parser_has_mark(parser, '('))
        return list_operand(parser, operand, ')');
    operand->negated = parser_has_mark(parser, '!');
    if (parser->lexer.token.kind != TOKEN_WORD) {
        bool minus = parser_has_mark(parser, '-');
        if (operand->negated)
            return parser_fail(parser, "! belongs to a predicate");
        return number_operand(parser, operand, minus);
    }
    if (name_operand(parser, operand))
        return -1;
    if (operand->kind == OPERAND_SYMBOL && offset_of(parser, &operand->bits))
        return -1;
    if (operand->negated && (operand->kind != OPERAND_REGISTER || operand->type != PTX_PRED))
        return parser_fail(parser, "! belongs to a predicate");
    if (parser_has_mark(parser, '|')) {
        struct operand second = {.special = -1};
        if (parser->lexer.token.kind != TOKEN_WORD || name_operand(parser, &second))
            return parser_fail(parser, "a register is missing behind |");
        if ((second.kind != OPERAND_REGISTER && second.kind != OPERAND_SINK) || second.special >= 0)
            return parser_fail(parser, "a register is missing behind |");
        operand->has_second = true;
        operand->second = second.slot;
        operand->second_type = second.kind == OPERAND_SINK ? PTX_NO_TYPE : second.type;
    }
    return 0;
}

/* The bits of a number as a value of the type. */
static uint64_t bits_as(const struct operand *operand, enum ptx_type type)
{
    uint64_t bits = operand->bits;
    if (operand->kind == OPERAND_FLOAT && type == PTX_F64)
        bits = lanes_f64_bits((double)lanes_f32((uint32_t)bits));
    if (operand->kind == OPERAND_DOUBLE && (ptx_types[type].bytes == 4 || type == PTX_F32))
        bits = lanes_f32_bits((float)lanes_f64(bits));
    unsigned bytes = ptx_types[type].bytes;
    return bytes < 8 ? bits & ((UINT64_C(1) << bytes * 8) - 1) : bits;
}

/* The address of a symbol as a value. */
static int symbol_slot(struct parser *parser, const struct operand *operand, unsigned units, uint32_t *slot)
{
    const struct symbol *symbol = operand->symbol;
    struct constant constant = {.units = (uint8_t)units, .bits = operand->bits};
    if (symbol->kind == SYMBOL_VARIABLE) {
        constant.what = CONSTANT_VARIABLE;
        constant.variable = (int)symbol->index;
    } else if (symbol->kind == SYMBOL_LOCAL) {
        constant.what = CONSTANT_LOCAL;
        constant.bits += symbol->index;
    } else if (symbol->kind == SYMBOL_PARAMETER) {
        constant.what = CONSTANT_BITS;
        constant.bits += symbol->index;
    } else {
        return parser_fail(parser, symbol->kind == SYMBOL_FUNCTION ? "function pointers are not executed"
                                                                   : "a label is no value");
    }
    return parser_constant(parser, constant, slot);
}

int parser_slot(struct parser *parser, const struct operand *operand, enum ptx_type type, uint32_t *slot)
{
    unsigned units = ptx_type_units(type);
    switch (operand->kind) {
    case OPERAND_REGISTER:
        if (operand->special >= 0)
            return parser_fail(parser, "%%clock and its like are read by mov alone");
        if ((type == PTX_PRED) != (operand->type == PTX_PRED) || ptx_type_units(operand->type) != units)
            return parser_fail(parser, "%.*s is .%s, not .%s",
                               (int)(operand->name.length < 60 ? operand->name.length : 60),
                               operand->name.text, ptx_types[operand->type].name, ptx_types[type].name);
        *slot = operand->slot;
        return 0;
    case OPERAND_BITS:
    case OPERAND_FLOAT:
    case OPERAND_DOUBLE:
        if (type == PTX_PRED) /* the two constant predicates, see launch_frame.c */
            *slot = operand->bits ? 1 : 0;
        else
            return parser_constant(parser,
                                   (struct constant){.units = (uint8_t)units,
                                                     .what = CONSTANT_BITS,
                                                     .bits = bits_as(operand, type)},
                                   slot);
        return 0;
    case OPERAND_SYMBOL:
        if (type == PTX_PRED)
            return parser_fail(parser, "an address is no predicate");
        return symbol_slot(parser, operand, units, slot);
    case OPERAND_NAME:
        return parser_fail(parser, "%.*s is not known",
                           (int)(operand->name.length < 100 ? operand->name.length : 100),
                           operand->name.text);
    default:
        return parser_fail(parser, "this cannot be a value");
    }
}
