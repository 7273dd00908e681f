/* Which of two sets of runs of one experiment is faster, and whether that can be told. The unit is a placement of the
   arrays: runs at one placement share what the placement does to them, and count as one. */
#ifndef COALESCED_KERNELS_VERDICT_H
#define COALESCED_KERNELS_VERDICT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { VERDICT_LEAST = 5 };         /* runs, and placements, a side */
enum { VERDICT_NEEDS_MOST = 1000 }; /* of what is said to be needed: more is not in sight */

/* Of b against a. */
enum verdict { VERDICT_BETTER, VERDICT_WORSE, VERDICT_SAME, VERDICT_CANNOT_TELL, VERDICTS };

/* "better", "worse", "same", "cannot_tell" */
const char *verdict_name(enum verdict verdict);

/* Why it cannot be told. */
enum verdict_need {
    VERDICT_NEEDS_NOTHING,
    VERDICT_NEEDS_RUNS,
    VERDICT_NEEDS_PLACEMENTS,
    VERDICT_NEEDS_WIDTH
};

/* NULL, "few_runs", "few_placements", "wide" */
const char *verdict_need_name(enum verdict_need need);

struct verdict_run {
    uint64_t placement; /* equal for runs whose arrays lay at the same places, or may have */
    double us;          /* more than 0 */
};

/* Medians and extremes are of the placements, each of which is the median of its runs. */
struct verdict_side {
    int runs, placements;
    double median_us, min_us, max_us;
};

struct verdict_of {
    enum verdict verdict;
    struct verdict_side a, b;
    double ratio; /* time of a over time of b: the median over all pairs of placements */
    double ratio_ci
        [2];     /* holds it with at least 95 %, see statistics_shift(); NAN: too few placements for any */
    double miss; /* how often it would not hold 1 if nothing differed, at most */
    enum verdict_need need;
    int more_a, more_b; /* about so many more runs, each at a placement of its own */
};

/* `same_within`: ratios from 1 / (1 + same_within) to 1 + same_within are the same. `apart_us`: by so much all times of one
   side may be off against all of the other, whatever their number; the interval is wider by that at either end. Sorts the
   runs, of which each side has at least one. -1: no memory. */
int verdict_judge(struct verdict_run *a, int a_count, struct verdict_run *b, int b_count, double same_within,
                  double apart_us, struct verdict_of *of);

#ifdef __cplusplus
}
#endif
#endif
