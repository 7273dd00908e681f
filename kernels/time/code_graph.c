#include "kernels/time/code_graph.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TEXT = 1 << 20 };

/* ---- blocks and edges ---- */

bool code_word_is_global(const struct machine_word *word)
{
    return word->kind != MACHINE_OTHER && word->space == MACHINE_GLOBAL;
}

static int no_memory(struct error *error)
{
    return error_set(error, ERROR_MEMORY, "no memory for a kernel's machine code");
}

/* A branch through a table goes on to the first of its targets, which stands behind it. */
static bool ends_block(const struct machine_word *word)
{
    return word->flow == MACHINE_BRANCH || word->flow == MACHINE_RETURN || word->flow == MACHINE_EXIT;
}

static bool leads(const struct cubin_instruction *one)
{
    return one->target >= 0 && (one->word.flow == MACHINE_BRANCH || one->word.flow == MACHINE_CALL);
}

static int find_blocks(struct code_graph *g, struct error *error)
{
    bool *begins = calloc((size_t)g->code_count + 1, sizeof *begins);
    g->block_of = calloc((size_t)g->code_count + 1, sizeof *g->block_of);
    g->blocks = calloc(CODE_BLOCKS_MAX, sizeof *g->blocks);
    if (!begins || !g->block_of || !g->blocks) {
        free(begins);
        return no_memory(error);
    }
    begins[0] = true;
    for (uint32_t i = 0; i < g->code_count; i++) {
        if (ends_block(&g->code[i].word))
            begins[i + 1] = true;
        if (leads(&g->code[i]) && (uint32_t)g->code[i].target < g->code_count)
            begins[g->code[i].target] = true;
    }
    int result = 0;
    for (uint32_t i = 0; i < g->code_count && result == 0; i++) {
        if (begins[i] && g->block_count == CODE_BLOCKS_MAX)
            result =
                error_set(error, ERROR_INVALID, "the machine code has more than %d blocks", CODE_BLOCKS_MAX);
        else if (begins[i])
            g->blocks[g->block_count++].begin = i;
        g->blocks[g->block_count - 1].end = i + 1;
        g->block_of[i] = g->block_count - 1;
    }
    free(begins);
    return result;
}

static void find_edges(struct code_graph *g)
{
    for (int b = 0; b < g->block_count; b++) {
        struct code_block *block = &g->blocks[b];
        const struct cubin_instruction *last = &g->code[block->end - 1];
        bool branch = last->word.flow == MACHINE_BRANCH && !last->word.diverged; /* a full warp is together */
        if (branch && last->target >= 0 && (uint32_t)last->target < g->code_count)
            block->next[block->next_count++] = g->block_of[last->target];
        bool stays = !ends_block(&last->word) || last->word.diverged || !last->word.always;
        if (stays && b + 1 < g->block_count)
            block->next[block->next_count++] = b + 1;
    }
}

static bool calls_slow_path(const struct code_graph *g, int block)
{
    for (uint32_t i = g->blocks[block].begin; i < g->blocks[block].end; i++)
        if (code_graph_calls(g, i) && g->code[g->code[i].target].slow_path)
            return true;
    return false;
}

/* Removes the edges to blocks that call a slow path (a function for denormal, infinite or very large floats), where a
   branch can skip the call: a warp with ordinary operands takes that branch. */
static void drop_slow_paths(struct code_graph *g)
{
    for (int b = 0; b < g->block_count; b++) {
        struct code_block *block = &g->blocks[b];
        if (block->next_count != 2)
            continue;
        bool first = calls_slow_path(g, block->next[0]), second = calls_slow_path(g, block->next[1]);
        if (first == second)
            continue;
        block->next[0] = block->next[first ? 1 : 0];
        block->next_count = 1;
    }
}

/* ---- loops ---- */

struct search {
    struct code_graph *graph;
    uint8_t state[CODE_BLOCKS_MAX]; /* 0 not seen, 1 open, 2 done */
    int stack[CODE_BLOCKS_MAX], edge[CODE_BLOCKS_MAX];
    int back[2 * CODE_BLOCKS_MAX][2], back_count; /* from, to */
};

static void walk(struct search *s)
{
    struct code_graph *g = s->graph;
    int depth = 0;
    s->state[0] = 1;
    s->edge[0] = 0;
    while (depth >= 0) {
        int block = s->stack[depth];
        if (s->edge[depth] == g->blocks[block].next_count) {
            s->state[block] = 2;
            g->order[g->order_count++] = block; /* turned round below */
            depth--;
            continue;
        }
        int other = g->blocks[block].next[s->edge[depth]++];
        if (s->state[other] == 0) {
            s->state[other] = 1;
            s->stack[++depth] = other;
            s->edge[depth] = 0;
        } else if (s->state[other] == 1) {
            s->back[s->back_count][0] = block;
            s->back[s->back_count++][1] = other;
        }
    }
    for (int i = 0, k = g->order_count - 1; i < k; i++, k--) {
        int block = g->order[i];
        g->order[i] = g->order[k];
        g->order[k] = block;
    }
}

/* All blocks of a loop from which its last one is come to, not through its first. */
static void grow_loop(const struct code_graph *g, struct code_blocks *body, int last, int *todo)
{
    int count = 0;
    if (body->has[last])
        return;
    code_blocks_add(body, last);
    todo[count++] = last;
    while (count) {
        int block = todo[--count];
        for (int k = 0; k < g->order_count; k++) {
            const struct code_block *before = &g->blocks[g->order[k]];
            for (int e = 0; e < before->next_count; e++)
                if (before->next[e] == block && !body->has[g->order[k]]) {
                    code_blocks_add(body, g->order[k]);
                    todo[count++] = g->order[k];
                }
        }
    }
}

static int find_loops(struct code_graph *g, struct error *error)
{
    struct search *s = calloc(1, sizeof *s);
    g->order = calloc(CODE_BLOCKS_MAX, sizeof *g->order);
    if (!s || !g->order) {
        free(s);
        return no_memory(error);
    }
    s->graph = g;
    walk(s);
    g->loops = calloc((size_t)s->back_count + 1, sizeof *g->loops);
    for (int i = 0; g->loops && i < s->back_count; i++) {
        int k = 0;
        while (k < g->loop_count && g->loops[k].first != s->back[i][1])
            k++;
        if (k == g->loop_count) {
            g->loops[g->loop_count++].first = s->back[i][1];
            code_blocks_add(&g->loops[k].blocks, s->back[i][1]);
        }
        grow_loop(g, &g->loops[k].blocks, s->back[i][0], s->stack);
    }
    for (int i = 0; i < s->back_count; i++) {
        struct code_block *from = &g->blocks[s->back[i][0]];
        int kept = 0;
        for (int e = 0; e < from->next_count; e++)
            if (from->next[e] != s->back[i][1])
                from->next[kept++] = from->next[e];
        from->next_count = kept;
    }
    free(s);
    return g->loops ? 0 : no_memory(error);
}

bool code_graph_innermost(const struct code_graph *graph, const struct code_loop *loop)
{
    for (int k = 0; k < graph->loop_count; k++)
        if (graph->loops[k].first != loop->first && loop->blocks.has[graph->loops[k].first])
            return false;
    return true;
}

/* ---- what is jumped over ---- */

static void reach(const struct code_graph *g, int first, int without, struct code_blocks *seen, int *todo)
{
    int count = 0;
    memset(seen, 0, sizeof *seen);
    if (first == without)
        return;
    code_blocks_add(seen, first);
    todo[count++] = first;
    while (count) {
        const struct code_block *block = &g->blocks[todo[--count]];
        for (int e = 0; e < block->next_count; e++)
            if (block->next[e] != without && !seen->has[block->next[e]]) {
                code_blocks_add(seen, block->next[e]);
                todo[count++] = block->next[e];
            }
    }
}

/* Does who leaves the set come to that block, and to no other? */
static bool leaves_to(const struct code_graph *g, const struct code_blocks *set, int block)
{
    bool found = false;
    for (int b = 0; b < g->block_count; b++)
        for (int e = 0; set->has[b] && e < g->blocks[b].next_count; e++) {
            int to = g->blocks[b].next[e];
            if (!set->has[to] && to != block)
                return false;
            found |= to == block;
        }
    return found;
}

static int find_jumped(struct code_graph *g, struct error *error)
{
    int *todo = calloc(CODE_BLOCKS_MAX, sizeof *todo);
    struct code_blocks *between = malloc(sizeof *between);
    g->jumped = calloc(2 * (size_t)g->block_count + 1, sizeof(void *));
    int result = todo && between && g->jumped ? 0 : no_memory(error);
    for (int k = 0; result == 0 && k < g->order_count; k++) {
        const struct code_block *block = &g->blocks[g->order[k]];
        for (int e = 0; result == 0 && block->next_count == 2 && e < 2; e++) {
            reach(g, block->next[e], block->next[1 - e], between, todo);
            if (!leaves_to(g, between, block->next[1 - e]))
                continue;
            struct code_blocks *kept = malloc(sizeof *kept);
            if (!kept) {
                result = no_memory(error);
                break;
            }
            *kept = *between;
            int place = g->jumped_count++;
            for (; place > 0 && g->jumped[place - 1]->count > kept->count; place--)
                g->jumped[place] = g->jumped[place - 1];
            g->jumped[place] = kept;
        }
    }
    free(todo);
    free(between);
    return result;
}

/* ---- functions ---- */

bool code_graph_calls(const struct code_graph *graph, uint32_t instruction)
{
    const struct cubin_instruction *one = &graph->code[instruction];
    return one->word.flow == MACHINE_CALL && one->target >= 0 && (uint32_t)one->target < graph->code_count;
}

/* ---- the way of a full warp ---- */

static uint32_t length_of(const struct code_graph *g, int block)
{
    return g->blocks[block].end - g->blocks[block].begin + g->blocks[block].called;
}

static uint64_t moved_by(const struct code_graph *g, int block)
{
    uint64_t bytes = 0;
    for (uint32_t i = g->blocks[block].begin; i < g->blocks[block].end; i++)
        if (code_word_is_global(&g->code[i].word))
            bytes += g->code[i].word.bytes;
    return bytes;
}

int code_graph_way(const struct code_graph *graph, int first, const struct code_blocks *within, int *way)
{
    static const struct best {
        uint64_t moved, cost;
        int next;
        bool known;
    } nothing = {.next = CODE_NO_BLOCK};
    struct best best[CODE_BLOCKS_MAX];
    int count = 0;
    for (int b = 0; b < graph->block_count; b++)
        best[b] = nothing;
    for (int k = graph->order_count; k-- > 0;) {
        int block = graph->order[k];
        struct best *own = &best[block];
        if (!within->has[block])
            continue;
        for (int e = 0; e < graph->blocks[block].next_count; e++) {
            const struct best *other = &best[graph->blocks[block].next[e]];
            bool better = own->next == CODE_NO_BLOCK || other->moved > own->moved ||
                          (other->moved == own->moved && other->cost > own->cost);
            if (other->known && better) {
                own->moved = other->moved;
                own->cost = other->cost;
                own->next = graph->blocks[block].next[e];
            }
        }
        own->known = true;
        own->moved += moved_by(graph, block);
        own->cost += length_of(graph, block);
    }
    for (int block = first; block != CODE_NO_BLOCK && best[block].known; block = best[block].next)
        way[count++] = block;
    return count;
}

struct measuring {
    struct code_graph *graph;
    uint8_t state[CODE_BLOCKS_MAX]; /* 0 not seen, 1 being measured, 2 known */
    uint32_t longest[CODE_BLOCKS_MAX];
};

/* The longest way from a block to a return, and how long the functions are that the block calls. A function that
   comes back to where it was counts once. */
static void measure(struct measuring *m, int block)
{
    struct code_block *own = &m->graph->blocks[block];
    m->state[block] = 1;
    own->way_back = CODE_NO_BLOCK;
    for (uint32_t i = own->begin; i < own->end; i++) {
        if (!code_graph_calls(m->graph, i))
            continue;
        int called = m->graph->block_of[m->graph->code[i].target];
        if (!m->state[called])
            measure(m, called);
        if (m->state[called] == 2 && own->called < MOST_TEXT)
            own->called += m->longest[called];
    }
    uint32_t longest = 0;
    bool returns = m->graph->code[own->end - 1].word.flow == MACHINE_RETURN;
    for (int e = 0; !returns && e < own->next_count; e++) {
        if (!m->state[own->next[e]])
            measure(m, own->next[e]);
        if (m->state[own->next[e]] == 2 && m->longest[own->next[e]] > longest) {
            longest = m->longest[own->next[e]];
            own->way_back = own->next[e];
        }
    }
    longest += own->end - own->begin + own->called;
    m->longest[block] = longest < MOST_TEXT ? longest : MOST_TEXT;
    m->state[block] = 2;
}

static int measure_calls(struct code_graph *g, struct error *error)
{
    struct measuring *m = calloc(1, sizeof *m);
    if (!m)
        return no_memory(error);
    m->graph = g;
    for (int b = 0; b < g->block_count; b++)
        if (!m->state[b])
            measure(m, b);
    free(m);
    return 0;
}

int code_graph_build(struct code_graph *graph, const struct cubin_entry *entry, struct error *error)
{
    *graph = (struct code_graph){.code = entry->code, .code_count = (uint32_t)entry->count};
    if (entry->count == 0)
        return error_set(error, ERROR_INVALID, "the machine code is empty");
    if (find_blocks(graph, error) < 0)
        return -1;
    find_edges(graph);
    drop_slow_paths(graph);
    if (find_loops(graph, error) < 0 || measure_calls(graph, error) < 0)
        return -1;
    return find_jumped(graph, error);
}

void code_graph_free(struct code_graph *graph)
{
    for (int i = 0; i < graph->jumped_count; i++)
        free(graph->jumped[i]);
    free(graph->jumped);
    free(graph->blocks);
    free(graph->block_of);
    free(graph->order);
    free(graph->loops);
    *graph = (struct code_graph){0};
}
