/* How long a warp takes that is alone: cycles, and latencies of global loads in a row. */
#pragma once

#include "kernels/time/code_text.h"

struct code_pace {
    uint32_t waits, cycles; /* cycles besides the waits */
};

/* Of instructions in a row, and of one round of a loop once it has settled. */
struct code_pace code_pace_straight(const struct code_text *text);
struct code_pace code_pace_again(const struct code_text *text);

/* Cycles of the first `count` instructions, with loads of a short latency. */
uint32_t code_pace_cycles(const struct code_text *text, uint32_t count);

/* Does it load from memory outside of the multiprocessor? */
bool code_word_is_load(const struct machine_word *word);
