#include "ptx/flow_graph.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1 << 27 }; /* a second or so */

static int no_memory(struct error *error)
{
    return error_set(error, ERROR_MEMORY, "no memory for a program's graph");
}

static int too_tangled(struct error *error)
{
    return error_set(error, ERROR_INVALID, "the program's branches are too tangled");
}

static uint32_t *numbers(size_t count)
{
    return calloc(count + 1, sizeof(uint32_t));
}

static int find_blocks(struct flow_graph *g, uint32_t points, const bool *falls,
                       const struct flow_jump *jumps, size_t jump_count, struct error *error)
{
    bool *begins = calloc((size_t)points + 2, sizeof *begins);
    g->first = numbers((size_t)points + 1);
    g->block_of = numbers(points);
    if (!begins || !g->first || !g->block_of) {
        free(begins);
        return no_memory(error);
    }
    begins[0] = true;
    for (uint32_t i = 0; i < points; i++)
        begins[i + 1] = !falls[i];
    for (size_t k = 0; k < jump_count; k++)
        begins[jumps[k].from + 1] = begins[jumps[k].to] = true;
    for (uint32_t i = 0; i < points; i++) {
        if (begins[i])
            g->first[g->count++] = i;
        g->block_of[i] = g->count - 1;
    }
    g->first[g->count] = points;
    free(begins);
    return 0;
}

/* Both lists of neighbours, counted first and then filled. */
static int find_edges(struct flow_graph *g, const bool *falls, const struct flow_jump *jumps,
                      size_t jump_count, struct error *error)
{
    size_t most = (size_t)g->count + jump_count;
    g->next_begin = numbers((size_t)g->count + 1);
    g->before_begin = numbers((size_t)g->count + 2);
    g->next = numbers(most);
    g->before = numbers(most);
    g->leaves = calloc((size_t)g->count + 1, sizeof *g->leaves);
    if (!g->next_begin || !g->before_begin || !g->next || !g->before || !g->leaves)
        return no_memory(error);
    uint32_t edges = 0;
    size_t jump = 0;
    for (uint32_t b = 0; b < g->count; b++) {
        uint32_t last = g->first[b + 1] - 1;
        g->next_begin[b] = edges;
        if (falls[last] && b + 1 < g->count)
            g->next[edges++] = b + 1;
        else
            g->leaves[b] = falls[last];
        for (; jump < jump_count && jumps[jump].from <= last; jump++)
            if (jumps[jump].to < g->first[g->count])
                g->next[edges++] = g->block_of[jumps[jump].to];
            else
                g->leaves[b] = true;
        g->leaves[b] |= edges == g->next_begin[b];
    }
    g->next_begin[g->count] = edges;
    uint32_t *at = g->before_begin + 2;
    for (uint32_t e = 0; e < edges; e++)
        if (g->next[e] + 1 < g->count)
            at[g->next[e]]++;
    for (uint32_t b = 1; b < g->count; b++)
        g->before_begin[b + 1] += g->before_begin[b];
    for (uint32_t b = 0; b < g->count; b++)
        for (uint32_t e = g->next_begin[b]; e < g->next_begin[b + 1]; e++)
            g->before[g->before_begin[g->next[e] + 1]++] = b;
    return 0;
}

/* A depth-first search: of each block where it stands in its order of leaving, and which edges lead back. */
struct walk {
    uint32_t *left; /* blocks, in the order in which they were left */
    uint32_t count;
    uint8_t *state; /* 0 not seen, 1 open, 2 left */
    uint32_t *stack, *edge;
};

static void walk_from(const uint32_t *begin, const uint32_t *to, struct walk *w, uint32_t root,
                      void (*back)(void *context, uint32_t from, uint32_t header), void *context)
{
    uint32_t depth = 0;
    if (w->state[root])
        return;
    w->state[root] = 1;
    w->stack[0] = root;
    w->edge[0] = begin[root];
    for (;;) {
        uint32_t block = w->stack[depth];
        if (w->edge[depth] == begin[block + 1]) {
            w->state[block] = 2;
            w->left[w->count++] = block;
            if (depth-- == 0)
                return;
            continue;
        }
        uint32_t other = to[w->edge[depth]++];
        if (w->state[other] == 1 && back)
            back(context, block, other);
        if (w->state[other])
            continue;
        w->state[other] = 1;
        w->stack[++depth] = other;
        w->edge[depth] = begin[other];
    }
}

static int walk_new(struct walk *w, uint32_t blocks, struct error *error)
{
    *w = (struct walk){.left = numbers(blocks),
                       .stack = numbers(blocks),
                       .edge = numbers(blocks),
                       .state = calloc((size_t)blocks + 1, 1)};
    return w->left && w->stack && w->edge && w->state ? 0 : no_memory(error);
}

static void walk_free(struct walk *w)
{
    free(w->left);
    free(w->stack);
    free(w->edge);
    free(w->state);
}

struct back_edge {
    uint32_t from, header;
};

struct back_edges {
    struct back_edge *at;
    size_t count, allocated;
    bool failed;
};

static void back_edge_add(void *context, uint32_t from, uint32_t header)
{
    struct back_edges *edges = context;
    if (edges->count == edges->allocated) {
        size_t more = edges->allocated ? 2 * edges->allocated : 64;
        struct back_edge *grown = realloc(edges->at, more * sizeof *grown);
        edges->failed |= !grown;
        if (!grown)
            return;
        edges->at = grown;
        edges->allocated = more;
    }
    edges->at[edges->count++] = (struct back_edge){.from = from, .header = header};
}

static int by_header(const void *a, const void *b)
{
    const struct back_edge *one = a, *other = b;
    return one->header < other->header ? -1 : one->header > other->header;
}

static void ends_add(const struct flow_graph *g, struct walk *w, bool *ends, uint32_t block)
{
    ends[block] |= g->leaves[block] || !w->state[block];
    walk_from(g->before_begin, g->before, w, block, NULL, NULL);
}

/* Walks backwards from the end; *ending is the number of blocks that come to it. Lanes that part in a loop that nothing leaves
   meet again all the same: behind those come its blocks, of which the one that leads back counts as one that leaves, or the
   first one where several lead back. Returns a flag for each block that leaves; NULL: no memory. */
static bool *find_ends(const struct flow_graph *g, struct walk *w, uint32_t *ending)
{
    struct walk forward;
    struct back_edges edges = {0};
    bool *ends = calloc((size_t)g->count + 1, sizeof *ends);
    edges.failed = walk_new(&forward, g->count, NULL) < 0 || !ends;
    for (uint32_t b = 0; !edges.failed && b < g->count; b++)
        if (g->leaves[b])
            ends_add(g, w, ends, b);
    *ending = w->count;
    for (uint32_t b = 0; !edges.failed && *ending < g->count && b < g->count; b++)
        walk_from(g->next_begin, g->next, &forward, b, back_edge_add, &edges);
    if (edges.count)
        qsort(edges.at, edges.count, sizeof *edges.at, by_header);
    for (size_t e = 0; e < edges.count; e++) {
        uint32_t header = edges.at[e].header;
        bool alone = (!e || edges.at[e - 1].header != header) &&
                     (e + 1 == edges.count || edges.at[e + 1].header != header);
        ends_add(g, w, ends, alone ? edges.at[e].from : header);
    }
    walk_free(&forward);
    free(edges.at);
    if (edges.failed)
        free(ends);
    return edges.failed ? NULL : ends;
}

/* Cooper, Harvey and Kennedy's algorithm, backwards. The end stands behind all: number `count`. */
static int find_meets(struct flow_graph *g, struct error *error)
{
    struct walk w;
    uint32_t end = g->count, ending = 0, *order = numbers((size_t)g->count + 1);
    uint64_t steps = 0;
    int result = walk_new(&w, g->count + 1, error);
    bool *ends = result == 0 ? find_ends(g, &w, &ending) : NULL;
    g->meets = numbers(g->count);
    if (!ends || !order || !g->meets) {
        result = no_memory(error);
        goto out;
    }
    for (uint32_t b = 0; b < g->count; b++)
        g->meets[b] = FLOW_NONE;
    for (uint32_t k = 0; k < w.count; k++)
        order[w.left[k]] = k + 1;
    order[end] = w.count + 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = w.count; k-- > 0;) {
            uint32_t block = w.left[k], common = ends[block] ? end : FLOW_NONE;
            if (++steps > MOST_STEPS) {
                result = too_tangled(error);
                goto out;
            }
            for (uint32_t e = g->next_begin[block]; e < g->next_begin[block + 1]; e++) {
                uint32_t other = g->next[e];
                if (g->meets[other] == FLOW_NONE || (order[other] > ending && k < ending))
                    continue;
                while (common != FLOW_NONE && other != common) {
                    if (++steps > MOST_STEPS) {
                        result = too_tangled(error);
                        goto out;
                    }
                    if (order[other] < order[common])
                        other = g->meets[other];
                    else
                        common = g->meets[common];
                }
                common = other;
            }
            changed |= g->meets[block] != common;
            g->meets[block] = common;
        }
    }
    for (uint32_t b = 0; b < g->count; b++)
        if (g->meets[b] == end)
            g->meets[b] = FLOW_NONE;
out:
    walk_free(&w);
    free(order);
    free(ends);
    return result;
}

/* The blocks of the loop whose back edges begin at `edge`, in `body`, the first one its header. `seen` holds
   `mark` for each. Returns how many. */
static uint32_t loop_body(const struct flow_graph *g, const struct back_edges *edges, size_t edge,
                          uint32_t *body, uint32_t *seen, uint32_t mark)
{
    uint32_t count = 0, header = edges->at[edge].header;
    body[count++] = header;
    seen[header] = mark;
    for (; edge < edges->count && edges->at[edge].header == header; edge++)
        if (seen[edges->at[edge].from] != mark) {
            seen[edges->at[edge].from] = mark;
            body[count++] = edges->at[edge].from;
        }
    for (uint32_t k = 1; k < count; k++)
        for (uint32_t e = g->before_begin[body[k]]; e < g->before_begin[body[k] + 1]; e++)
            if (seen[g->before[e]] != mark) {
                seen[g->before[e]] = mark;
                body[count++] = g->before[e];
            }
    return count;
}

struct loop_size {
    uint32_t blocks;
    size_t edge;
};

static int larger_first(const void *a, const void *b)
{
    const struct loop_size *one = a, *other = b;
    return one->blocks > other->blocks ? -1 : one->blocks < other->blocks;
}

/* The largest loops first, so that the smallest one that a block is in has the last word. */
static int nest_loops(struct flow_graph *g, const struct back_edges *edges, struct error *error)
{
    uint32_t *body = numbers(g->count), *seen = numbers(g->count), mark = 0;
    struct loop_size *loops = calloc(edges->count + 1, sizeof *loops);
    size_t loop_count = 0;
    uint64_t steps = 0;
    int result = body && seen && loops ? 0 : no_memory(error);
    for (size_t e = 0; result == 0 && e < edges->count; e++) {
        if (e && edges->at[e].header == edges->at[e - 1].header)
            continue;
        loops[loop_count] =
            (struct loop_size){.blocks = loop_body(g, edges, e, body, seen, ++mark), .edge = e};
        steps += loops[loop_count++].blocks;
        if (steps > MOST_STEPS)
            result = too_tangled(error);
    }
    if (result == 0)
        qsort(loops, loop_count, sizeof *loops, larger_first);
    for (size_t k = 0; result == 0 && k < loop_count; k++) {
        uint32_t count = loop_body(g, edges, loops[k].edge, body, seen, ++mark);
        g->outer[body[0]] = g->loop[body[0]];
        for (uint32_t i = 0; i < count; i++)
            g->loop[body[i]] = body[0];
    }
    free(body);
    free(seen);
    free(loops);
    return result;
}

int flow_graph_find_loops(struct flow_graph *g, struct error *error)
{
    struct walk w;
    struct back_edges edges = {0};
    int result = walk_new(&w, g->count, error);
    g->loop = numbers(g->count);
    g->outer = numbers(g->count);
    if (!g->loop || !g->outer)
        result = no_memory(error);
    for (uint32_t b = 0; result == 0 && b < g->count; b++) {
        g->loop[b] = g->outer[b] = FLOW_NONE;
        walk_from(g->next_begin, g->next, &w, b, back_edge_add, &edges);
    }
    if (edges.failed)
        result = no_memory(error);
    if (result == 0 && edges.count) {
        qsort(edges.at, edges.count, sizeof *edges.at, by_header);
        result = nest_loops(g, &edges, error);
    }
    free(edges.at);
    walk_free(&w);
    return result;
}

int flow_graph_build(struct flow_graph *graph, uint32_t points, const bool *falls,
                     const struct flow_jump *jumps, size_t jump_count, struct error *error)
{
    *graph = (struct flow_graph){0};
    if (find_blocks(graph, points, falls, jumps, jump_count, error) < 0 ||
        find_edges(graph, falls, jumps, jump_count, error) < 0)
        return -1;
    return find_meets(graph, error);
}

void flow_graph_free(struct flow_graph *graph)
{
    uint32_t *const all[] = {graph->first, graph->block_of,     graph->next_begin,
                             graph->next,  graph->before_begin, graph->before,
                             graph->meets, graph->loop,         graph->outer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    free(graph->leaves);
    *graph = (struct flow_graph){0};
}

bool flow_graph_in_loop(const struct flow_graph *graph, uint32_t block, uint32_t loop)
{
    uint32_t at = graph->loop[block];
    while (at != FLOW_NONE && at != loop)
        at = graph->outer[at];
    return at == loop && at != FLOW_NONE;
}

uint32_t flow_graph_region(const struct flow_graph *graph, uint32_t block, bool *inside, uint32_t *blocks)
{
    uint32_t count = 0, end = graph->meets[block];
    for (uint32_t from = block, k = 0;; from = blocks[k++]) {
        for (uint32_t e = graph->next_begin[from]; e < graph->next_begin[from + 1]; e++) {
            uint32_t to = graph->next[e];
            if (to != end && !inside[to]) {
                inside[to] = true;
                blocks[count++] = to;
            }
        }
        if (k == count)
            return count;
    }
}
