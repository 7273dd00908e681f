/* Splits ld.global.nc.v4.f32 into its parts. */
#include "ptx/parser.h"

#include <string.h>

static const struct {
    const char *name;
    enum lanes_rounding rounding;
    bool to_integer;
} roundings[] = {
    {"rn", ROUND_NEAREST, false}, {"rz", ROUND_ZERO, false},  {"rm", ROUND_DOWN, false},
    {"rp", ROUND_UP, false},      {"rna", ROUND_AWAY, false}, {"rni", ROUND_NEAREST, true},
    {"rzi", ROUND_ZERO, true},    {"rmi", ROUND_DOWN, true},  {"rpi", ROUND_UP, true},
};

static bool same(const char *part, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(part, name, length) == 0;
}

static bool rounding_part(struct opcode *opcode, const char *part, size_t length)
{
    for (size_t i = 0; i < sizeof roundings / sizeof *roundings; i++)
        if (same(part, length, roundings[i].name)) {
            opcode->rounding = roundings[i].rounding;
            opcode->to_integer = roundings[i].to_integer;
            return true;
        }
    return false;
}

static bool flag_part(struct opcode *opcode, const char *part, size_t length)
{
    struct {
        const char *name;
        bool *flag;
    } flags[] = {{"ftz", &opcode->flush},
                 {"sat", &opcode->saturate},
                 {"approx", &opcode->approximate},
                 {"full", &opcode->approximate}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (same(part, length, flags[i].name)) {
            *flags[i].flag = true;
            return true;
        }
    return false;
}

int parser_opcode(struct parser *parser, const struct lexer_token *token, struct opcode *opcode)
{
    const char *at = token->text, *end = token->text + token->length;
    *opcode = (struct opcode){0};
    if (token->length > 160)
        return parser_fail(parser, "an opcode of %zu characters", token->length);
    opcode->text = arena_text(&parser->program->arena, token->text, token->length);
    if (!opcode->text)
        return parser_no_memory(parser);
    for (bool first = true; at < end; first = false) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        size_t length = (size_t)((dot ? dot : end) - at);
        if (length >= sizeof opcode->mnemonic)
            return parser_fail(parser, "%s is not known", opcode->text);
        enum ptx_type type = first ? PTX_NO_TYPE : ptx_type_of(at, length);
        if (first) {
            memcpy(opcode->mnemonic, at, length);
        } else if (type != PTX_NO_TYPE) {
            if (opcode->type_count == 4)
                return parser_fail(parser, "%s is not executed yet", opcode->text);
            opcode->types[opcode->type_count++] = type;
        } else if (!rounding_part(opcode, at, length) && !flag_part(opcode, at, length)) {
            if (opcode->word_count == 8)
                return parser_fail(parser, "%s is not executed yet", opcode->text);
            memcpy(opcode->words[opcode->word_count++], at, length);
        }
        at += length + 1;
    }
    return 0;
}

bool opcode_has(const struct opcode *opcode, const char *word)
{
    for (unsigned i = 0; i < opcode->word_count; i++)
        if (strcmp(opcode->words[i], word) == 0)
            return true;
    return false;
}
