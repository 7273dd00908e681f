#include "kernels/time/code_reader.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/time/code_loops.h"

static uint32_t count_words(const struct code_text *text, bool (*is)(const struct machine_word *))
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < text->count; i++)
        count += is(text->at[i]);
    return count;
}

static bool is_global_store(const struct machine_word *word)
{
    return code_word_is_global(word) && word->kind == MACHINE_STORE;
}

/* What comes behind the last barrier and the first way out after it: only those warps take it that have something to
   store. */
static void read_last_part(struct code *code, const struct code_text *text)
{
    uint32_t begin = text->count, barrier = text->count, stores = 0;
    for (uint32_t i = 0; i < text->count; i++)
        if (text->at[i]->flow == MACHINE_BARRIER)
            barrier = i;
    for (uint32_t i = barrier; i < text->count && begin == text->count; i++) {
        const struct machine_word *word = text->at[i];
        bool leaves = word->flow == MACHINE_EXIT || word->flow == MACHINE_BRANCH;
        if (leaves && !word->always)
            begin = i + 1;
    }
    for (uint32_t i = begin; i < text->count; i++)
        stores += is_global_store(text->at[i]);
    if (!stores)
        return;
    code->last_instructions = text->count - begin;
    code->last_cycles = code_pace_cycles(text, text->count) - code_pace_cycles(text, begin);
    code->last_stores = stores;
}

/* Bytes of a thread in local memory, outside of loops: what a loop spills cannot be counted. */
static int read_local(struct code *code, const struct code_graph *graph, const struct code_text *text,
                      struct error *error)
{
    for (int k = 0; k < graph->loop_count; k++)
        for (int b = 0; b < graph->block_count; b++) {
            struct code_text block = {0};
            bool spills = false;
            if (!graph->loops[k].blocks.has[b])
                continue;
            code_text_append(&block, graph, b);
            for (uint32_t i = 0; i < block.count; i++)
                spills |= block.at[i]->space == MACHINE_LOCAL;
            code_text_free(&block);
            if (spills)
                return error_set(error, ERROR_INVALID, "a loop uses local memory, which is not counted");
        }
    for (uint32_t i = 0; i < text->count; i++) {
        const struct machine_word *word = text->at[i];
        code->local_load_bytes +=
            word->space == MACHINE_LOCAL && word->kind == MACHINE_LOAD ? word->bytes : 0;
        code->local_store_bytes +=
            word->space == MACHINE_LOCAL && word->kind == MACHINE_STORE ? word->bytes : 0;
    }
    return 0;
}

static void read_straight(struct code *code, const struct code_text *text)
{
    struct code_pace pace = code_pace_straight(text);
    code->instructions = text->count;
    code->waits = pace.waits;
    code->cycles = pace.cycles;
    code->doubles = count_words(text, code_pieces_is_double);
    code->loads = count_words(text, code_word_is_load);
    code->barriers = count_words(text, code_pieces_is_barrier);
    read_last_part(code, text);
}

static int read_all(struct code *code, const struct code_graph *graph, struct code_pieces *pieces,
                    struct error *error)
{
    struct code_text text = {0};
    int way[CODE_BLOCKS_MAX];
    int count = code_loops_read(code, graph, pieces, way);
    for (int k = 0; k < count; k++)
        code_text_append(&text, graph, way[k]);
    int result = text.failed ? error_set(error, ERROR_MEMORY, "no memory for a kernel's machine code") : 0;
    if (result == 0) {
        read_straight(code, &text);
        result = read_local(code, graph, &text, error);
    }
    code_text_free(&text);
    return result;
}

int code_reader_read(struct code *code, const struct cubin_entry *entry, struct error *error)
{
    struct code_graph graph;
    struct code_pieces pieces = {0};
    *code = (struct code){.registers = entry->registers,
                          .local_bytes = entry->local_bytes,
                          .constant_bytes = entry->constant_bytes};
    int result = code_graph_build(&graph, entry, error);
    if (result == 0)
        result = code_pieces_find(&pieces, &graph, error);
    if (result == 0)
        result = read_all(code, &graph, &pieces, error);
    code_pieces_free(&pieces);
    code_graph_free(&graph);
    return result;
}
