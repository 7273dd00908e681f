#include "kernels/time/code_text.h"

#include <stdlib.h>

enum { MOST_TEXT = 1 << 20, MOST_CALLS = 32 };

void code_text_add(struct code_text *text, const struct machine_word *word)
{
    if (text->count == text->allocated && !text->failed) {
        uint32_t more = text->allocated ? 2 * text->allocated : 256;
        const struct machine_word **grown =
            more <= MOST_TEXT ? realloc(text->at, more * sizeof(void *)) : NULL;
        text->failed = !grown;
        if (grown) {
            text->at = grown;
            text->allocated = more;
        }
    }
    if (!text->failed)
        text->at[text->count++] = word;
}

/* `depth` bounds recursion. */
static void append_block(const struct code_graph *g, int block, struct code_text *text, int depth)
{
    for (uint32_t i = g->blocks[block].begin; i < g->blocks[block].end && !text->failed; i++) {
        code_text_add(text, &g->code[i].word);
        if (!code_graph_calls(g, i) || depth == MOST_CALLS)
            continue;
        int called = g->block_of[g->code[i].target];
        for (; called != CODE_NO_BLOCK; called = g->blocks[called].way_back)
            append_block(g, called, text, depth + 1);
    }
}

void code_text_append(struct code_text *text, const struct code_graph *graph, int block)
{
    append_block(graph, block, text, 0);
}

void code_text_free(struct code_text *text)
{
    free(text->at);
    *text = (struct code_text){0};
}
