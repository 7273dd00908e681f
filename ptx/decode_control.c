/* Branches, calls, barriers and what a warp does together. */
#include <string.h>

#include "ptx/decode.h"
#include "ptx/execute.h"

int decode_branch(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct operand *to = &statement->operands[0];
    if (decode_count(parser, statement, 1, 1))
        return -1;
    if (to->kind != OPERAND_NAME && !(to->kind == OPERAND_SYMBOL && to->symbol->kind == SYMBOL_LABEL))
        return parser_fail(parser, "bra needs a label");
    instruction->execute = execute_branch;
    instruction->flow = FLOW_BRANCH;
    return parser_want_label(parser, &to->name, (uint32_t)parser->program->instruction_count, 0);
}

int decode_table_branch(struct parser *parser, const struct statement *statement,
                        struct instruction *instruction)
{
    const struct operand *table = &statement->operands[1];
    if (decode_count(parser, statement, 2, 2))
        return -1;
    if (!opcode_has(&statement->opcode, "idx") || table->kind != OPERAND_SYMBOL ||
        table->symbol->kind != SYMBOL_TABLE)
        return decode_unknown(parser, statement);
    instruction->execute = execute_table_branch;
    instruction->flow = FLOW_TABLE;
    instruction->table = table->symbol->index;
    return decode_from(parser, &statement->operands[0], PTX_U32, instruction);
}

static int add_to_list(struct parser *parser, uint32_t value)
{
    struct ptx_program *program = parser->program;
    if (arena_grow((void **)&program->lists, program->list_count, &program->list_allocated,
                   sizeof *program->lists, 1 << 22))
        return parser_no_memory(parser);
    program->lists[program->list_count++] = value;
    return 0;
}

/* The memory of an argument: its offset and bytes join the list. */
static int argument(struct parser *parser, const struct operand *operand)
{
    if (operand->kind != OPERAND_SYMBOL || operand->symbol->kind != SYMBOL_LOCAL ||
        !operand->symbol->parameter)
        return parser_fail(parser, "arguments that are no .param variables are not executed yet");
    return add_to_list(parser, operand->symbol->index) || add_to_list(parser, operand->symbol->bytes) ? -1
                                                                                                      : 0;
}

static int add_callee(struct parser *parser, uint32_t callee)
{
    struct function *function = parser_function(parser);
    for (size_t i = 0; i < function->callee_count; i++)
        if (function->callees[i] == callee)
            return 0;
    if (arena_grow((void **)&function->callees, function->callee_count, &function->callee_allocated,
                   sizeof *function->callees, 1 << 16))
        return parser_no_memory(parser);
    function->callees[function->callee_count++] = callee;
    return 0;
}

/* call.uni (result), f, (arguments). The list: offset and bytes of the result (0, 0: none), number of arguments, offset
   and bytes of each. */
int decode_call(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct operand *operands = statement->operands;
    unsigned at = 0;
    const struct operand *result = NULL, *arguments = NULL;
    if (decode_count(parser, statement, 1, 4))
        return -1;
    if (operands[at].kind == OPERAND_LIST)
        result = &operands[at++];
    if (at == statement->count)
        return parser_fail(parser, "call without a function");
    const struct operand *callee = &operands[at++];
    if (at < statement->count && operands[at].kind == OPERAND_LIST)
        arguments = &operands[at++];
    if (callee->kind == OPERAND_REGISTER || at < statement->count)
        return parser_fail(parser, "calls through a pointer are not executed");
    if (callee->kind != OPERAND_SYMBOL || callee->symbol->kind != SYMBOL_FUNCTION)
        return parser_fail(parser, "%.*s is not declared",
                           (int)(callee->name.length < 100 ? callee->name.length : 100), callee->name.text);
    instruction->execute = execute_call;
    instruction->flow = FLOW_CALL;
    instruction->target = callee->symbol->index;
    instruction->table = (uint32_t)parser->program->list_count;
    if (result && result->count > 1)
        return decode_unknown(parser, statement);
    if (result && result->count) {
        if (argument(parser, &parser->elements[result->first]))
            return -1;
    } else {
        for (int word = 0; word < 2; word++) /* the offset and the bytes of none */
            if (add_to_list(parser, 0))
                return -1;
    }
    if (add_to_list(parser, arguments ? arguments->count : 0))
        return -1;
    for (unsigned i = 0; arguments && i < arguments->count; i++)
        if (argument(parser, &parser->elements[arguments->first + i]))
            return -1;
    return add_callee(parser, instruction->target);
}

int decode_leave(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    bool exits = strcmp(statement->opcode.mnemonic, "exit") == 0;
    instruction->execute = exits ? execute_exit : execute_return;
    instruction->flow = FLOW_RETURN;
    return decode_count(parser, statement, 0, 0);
}

int decode_trap(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    instruction->execute = execute_trap;
    return decode_count(parser, statement, 0, 0);
}

int decode_fence(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct opcode *opcode = &statement->opcode;
    if (opcode_has(opcode, "proxy") || opcode_has(opcode, "mbarrier_init"))
        return decode_unknown(parser, statement);
    instruction->execute = execute_fence;
    /* Of the block alone, or further. */
    instruction->mode = opcode_has(opcode, "cta") ? 0 : 1;
    return 0;
}

/* bar.sync a{, b}; bar.arrive a, b; bar.red.popc.u32 d, a{, b}, p; barrier.cta.sync.aligned ...; bar.warp.sync mask.
   mode: 's' sync, 'a' arrive, 'p' popc, '&', '|'. */
int decode_barrier(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct opcode *opcode = &statement->opcode;
    unsigned at = 0, count = statement->count;
    if (opcode_has(opcode, "warp"))
        return decode_warp_barrier(parser, statement, instruction);
    if (opcode_has(opcode, "cluster"))
        return decode_unknown(parser, statement);
    bool red = opcode_has(opcode, "red");
    instruction->execute = execute_barrier;
    instruction->flow = FLOW_BARRIER;
    instruction->mode = opcode_has(opcode, "arrive") ? 'a'
                        : !red                       ? 's'
                        : opcode_has(opcode, "popc") ? 'p'
                        : opcode_has(opcode, "and")  ? '&'
                                                     : '|';
    if (!red && instruction->mode == 's' && !opcode_has(opcode, "sync"))
        return decode_unknown(parser, statement);
    if (decode_count(parser, statement, red ? 3 : 1, red ? 4 : 2))
        return -1;
    if (red) {
        enum ptx_type type = instruction->mode == 'p' ? PTX_U32 : PTX_PRED;
        if (decode_to(parser, &statement->operands[at++], type, instruction))
            return -1;
        instruction->type = (uint8_t)type;
        count--;
    }
    if (decode_from(parser, &statement->operands[at++], PTX_U32, instruction))
        return -1;
    if (at < count && decode_from(parser, &statement->operands[at++], PTX_U32, instruction))
        return -1;
    instruction->boolean = (uint8_t)(instruction->from_count == 2); /* a number of threads is given */
    return red ? decode_from(parser, &statement->operands[statement->count - 1], PTX_PRED, instruction) : 0;
}

int decode_warp_barrier(struct parser *parser, const struct statement *statement,
                        struct instruction *instruction)
{
    instruction->execute = execute_warp_barrier;
    return decode_count(parser, statement, 1, 1)
               ? -1
               : decode_from(parser, &statement->operands[0], PTX_B32, instruction);
}

/* shfl.sync.down.b32 d|p, a, b, c, mask. */
int decode_shuffle(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct opcode *opcode = &statement->opcode;
    bool sync = opcode_has(opcode, "sync");
    const struct operand *to = &statement->operands[0];
    instruction->execute = execute_shuffle;
    instruction->type = PTX_B32;
    instruction->mode = opcode_has(opcode, "up")     ? 'u'
                        : opcode_has(opcode, "down") ? 'd'
                        : opcode_has(opcode, "bfly") ? 'b'
                                                     : 'i';
    if (decode_type(statement, 0) != PTX_B32 || (instruction->mode == 'i' && !opcode_has(opcode, "idx")))
        return decode_unknown(parser, statement);
    if (decode_count(parser, statement, sync ? 5 : 4, sync ? 5 : 4) ||
        decode_to(parser, to, PTX_B32, instruction))
        return -1;
    if (to->has_second) {
        if (to->second != NO_SLOT && to->second_type != PTX_PRED)
            return parser_fail(parser, "the second result of shfl is no predicate");
        instruction->to[instruction->to_count++] = to->second;
        instruction->second_is_predicate = true;
    }
    for (unsigned i = 1; i < statement->count; i++)
        if (decode_from(parser, &statement->operands[i], PTX_B32, instruction))
            return -1;
    return 0;
}

/* vote.sync.ballot.b32 d, p, mask; vote.sync.any.pred p, q, mask. mode: 'b', 'a' all, 'o' any, 'u' uni. */
int decode_vote(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct opcode *opcode = &statement->opcode;
    bool sync = opcode_has(opcode, "sync"), ballot = opcode_has(opcode, "ballot");
    enum ptx_type type = ballot ? PTX_B32 : PTX_PRED;
    instruction->execute = execute_vote;
    instruction->type = (uint8_t)type;
    instruction->mode = ballot                      ? 'b'
                        : opcode_has(opcode, "all") ? 'a'
                        : opcode_has(opcode, "any") ? 'o'
                                                    : 'u';
    return decode_count(parser, statement, sync ? 3 : 2, sync ? 3 : 2) ||
                   decode_to(parser, &statement->operands[0], type, instruction) ||
                   decode_from(parser, &statement->operands[1], PTX_PRED, instruction) ||
                   (sync && decode_from(parser, &statement->operands[2], PTX_B32, instruction))
               ? -1
               : 0;
}

/* match.any.sync.b32 d, a, mask; match.all.sync.b32 d|p, a, mask. */
int decode_match(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    enum ptx_type type = decode_type(statement, 0);
    const struct operand *to = &statement->operands[0];
    if (type != PTX_B32 && type != PTX_B64)
        return decode_unknown(parser, statement);
    instruction->execute = execute_match;
    instruction->type = PTX_B32;
    instruction->source_type = (uint8_t)type;
    instruction->mode = opcode_has(&statement->opcode, "all") ? 'a' : 'o';
    if (decode_count(parser, statement, 3, 3) || decode_to(parser, to, PTX_B32, instruction))
        return -1;
    if (to->has_second) {
        if (to->second != NO_SLOT && to->second_type != PTX_PRED)
            return parser_fail(parser, "the second result of match is no predicate");
        instruction->to[instruction->to_count++] = to->second;
        instruction->second_is_predicate = true;
    }
    return decode_from(parser, &statement->operands[1], type, instruction) ||
                   decode_from(parser, &statement->operands[2], PTX_B32, instruction)
               ? -1
               : 0;
}

int decode_active(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    instruction->execute = execute_active;
    instruction->type = PTX_B32;
    return decode_count(parser, statement, 1, 1)
               ? -1
               : decode_to(parser, &statement->operands[0], PTX_B32, instruction);
}

/* redux.sync.add.u32 d, a, mask. */
int decode_reduce(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    static const char *const operations[] = {"add", "min", "max", "and", "or", "xor"};
    enum ptx_type type = decode_type(statement, 0);
    size_t i = 0;
    while (i < 6 && !opcode_has(&statement->opcode, operations[i]))
        i++;
    if (i == 6 || (type != PTX_U32 && type != PTX_S32 && type != PTX_B32))
        return decode_unknown(parser, statement);
    instruction->execute = execute_reduce;
    instruction->type = (uint8_t)type;
    instruction->mode = (uint8_t)i;
    return decode_count(parser, statement, 3, 3) ||
                   decode_to(parser, &statement->operands[0], type, instruction) ||
                   decode_from(parser, &statement->operands[1], type, instruction) ||
                   decode_from(parser, &statement->operands[2], PTX_B32, instruction)
               ? -1
               : 0;
}

/* elect.sync d|p, mask. */
int decode_elect(struct parser *parser, const struct statement *statement, struct instruction *instruction)
{
    const struct operand *to = &statement->operands[0];
    instruction->execute = execute_elect;
    instruction->type = PTX_B32;
    if (decode_count(parser, statement, 2, 2))
        return -1;
    if (!to->has_second || (to->second != NO_SLOT && to->second_type != PTX_PRED))
        return parser_fail(parser, "elect has two results");
    if (decode_to(parser, to, PTX_B32, instruction))
        return -1;
    instruction->to[instruction->to_count++] = to->second;
    instruction->second_is_predicate = true;
    return decode_from(parser, &statement->operands[1], PTX_B32, instruction);
}
