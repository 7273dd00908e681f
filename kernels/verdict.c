/* The medians of placements, the interval of the ratio, and the verdict. */
#include "kernels/verdict.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/statistics.h"

const char *verdict_name(enum verdict verdict)
{
    static const char *const names[VERDICTS] = {"better", "worse", "same", "cannot_tell"};
    return names[verdict];
}

const char *verdict_need_name(enum verdict_need need)
{
    static const char *const names[] = {NULL, "few_runs", "few_placements", "wide"};
    return names[need];
}

static int compare(const void *left, const void *right)
{
    const struct verdict_run *a = left, *b = right;
    if (a->placement != b->placement)
        return a->placement < b->placement ? -1 : 1;
    return (a->us > b->us) - (a->us < b->us);
}

/* Writes the median of each placement, sorted. */
static void side_read(struct verdict_run *runs, int count, double *units, struct verdict_side *side)
{
    qsort(runs, (size_t)count, sizeof *runs, compare);
    *side = (struct verdict_side){.runs = count};
    for (int from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && runs[to].placement == runs[from].placement; to++)
            ;
        int middle = (from + to - 1) / 2, other = (from + to) / 2;
        units[side->placements++] = (runs[middle].us + runs[other].us) / 2;
    }
    statistics_sort(units, side->placements);
    side->median_us = statistics_median(units, side->placements);
    side->min_us = units[0];
    side->max_us = units[side->placements - 1];
}

static void to_logarithms(double *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = log(values[i]);
}

static int lacking(const struct verdict_side *side)
{
    return side->placements < VERDICT_LEAST ? VERDICT_LEAST - side->placements : 0;
}

/* 1, 2, 3, 4, 6, 8, 12, 16, ...: the estimate is no more exact, and points that need about the same can share a
   sweep. */
static int rounded_up(int more)
{
    int below = 1;
    while (2 * below <= more)
        below *= 2;
    int up = more == below ? more : 2 * more <= 3 * below ? below + below / 2 : 2 * below;
    return up < VERDICT_NEEDS_MOST ? up : VERDICT_NEEDS_MOST;
}

/* The number of further runs: an interval shrinks as one over the root of the number of placements. */
static int growth(int placements, double factor)
{
    double more = ceil(placements * factor) - placements;
    return more < 1 ? 1 : more > VERDICT_NEEDS_MOST ? VERDICT_NEEDS_MOST : rounded_up((int)more);
}

/* The factor by which there must be more placements for the interval to lie on one side of the range of
   equality, or within it, if the ratio stays. */
static void need_width(struct verdict_of *of, double shift, double half, double same)
{
    double margin = fabs(fabs(shift) - same);
    double factor = margin > 0 ? (half / margin) * (half / margin) : INFINITY;
    of->need = VERDICT_NEEDS_WIDTH;
    of->more_a = growth(of->a.placements, factor);
    of->more_b = growth(of->b.placements, factor);
}

static void decide(struct verdict_of *of, const struct statistics_shift *shift, double same)
{
    of->verdict = VERDICT_CANNOT_TELL;
    of->more_a = lacking(&of->a);
    of->more_b = lacking(&of->b);
    if (of->a.runs < VERDICT_LEAST || of->b.runs < VERDICT_LEAST)
        of->need = VERDICT_NEEDS_RUNS;
    else if (of->more_a || of->more_b)
        of->need = VERDICT_NEEDS_PLACEMENTS;
    else if (shift->low > same)
        of->verdict = VERDICT_BETTER;
    else if (shift->high < -same)
        of->verdict = VERDICT_WORSE;
    else if (shift->low >= -same && shift->high <= same)
        of->verdict = VERDICT_SAME;
    else
        need_width(of, shift->shift, fmax(shift->high - shift->shift, shift->shift - shift->low), same);
}

int verdict_judge(struct verdict_run *a, int a_count, struct verdict_run *b, int b_count, double same_within,
                  double apart_us, struct verdict_of *of)
{
    struct statistics_shift shift;
    double *units = malloc(((size_t)a_count + (size_t)b_count) * sizeof *units);
    if (!units)
        return -1;
    *of = (struct verdict_of){0};
    side_read(a, a_count, units, &of->a);
    side_read(b, b_count, units + a_count, &of->b);
    to_logarithms(units, of->a.placements);
    to_logarithms(units + a_count, of->b.placements);
    statistics_shift(units, of->a.placements, units + a_count, of->b.placements, &shift);
    free(units);
    double apart = log1p(apart_us / fmin(of->a.median_us, of->b.median_us));
    shift.low -= apart;
    shift.high += apart;
    of->ratio = exp(shift.shift);
    of->ratio_ci[0] = exp(shift.low);
    of->ratio_ci[1] = exp(shift.high);
    of->miss = shift.miss;
    decide(of, &shift, log1p(same_within));
    double medians = log(of->a.median_us / of->b.median_us);
    of->uneven = of->verdict == VERDICT_CANNOT_TELL && fabs(shift.shift - medians) > log(1.05);
    return 0;
}
