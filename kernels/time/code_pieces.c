#include "kernels/time/code_pieces.h"

#include <stdlib.h>
#include <string.h>

bool code_pieces_is_double(const struct machine_word *word)
{
    return word->opcode == MACHINE_DMUL || word->opcode == MACHINE_DADD || word->opcode == MACHINE_DFMA;
}

bool code_pieces_is_barrier(const struct machine_word *word)
{
    return word->flow == MACHINE_BARRIER;
}

static bool is_addition(const struct machine_word *word)
{
    return word->opcode == MACHINE_FADD || word->opcode == MACHINE_FFMA || word->opcode == MACHINE_DADD ||
           word->opcode == MACHINE_DFMA;
}

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* ---- a piece ---- */

static void work_add(struct code_piece *piece, const struct machine_word *word, uint64_t amount)
{
    int k = 0;
    while (k < piece->work_count && piece->work[k].opcode < word->opcode)
        k++;
    if (!amount)
        return;
    if (k == piece->work_count || piece->work[k].opcode != word->opcode) {
        if (piece->work_count == CODE_WORKS_MAX)
            return;
        memmove(&piece->work[k + 1], &piece->work[k],
                (size_t)(piece->work_count++ - k) * sizeof *piece->work);
        piece->work[k] = (struct code_work){.opcode = word->opcode, .global = code_word_is_global(word)};
    }
    piece->work[k].amount += amount;
}

/* By what pieces of one loop are known: bytes by kind of access, and barriers; where there is neither, additions. Their
   greatest common divisor is how many rounds it does, in a unit that the pieces of the loop share. */
static void find_work(struct code_piece *piece)
{
    for (uint32_t i = 0; i < piece->text.count; i++) {
        const struct machine_word *word = piece->text.at[i];
        bool access = word->kind != MACHINE_OTHER && word->space != MACHINE_CONSTANT;
        work_add(piece, word, access ? word->bytes : code_pieces_is_barrier(word));
    }
    for (uint32_t i = 0; piece->work_count == 0 && i < piece->text.count; i++)
        if (is_addition(piece->text.at[i])) {
            for (uint32_t k = i; k < piece->text.count; k++)
                work_add(piece, piece->text.at[k], is_addition(piece->text.at[k]));
            break;
        }
    for (int k = 0; k < piece->work_count; k++)
        piece->rounds = divisor(piece->rounds, piece->work[k].amount);
    for (int k = 0; k < piece->work_count; k++)
        piece->work[k].amount /= piece->rounds;
}

static struct code_piece *piece_new(const struct code_graph *graph, const struct code_blocks *blocks,
                                    bool is_loop)
{
    struct code_piece *piece = calloc(1, sizeof *piece);
    int way[CODE_BLOCKS_MAX], first = 0;
    if (!piece)
        return NULL;
    piece->blocks = *blocks;
    piece->is_loop = is_loop;
    piece->kind = -1;
    while (first < graph->order_count - 1 && !blocks->has[graph->order[first]])
        first++;
    int count = code_graph_way(graph, graph->order[first], blocks, way);
    for (int k = 0; k < count; k++)
        code_text_append(&piece->text, graph, way[k]);
    for (uint32_t i = 0; i < piece->text.count; i++) {
        piece->doubles += code_pieces_is_double(piece->text.at[i]);
        piece->loads += code_word_is_load(piece->text.at[i]);
        piece->barriers += code_pieces_is_barrier(piece->text.at[i]);
    }
    piece->pace = is_loop ? code_pace_again(&piece->text) : code_pace_straight(&piece->text);
    find_work(piece);
    return piece;
}

static void piece_free(struct code_piece *piece)
{
    if (piece)
        code_text_free(&piece->text);
    free(piece);
}

static bool same_kind(const struct code_piece *a, const struct code_piece *b)
{
    bool same = a->work_count == b->work_count && a->work_count > 0;
    for (int k = 0; same && k < a->work_count; k++)
        same = a->work[k].opcode == b->work[k].opcode && a->work[k].amount == b->work[k].amount;
    return same;
}

/* Takes the piece. */
static int pieces_add(struct code_pieces *pieces, struct code_piece *piece, struct error *error)
{
    if (pieces->count == CODE_PIECES_MAX) {
        piece_free(piece);
        return error_set(error, ERROR_INVALID, "the machine code has more than %d loops", CODE_PIECES_MAX);
    }
    for (int k = 0; k < pieces->count && piece->kind < 0; k++)
        if (same_kind(pieces->at[k], piece))
            piece->kind = pieces->at[k]->kind;
    if (piece->kind < 0)
        piece->kind = pieces->kind_count++;
    pieces->at[pieces->count++] = piece;
    return 0;
}

static int no_memory(struct error *error)
{
    return error_set(error, ERROR_MEMORY, "no memory for the loops of a kernel's machine code");
}

/* ---- all of them ---- */

static int find_loops(struct code_pieces *pieces, const struct code_graph *graph, struct error *error)
{
    struct code_blocks all = {0};
    int way[CODE_BLOCKS_MAX];
    for (int k = 0; k < graph->order_count; k++)
        code_blocks_add(&all, graph->order[k]);
    int count = code_graph_way(graph, 0, &all, way);
    for (int k = 0; k < graph->loop_count; k++) {
        if (!code_graph_innermost(graph, &graph->loops[k]))
            continue;
        struct code_piece *piece = piece_new(graph, &graph->loops[k].blocks, true);
        bool on_way = false;
        for (int i = 0; i < count; i++)
            on_way |= way[i] == graph->loops[k].first;
        if (!piece)
            return no_memory(error);
        if (!piece->work_count && !on_way) /* of a loop without work no other piece is known */
            piece_free(piece);
        else if (pieces_add(pieces, piece, error) < 0)
            return -1;
    }
    return 0;
}

static uint64_t least_rounds(const struct code_pieces *pieces, int count, int kind)
{
    uint64_t least = UINT64_MAX;
    for (int k = 0; k < count; k++)
        if (pieces->at[k]->kind == kind && pieces->at[k]->rounds < least)
            least = pieces->at[k]->rounds;
    return least;
}

/* The straight piece of that kind which stands within other blocks. */
static const struct code_piece *straight_within(const struct code_pieces *pieces, int kind,
                                                const struct code_blocks *blocks)
{
    for (int k = 0; k < pieces->count; k++) {
        const struct code_piece *other = pieces->at[k];
        if (other->kind == kind && !other->is_loop && other->blocks.count < blocks->count &&
            code_blocks_within(&other->blocks, blocks))
            return other;
    }
    return NULL;
}

/* Straight pieces that go on with a loop. */
static int find_straight(struct code_pieces *pieces, const struct code_graph *graph, struct error *error)
{
    struct code_blocks inner = {0}, taken = {0};
    int loops = pieces->count;
    for (int k = 0; k < graph->loop_count; k++)
        if (code_graph_innermost(graph, &graph->loops[k]))
            code_blocks_unite(&inner, &graph->loops[k].blocks);
    for (int j = 0; j < graph->jumped_count; j++) {
        struct code_blocks blocks = *graph->jumped[j];
        if (code_blocks_meet(&blocks, &inner))
            continue;
        code_blocks_subtract(&blocks, &taken);
        struct code_piece *piece = blocks.count ? piece_new(graph, &blocks, false) : NULL;
        if (!piece && blocks.count)
            return no_memory(error);
        if (!piece)
            continue;
        for (int k = 0; k < loops && piece->kind < 0; k++)
            if (same_kind(pieces->at[k], piece))
                piece->kind = pieces->at[k]->kind;
        /* What does as much as the smallest loop is an `if` of the source. */
        if (piece->kind < 0 || piece->rounds == least_rounds(pieces, loops, piece->kind)) {
            piece_free(piece);
            continue;
        }
        piece->inner = straight_within(pieces, piece->kind, graph->jumped[j]);
        code_blocks_unite(&taken, graph->jumped[j]);
        if (pieces_add(pieces, piece, error) < 0)
            return -1;
    }
    return 0;
}

/* ---- which loop matters ---- */

static bool before_it(const struct code_piece *a, const struct code_piece *b)
{
    return a->rounds != b->rounds ? a->rounds > b->rounds : a->text.count < b->text.count;
}

/* Rounds become those of the source's loop; the pieces of most rounds stand first. */
static void settle_kind(struct code_pieces *pieces, int kind)
{
    uint64_t unit = 0;
    for (int k = 0; k < pieces->count; k++)
        if (pieces->at[k]->kind == kind)
            unit = divisor(unit, pieces->at[k]->rounds);
    for (int k = 0; k < pieces->count; k++)
        if (pieces->at[k]->kind == kind) {
            uint64_t rounds = pieces->at[k]->rounds / (unit ? unit : 1);
            pieces->at[k]->rounds = rounds ? rounds : 1;
        }
}

static void sort_pieces(struct code_pieces *pieces)
{
    for (int i = 1; i < pieces->count; i++) {
        struct code_piece *piece = pieces->at[i];
        int k = i;
        for (; k > 0 && before_it(piece, pieces->at[k - 1]); k--)
            pieces->at[k] = pieces->at[k - 1];
        pieces->at[k] = piece;
    }
}

struct weight {
    uint64_t global, barriers, some, length;
};

/* How much a loop of a piece's kind is the one that matters: global memory, then barriers, then the rest. */
static struct weight weigh(const struct code_piece *piece)
{
    struct weight weight = {.some = piece->work_count > 0, .length = piece->text.count};
    for (int k = 0; k < piece->work_count; k++) {
        weight.global += piece->work[k].global ? piece->work[k].amount : 0;
        weight.barriers += piece->work[k].opcode == MACHINE_BAR ? piece->work[k].amount : 0;
    }
    return weight;
}

static int compare_weights(const struct weight *a, const struct weight *b)
{
    if (a->global != b->global)
        return a->global > b->global ? 1 : -1;
    if (a->barriers != b->barriers)
        return a->barriers > b->barriers ? 1 : -1;
    if (a->some != b->some)
        return a->some > b->some ? 1 : -1;
    return a->length > b->length ? 1 : -(a->length < b->length);
}

static void sort_kinds(struct code_pieces *pieces)
{
    struct weight weights[CODE_PIECES_MAX] = {{0}};
    for (int k = 0; k < pieces->count; k++) {
        struct weight weight = weigh(pieces->at[k]);
        if (compare_weights(&weight, &weights[pieces->at[k]->kind]) > 0)
            weights[pieces->at[k]->kind] = weight;
    }
    for (int i = 0; i < pieces->kind_count; i++) {
        int k = i;
        for (; k > 0 && compare_weights(&weights[i], &weights[pieces->kinds[k - 1]]) > 0; k--)
            pieces->kinds[k] = pieces->kinds[k - 1];
        pieces->kinds[k] = i;
    }
}

int code_pieces_find(struct code_pieces *pieces, const struct code_graph *graph, struct error *error)
{
    *pieces = (struct code_pieces){.at = calloc(CODE_PIECES_MAX, sizeof(void *)),
                                   .kinds = calloc(CODE_PIECES_MAX, sizeof *pieces->kinds)};
    if (!pieces->at || !pieces->kinds)
        return no_memory(error);
    if (find_loops(pieces, graph, error) < 0 || find_straight(pieces, graph, error) < 0)
        return -1;
    for (int kind = 0; kind < pieces->kind_count; kind++)
        settle_kind(pieces, kind);
    sort_pieces(pieces);
    sort_kinds(pieces);
    return 0;
}

void code_pieces_free(struct code_pieces *pieces)
{
    for (int k = 0; k < pieces->count; k++)
        piece_free(pieces->at[k]);
    free(pieces->at);
    free(pieces->kinds);
    *pieces = (struct code_pieces){0};
}
