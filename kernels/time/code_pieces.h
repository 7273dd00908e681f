/* The pieces of the loop that matters: the compiler unrolls a loop into loops and straight pieces that do the same
   work in the same proportions, each for so many rounds of the source's loop. */
#pragma once

#include "kernels/time/code_pace.h"

enum {
    CODE_PIECES_MAX = 512,
    CODE_WORKS_MAX = 32, /* kinds of work of a piece; more are left out */
};

struct code_work {
    uint16_t opcode;
    uint64_t amount;
    bool global;
};

struct code_piece {
    struct code_blocks blocks;
    bool is_loop;
    const struct code_piece *inner; /* a piece that is only come to through this one; NULL: none */
    struct code_text text;
    struct code_pace pace;
    uint32_t doubles, loads, barriers;
    uint64_t rounds; /* of the source's loop; 0: none is known */
    struct code_work work[CODE_WORKS_MAX];
    int work_count;
    int kind; /* pieces of one loop have the same number */
};

struct code_pieces {
    struct code_piece **at;
    int count, allocated;
    int *kinds; /* numbers of the kinds, the one that matters most first */
    int kind_count;
};

/* Finds them. To be freed with code_pieces_free(), also after a failure. */
int code_pieces_find(struct code_pieces *pieces, const struct code_graph *graph, struct error *error);
void code_pieces_free(struct code_pieces *pieces);

/* Of an instruction. */
bool code_pieces_is_double(const struct machine_word *word);
bool code_pieces_is_barrier(const struct machine_word *word);
