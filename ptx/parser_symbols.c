/* Names: a hash table in which the innermost declaration comes first, and branches to labels. */
#include "ptx/parser.h"

#include <ctype.h>
#include <string.h>

#include "base/hash.h"

static uint32_t bucket_of(const char *name, size_t length)
{
    uint64_t hash = hash_bytes(name, length);
    return (uint32_t)(hash ^ hash >> 32) % SYMBOL_BUCKETS;
}

static const struct symbol *lookup(const struct parser *parser, const char *name, size_t length)
{
    int32_t at = parser->buckets[bucket_of(name, length)];
    while (at) {
        const struct symbol *symbol = &parser->symbols[at - 1];
        if (symbol->length == length && memcmp(symbol->name, name, length) == 0)
            return symbol;
        at = symbol->next;
    }
    return NULL;
}

struct symbol *parser_declare(struct parser *parser, const struct lexer_token *name, enum symbol_kind kind)
{
    const struct symbol *known = lookup(parser, name->text, name->length);
    if (known && known->depth == parser->depth) {
        parser_fail(parser, "%.*s is declared twice", (int)(name->length < 100 ? name->length : 100),
                    name->text);
        return NULL;
    }
    if (arena_grow((void **)&parser->symbols, parser->symbol_count, &parser->symbol_allocated,
                   sizeof *parser->symbols, SYMBOLS_MAX)) {
        parser_no_memory(parser);
        return NULL;
    }
    uint32_t bucket = bucket_of(name->text, name->length);
    struct symbol *symbol = &parser->symbols[parser->symbol_count];
    *symbol = (struct symbol){.name = name->text,
                              .length = name->length,
                              .kind = kind,
                              .depth = parser->depth,
                              .next = parser->buckets[bucket],
                              .bucket = bucket};
    parser->buckets[bucket] = (int32_t)++parser->symbol_count;
    return symbol;
}

const struct symbol *parser_find(struct parser *parser, const char *name, size_t length, uint32_t *number)
{
    *number = 0;
    const struct symbol *symbol = lookup(parser, name, length);
    if (symbol && symbol->count <= 1)
        return symbol;
    size_t stem = length;
    while (stem > 0 && isdigit((unsigned char)name[stem - 1]))
        stem--;
    if (stem == length || length - stem > 7 || (name[stem] == '0' && length - stem > 1))
        return NULL;
    uint32_t value = 0;
    for (size_t i = stem; i < length; i++)
        value = value * 10 + (uint32_t)(name[i] - '0');
    symbol = lookup(parser, name, stem);
    if (!symbol || symbol->kind != SYMBOL_REGISTER || value >= symbol->count)
        return NULL;
    *number = value;
    return symbol;
}

int parser_open_scope(struct parser *parser)
{
    if (parser->depth + 1 >= SCOPES_MAX)
        return parser_fail(parser, "more than %d scopes in each other", SCOPES_MAX);
    parser->depth++;
    return 0;
}

static void set_label(struct parser *parser, const struct pending_label *label, uint32_t instruction)
{
    if (label->instruction != NO_SLOT)
        parser->program->instructions[label->instruction].target = instruction;
    else
        parser->program->lists[label->element] = instruction;
}

/* Labels that are wanted in this scope and are in it, or in one around it later. */
static int resolve_labels(struct parser *parser)
{
    size_t kept = parser->label_count;
    while (kept > 0 && parser->labels[kept - 1].depth >= parser->depth)
        kept--;
    size_t end = parser->label_count;
    for (size_t i = kept; i < end; i++) {
        struct pending_label label = parser->labels[i];
        const struct symbol *symbol = lookup(parser, label.name, label.length);
        if (symbol && symbol->kind == SYMBOL_LABEL && symbol->depth == parser->depth) {
            set_label(parser, &label, symbol->index);
            continue;
        }
        if (parser->depth == 1) {
            parser_fail(parser, "the label %.*s of line %d is not there",
                        (int)(label.length < 100 ? label.length : 100), label.name, label.line);
            return -1;
        }
        label.depth = parser->depth - 1;
        parser->labels[kept++] = label;
    }
    parser->label_count = kept;
    return 0;
}

static void pop_scope(struct parser *parser)
{
    while (parser->symbol_count && parser->symbols[parser->symbol_count - 1].depth == parser->depth) {
        const struct symbol *symbol = &parser->symbols[--parser->symbol_count];
        parser->buckets[symbol->bucket] = symbol->next;
    }
    parser->depth--;
}

int parser_close_scope(struct parser *parser)
{
    if (resolve_labels(parser))
        return -1;
    pop_scope(parser);
    return 0;
}

void parser_drop_scopes(struct parser *parser)
{
    while (parser->depth)
        pop_scope(parser);
    parser->label_count = 0;
}

int parser_want_label(struct parser *parser, const struct lexer_token *name, uint32_t instruction,
                      uint32_t element)
{
    if (arena_grow((void **)&parser->labels, parser->label_count, &parser->label_allocated,
                   sizeof *parser->labels, PTX_INSTRUCTIONS_MAX))
        return parser_no_memory(parser);
    parser->labels[parser->label_count++] = (struct pending_label){
        .name = name->text,
        .length = name->length,
        .instruction = instruction,
        .element = element,
        .depth = parser->depth,
        .line = name->line,
    };
    return 0;
}
