#include "kernels/time/code_pace.h"

#include <math.h>
#include <string.h>

enum {
    OTHER_LATENCY =
        26, /* cycles, of what else lifts a scoreboard: shared and constant memory, special functions */
    OPERANDS_READ = 12, /* cycles until a store has read what it stores */
    SHORT = 600,        /* cycles of a global load: a loaded memory's, as far as two points tell a line */
    LONG = 1000,
    WARMING = 2, /* rounds of a loop until it has settled */
    SETTLED = 4, /* rounds that are looked at then */
    GROUPS = 64, /* of asynchronous copies that are under way; more are awaited as one */
};

struct warp_state {
    int64_t lifted[MACHINE_SCOREBOARDS]; /* when; 0: not raised */
    int64_t groups[GROUPS];
    int group_count;
    int64_t group; /* the one that is not ended: when its last copy comes */
    int64_t now;
};

bool code_word_is_load(const struct machine_word *word)
{
    return code_word_is_global(word) && (word->kind == MACHINE_LOAD || word->kind == MACHINE_COPY);
}

/* Does it return something from there? */
static bool is_answered(const struct machine_word *word)
{
    return code_word_is_global(word) &&
           (word->kind == MACHINE_LOAD || word->kind == MACHINE_ATOMIC || word->kind == MACHINE_SWAP);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void end_group(struct warp_state *s)
{
    if (s->group_count == GROUPS)
        s->groups[GROUPS - 1] = later(s->groups[GROUPS - 1], s->group);
    else
        s->groups[s->group_count++] = s->group;
    s->group = 0;
}

static void await_groups(struct warp_state *s, int left)
{
    while (s->group_count > left) {
        s->now = later(s->now, s->groups[0]);
        memmove(s->groups, s->groups + 1, (size_t)--s->group_count * sizeof *s->groups);
    }
}

/* Goes on from a state: a warp alone, where a global load takes so many cycles. */
static void run(struct warp_state *s, const struct code_text *text, uint32_t count, int latency)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct machine_word *word = text->at[i];
        for (int b = 0; b < MACHINE_SCOREBOARDS; b++)
            if (word->waits >> b & 1) {
                s->now = later(s->now, s->lifted[b]);
                s->lifted[b] = 0;
            }
        int64_t result = s->now + (is_answered(word) ? latency : OTHER_LATENCY);
        if (word->kind == MACHINE_COPY)
            s->group = s->now + latency;
        else if (word->opcode == MACHINE_COPY_GROUP)
            end_group(s);
        else if (word->sets < MACHINE_SCOREBOARDS)
            s->lifted[word->sets] = later(s->lifted[word->sets], result);
        if (word->lends < MACHINE_SCOREBOARDS)
            s->lifted[word->lends] = later(s->lifted[word->lends], s->now + OPERANDS_READ);
        if (word->opcode == MACHINE_COPY_AWAIT)
            await_groups(s, word->left);
        s->now += word->stall;
    }
}

static double straight(const struct code_text *text, int latency)
{
    struct warp_state s = {0};
    run(&s, text, text->count, latency);
    return (double)s.now;
}

static double again(const struct code_text *text, int latency)
{
    struct warp_state s = {0};
    int64_t warm = 0;
    for (int round = 0; round < WARMING + SETTLED; round++) {
        warm = round == WARMING ? s.now : warm;
        run(&s, text, text->count, latency);
    }
    return (double)(s.now - warm) / SETTLED;
}

/* Cycles are linear in the latency where it is long. */
static struct code_pace pace(double (*cycles)(const struct code_text *, int), const struct code_text *text)
{
    double at_short = cycles(text, SHORT), at_long = cycles(text, LONG);
    double waits = (at_long - at_short) / (LONG - SHORT);
    return (struct code_pace){.waits = (uint32_t)rint(waits),
                              .cycles = (uint32_t)rint(at_short - waits * SHORT)};
}

struct code_pace code_pace_straight(const struct code_text *text)
{
    return pace(straight, text);
}

struct code_pace code_pace_again(const struct code_text *text)
{
    return pace(again, text);
}

uint32_t code_pace_cycles(const struct code_text *text, uint32_t count)
{
    struct warp_state s = {0};
    run(&s, text, count, SHORT);
    return (uint32_t)s.now;
}
