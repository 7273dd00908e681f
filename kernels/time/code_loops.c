#include "kernels/time/code_loops.h"

#include <string.h>

/* The pieces of a kind, in their order. */
static int of_kind(const struct code_pieces *pieces, int kind, const struct code_piece **found)
{
    int count = 0;
    for (int k = 0; k < pieces->count; k++)
        if (pieces->at[k]->kind == kind)
            found[count++] = pieces->at[k];
    return count;
}

static void append_text(struct code_text *text, const struct code_graph *graph, const int *way, int count,
                        const struct code_blocks *within)
{
    for (int k = 0; k < count; k++)
        if (within->has[way[k]])
            code_text_append(text, graph, way[k]);
}

/* ---- passes ---- */

static void pass_set(struct code *code, const struct code_pass *pass, bool replace)
{
    int k = 0;
    while (k < code->passes && code->pass[k].iterations > pass->iterations)
        k++;
    bool known = k < code->passes && code->pass[k].iterations == pass->iterations;
    if (known && replace)
        code->pass[k] = *pass;
    if (known || k == CODE_PASSES)
        return;
    int moved = (code->passes < CODE_PASSES ? code->passes++ : CODE_PASSES - 1) - k;
    memmove(&code->pass[k + 1], &code->pass[k], (size_t)moved * sizeof code->pass[0]);
    code->pass[k] = *pass;
}

/* Who comes to a piece through another has taken both, though lanes may do nothing in the last of its rounds. */
static void add_both(struct code *code, const struct code_piece *piece)
{
    struct code_text text = {0};
    const struct code_piece *const parts[] = {piece, piece->inner};
    for (int p = 0; p < 2; p++)
        for (uint32_t i = 0; i < parts[p]->text.count; i++)
            code_text_add(&text, parts[p]->text.at[i]);
    struct code_pace pace = code_pace_straight(&text);
    uint64_t last = piece->rounds + piece->inner->rounds;
    uint64_t first = last > CODE_PASSES + piece->rounds ? last - CODE_PASSES
                                                        : piece->rounds; /* the others find no place */
    for (uint64_t rounds = last; rounds > first; rounds--)
        pass_set(code,
                 &(struct code_pass){.iterations = (uint32_t)rounds,
                                     .instructions = text.count,
                                     .waits = pace.waits,
                                     .cycles = pace.cycles,
                                     .doubles = piece->doubles + piece->inner->doubles},
                 true);
    code_text_free(&text);
}

static void read_passes(struct code *code, const struct code_piece *const *pieces, int count)
{
    for (int k = 0; k < count; k++) {
        const struct code_piece *piece = pieces[k];
        pass_set(code,
                 &(struct code_pass){.iterations = (uint32_t)piece->rounds,
                                     .instructions = piece->text.count,
                                     .waits = piece->pace.waits,
                                     .cycles = piece->pace.cycles,
                                     .doubles = piece->doubles},
                 false);
        if (piece->inner)
            add_both(code, piece);
    }
    code->loop_loads = (uint32_t)(pieces[count - 1]->loads / pieces[count - 1]->rounds);
    code->loop_barriers = (uint32_t)(pieces[count - 1]->barriers / pieces[count - 1]->rounds);
}

/* ---- what stands around ---- */

static bool inside_of(const struct code_piece *const *pieces, int count, const struct code_blocks *blocks)
{
    for (int k = 0; k < count - 1; k++)
        if (!code_blocks_within(&pieces[k]->blocks, &pieces[count - 1]->blocks) &&
            code_blocks_within(&pieces[k]->blocks, blocks))
            return true;
    return false;
}

/* What stands around the longer pieces, and is jumped over with them. */
static void read_longer(struct code *code, const struct code_graph *graph,
                        const struct code_piece *const *pieces, int count, const int *way, int way_count,
                        struct code_blocks *apart)
{
    const struct code_blocks *longest = NULL;
    for (int j = 0; j < graph->jumped_count; j++)
        if (!code_blocks_meet(graph->jumped[j], &pieces[count - 1]->blocks) &&
            inside_of(pieces, count, graph->jumped[j]) &&
            (!longest || graph->jumped[j]->count > longest->count))
            longest = graph->jumped[j];
    if (!longest)
        return;
    struct code_blocks around = *longest;
    uint64_t least = 0;
    for (int k = 0; k < count; k++) {
        code_blocks_subtract(&around, &pieces[k]->blocks);
        if (k < count - 1 && !code_blocks_within(&pieces[k]->blocks, &pieces[count - 1]->blocks) &&
            code_blocks_within(&pieces[k]->blocks, longest) && (!least || pieces[k]->rounds < least))
            least = pieces[k]->rounds;
    }
    struct code_text text = {0};
    append_text(&text, graph, way, way_count, &around);
    if (text.count) {
        code->longer_iterations = (uint32_t)least;
        code->longer_instructions = text.count;
        code->longer_cycles = code_pace_straight(&text).cycles;
        for (int k = 0; k < way_count; k++)
            if (around.has[way[k]])
                code_blocks_add(apart, way[k]);
    }
    code_text_free(&text);
}

/* One round of the loop around the loop, without it. */
static void read_around(struct code *code, const struct code_graph *graph,
                        const struct code_piece *const *pieces, int count, const int *way, int way_count)
{
    struct code_blocks inside = {0};
    const struct code_blocks *least = NULL;
    for (int k = 0; k < count; k++)
        code_blocks_unite(&inside, &pieces[k]->blocks);
    for (int k = 0; k < graph->loop_count; k++) {
        const struct code_blocks *loop = &graph->loops[k].blocks;
        bool on_way = false;
        for (int i = 0; i < way_count; i++)
            on_way |= loop->has[way[i]];
        if (on_way && loop->count > inside.count && code_blocks_within(&inside, loop) &&
            (!least || loop->count < least->count))
            least = loop;
    }
    struct code_text text = {0};
    if (least)
        append_text(&text, graph, way, way_count, least);
    code->around_instructions = text.count;
    code->around_cycles = text.count ? code_pace_straight(&text).cycles : 0;
    code_text_free(&text);
}

/* Of another loop one round counts as straight code, but of a second one with a barrier in each round, which tells how
   many there are. */
static void find_apart(struct code *code, const struct code_pieces *pieces, struct code_blocks *apart,
                       const struct code_piece **found)
{
    for (int k = 0; k < pieces->kind_count; k++) {
        int count = of_kind(pieces, pieces->kinds[k], found);
        if (!count)
            continue;
        const struct code_piece *last = found[count - 1];
        bool stepped = k == 1 && last->barriers == 1;
        for (int i = 0; i < (k == 0 || stepped ? count : count - 1); i++)
            code_blocks_unite(apart, &found[i]->blocks);
        if (stepped) {
            code->step_instructions = last->text.count;
            code->step_cycles = last->pace.cycles;
        }
    }
}

static int leave_out(int *way, int count, const struct code_blocks *apart)
{
    int kept = 0;
    for (int k = 0; k < count; k++)
        if (!apart->has[way[k]])
            way[kept++] = way[k];
    return kept;
}

int code_loops_read(struct code *code, const struct code_graph *graph, const struct code_pieces *pieces,
                    int *way)
{
    const struct code_piece *found[CODE_PIECES_MAX] = {NULL};
    struct code_blocks apart = {0}, all = {0};
    for (int k = 0; k < graph->order_count; k++)
        code_blocks_add(&all, graph->order[k]);
    find_apart(code, pieces, &apart, found);
    int count = leave_out(way, code_graph_way(graph, 0, &all, way), &apart);
    if (!pieces->kind_count)
        return count;
    int piece_count = of_kind(pieces, pieces->kinds[0], found);
    if (!piece_count)
        return count;
    struct code_blocks longer = {0};
    read_longer(code, graph, found, piece_count, way, count, &longer);
    count = leave_out(way, count, &longer);
    read_around(code, graph, found, piece_count, way, count);
    read_passes(code, found, piece_count);
    return count;
}
