/* What the files of the parser share: the state, names and their scopes, operands. */
#pragma once

#include "ptx/lexer.h"
#include "ptx/program.h"

enum symbol_kind {
    SYMBOL_REGISTER,  /* `count` of them where names are numbered: %r<12> */
    SYMBOL_VARIABLE,  /* index: the module's variable */
    SYMBOL_PARAMETER, /* of an entry; index: byte of the parameters */
    SYMBOL_LOCAL,     /* in a thread's memory: .local, or .param of a call or of a device function */
    SYMBOL_FUNCTION,
    SYMBOL_LABEL,
    SYMBOL_TABLE /* .branchtargets; index into program.lists */
};

struct symbol {
    const char *name; /* into the text */
    size_t length;
    enum symbol_kind kind;
    enum ptx_type type;
    uint32_t index, count;
    uint32_t bytes; /* of SYMBOL_LOCAL and SYMBOL_PARAMETER */
    bool parameter; /* SYMBOL_LOCAL is .param */
    unsigned depth;
    int32_t next; /* in its bucket */
    uint32_t bucket;
};

enum { SYMBOL_BUCKETS = 4096, SYMBOLS_MAX = 1 << 20, SCOPES_MAX = 256 };

/* A branch to a label that was not seen yet. */
struct pending_label {
    const char *name;
    size_t length;
    uint32_t instruction; /* whose target it is; NO_SLOT: it is an element of a list */
    uint32_t element;     /* index into program.lists */
    unsigned depth;
    int line;
};

enum operand_kind {
    OPERAND_REGISTER,
    OPERAND_BITS,   /* an integer */
    OPERAND_FLOAT,  /* bits of an f32 */
    OPERAND_DOUBLE, /* bits of an f64 */
    OPERAND_SYMBOL, /* a variable, parameter, function or label; `bits` is added */
    OPERAND_ADDRESS,
    OPERAND_VECTOR,
    OPERAND_LIST, /* in parentheses */
    OPERAND_NAME, /* a name that is not declared (yet) */
    OPERAND_SINK  /* _ */
};

struct operand {
    enum operand_kind kind;
    enum ptx_type type; /* of a register */
    uint32_t slot;      /* of a register; predicate */
    bool negated;       /* !%p */
    uint64_t bits;
    const struct symbol *symbol; /* valid until the scope ends or another symbol is declared */
    struct lexer_token name;
    int special; /* -1, else enum special_register of a register that is read when executed */
    /* OPERAND_ADDRESS: base is NO_SLOT, or a register */
    uint32_t base;
    uint8_t base_units;
    int64_t offset;
    uint32_t first; /* OPERAND_VECTOR, OPERAND_LIST: elements in parser.elements */
    uint32_t count;
    bool has_second; /* a|b */
    uint32_t second; /* slot */
    enum ptx_type second_type;
};

/* An opcode in parts. */
struct opcode {
    const char *text; /* all of it, in the arena */
    char mnemonic[24];
    char words[8][24]; /* that are neither types nor what follows */
    unsigned word_count;
    enum ptx_type types[4];
    unsigned type_count;
    enum lanes_rounding rounding;
    bool to_integer; /* .rni and so on */
    bool flush, saturate, approximate;
};

enum { ARGUMENTS_MAX = 8, ELEMENTS_MAX = 512 };

struct statement {
    struct opcode opcode;
    struct operand operands[ARGUMENTS_MAX];
    unsigned count;
};

struct parser {
    struct lexer lexer;
    struct ptx_problem *problem;
    bool failed;
    struct ptx_module *module;
    struct ptx_program *program;
    struct ptx_function *functions; /* the module's, while it grows */
    size_t function_allocated, function_space;
    struct ptx_variable *variables;
    size_t variable_allocated;
    uint64_t variable_bytes;
    struct ptx_site *sites;
    size_t site_allocated;
    struct ptx_position *positions;
    size_t position_allocated;
    const char **files;
    size_t file_allocated;
    struct symbol *symbols;
    size_t symbol_count, symbol_allocated;
    int32_t buckets[SYMBOL_BUCKETS]; /* index + 1 */
    unsigned depth;
    struct pending_label *labels;
    size_t label_count, label_allocated;
    int function; /* that is being read; -1 */
    struct ptx_position position;
    uint32_t line; /* index of the position in program.lines, NO_SLOT where it is not there yet */
    struct operand elements[ELEMENTS_MAX];
    uint32_t element_count;
    uint32_t constant_cache[1024]; /* by hash: index + 1 into the function's constants */
    uint16_t lanes_index[2048];    /* by hash: number + 1 of a row */
    bool lanes_indexed;
};

/* Says what is wrong, at the current token's line; the first one stays. Always -1. */
int parser_fail(struct parser *parser, const char *format, ...) __attribute__((format(printf, 2, 3)));
int parser_no_memory(struct parser *parser);

/* The token must be this mark or word, and is passed. 0 or -1. */
int parser_mark(struct parser *parser, char mark);

/* True, and passes it, when the token is this mark or word. */
bool parser_has_mark(struct parser *parser, char mark);
bool parser_has_word(struct parser *parser, const char *word);

/* An integer, with its sign. 0 or -1. */
int parser_integer(struct parser *parser, int64_t *value);

/* The function that is being read. */
static inline struct function *parser_function(struct parser *parser)
{
    return &parser->program->functions[parser->function];
}

/* parser_symbols.c. NULL when there is no memory, or the name is already there in this scope (said). */
struct symbol *parser_declare(struct parser *parser, const struct lexer_token *name, enum symbol_kind kind);
/* The innermost; of numbered registers, *number is which one. NULL. */
const struct symbol *parser_find(struct parser *parser, const char *name, size_t length, uint32_t *number);
int parser_open_scope(struct parser *parser);
int parser_close_scope(struct parser *parser);
/* All but the module's, with the labels that are wanted in them. */
void parser_drop_scopes(struct parser *parser);
/* The label is meant by an instruction's target, or by an element of program.lists. */
int parser_want_label(struct parser *parser, const struct lexer_token *name, uint32_t instruction,
                      uint32_t element);

/* parser_variables.c: .reg, and variables in all spaces, from the directive's name on. */
int parser_registers(struct parser *parser);
int parser_variable(struct parser *parser, bool external);
/* The type, alignment and name of a parameter, from behind .param; adds up *bytes. */
int parser_parameter(struct parser *parser, struct ptx_parameter *parameter, struct lexer_token *name,
                     uint32_t *bytes);

/* parser_operands.c */
int parser_operand(struct parser *parser, struct operand *operand);
/* A slot that holds the operand as a value of a type: a register, or a constant. */
int parser_slot(struct parser *parser, const struct operand *operand, enum ptx_type type, uint32_t *slot);
int parser_constant(struct parser *parser, struct constant constant, uint32_t *slot);

/* parser_opcode.c */
int parser_opcode(struct parser *parser, const struct lexer_token *token, struct opcode *opcode);
bool opcode_has(const struct opcode *opcode, const char *word);

/* parser_statements.c: up to the closing brace of a function. */
int parser_statements(struct parser *parser);

/* parser_functions.c: from .entry or .func on. */
int parser_read_function(struct parser *parser, bool entry);
int parser_function_of(struct parser *parser, const struct lexer_token *name);
