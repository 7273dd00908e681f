/* From the statement of an instruction to its compact form. */
#pragma once

#include "ptx/parser.h"

/* Adds the instruction. 0 or -1, said. */
int decode_statement(struct parser *parser, const struct statement *statement, const struct operand *guard);

/* Whether any form of the mnemonic is executed. */
bool decode_knows(const char *mnemonic);

/* Adds the return behind the last instruction of a function. */
int decode_return(struct parser *parser);

/* What a mnemonic's own decoder does: fills the instruction. The operands are read from the statement. */
typedef int decode_fn(struct parser *parser, const struct statement *statement,
                      struct instruction *instruction);

decode_fn decode_move, decode_convert, decode_compare, decode_select, decode_set, decode_slct,
    decode_predicates;
decode_fn decode_carry, decode_test;
decode_fn decode_load, decode_store, decode_atomic, decode_address, decode_nothing;
decode_fn decode_branch, decode_table_branch, decode_call, decode_leave, decode_barrier, decode_warp_barrier,
    decode_trap;
decode_fn decode_fence;
decode_fn decode_shuffle, decode_vote, decode_match, decode_active, decode_reduce, decode_elect;

/* A row of the table of lanes.h, with its operands: result from operands[0] on. */
int decode_lanes(struct parser *parser, const struct statement *statement, struct instruction *instruction);

/* Helpers: the statement has so many operands; a register to write; a value to read. 0 or -1, said. */
int decode_count(struct parser *parser, const struct statement *statement, unsigned least, unsigned most);
int decode_to(struct parser *parser, const struct operand *operand, enum ptx_type type,
              struct instruction *instruction);
int decode_from(struct parser *parser, const struct operand *operand, enum ptx_type type,
                struct instruction *instruction);
int decode_unknown(struct parser *parser, const struct statement *statement);
enum ptx_type decode_type(const struct statement *statement, unsigned index);
