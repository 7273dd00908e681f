#include "api/comparison_apart.h"

#include "api/comparison.h"

/* Of so many executors the levels are as good as mixed. */
enum { EXECUTORS_MAX = 32 };

struct executors {
    uint64_t at[EXECUTORS_MAX];
    int count;
};

static bool executors_have(const struct executors *executors, uint64_t executor)
{
    for (int i = 0; i < executors->count; i++)
        if (executors->at[i] == executor)
            return true;
    return false;
}

static void executors_of(const struct comparison_count *side, struct executors *executors)
{
    executors->count = 0;
    for (int i = 0; i < side->used && executors->count < EXECUTORS_MAX; i++)
        if (!executors_have(executors, side->runs[i].executor))
            executors->at[executors->count++] = side->runs[i].executor;
}

double comparison_apart_us(const struct comparison *comparison)
{
    struct executors a, b;
    executors_of(&comparison->sides[0], &a);
    executors_of(&comparison->sides[1], &b);
    bool same = a.count == b.count;
    for (int i = 0; i < a.count; i++)
        same &= executors_have(&b, a.at[i]);
    return comparison->request->hot || same ? 0 : COMPARISON_EXECUTORS_APART_US;
}
