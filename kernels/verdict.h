/* Decides which of two sets of runs of one experiment is faster, as far as the data allow. The unit is a
   placement of the arrays: runs at one placement share its effect, and count as one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { VERDICT_LEAST = 5 };         /* the minimum of runs, and of placements, of a side */
enum { VERDICT_NEEDS_MOST = 1000 }; /* the largest number of further runs that is reported */

/* The verdict on b against a. */
enum verdict { VERDICT_BETTER, VERDICT_WORSE, VERDICT_SAME, VERDICT_CANNOT_TELL, VERDICTS };

/* "better", "worse", "same", "cannot_tell" */
const char *verdict_name(enum verdict verdict);

/* Why the verdict is "cannot_tell". */
enum verdict_need {
    VERDICT_NEEDS_NOTHING,
    VERDICT_NEEDS_RUNS,
    VERDICT_NEEDS_PLACEMENTS,
    VERDICT_NEEDS_WIDTH
};

/* NULL, "few_runs", "few_placements", "wide" */
const char *verdict_need_name(enum verdict_need need);

struct verdict_run {
    uint64_t placement; /* equal for runs whose arrays lay, or may have lain, at the same places */
    double us;          /* more than 0 */
};

/* Medians and extremes over placements, each of which has the median of its runs. */
struct verdict_side {
    int runs, placements;
    double median_us, min_us, max_us;
};

struct verdict_of {
    enum verdict verdict;
    struct verdict_side a, b;
    double ratio; /* time of a over time of b: the median over all pairs of placements */
    /* Contains the ratio with at least 95 %, see statistics_shift(); NAN: too few placements for an
       interval. */
    double ratio_ci[2];
    double miss; /* the largest probability that the interval does not contain 1 although nothing differs */
    enum verdict_need need;
    int more_a, more_b; /* estimate of further runs needed, each at a placement of its own */
    /* The verdict is "cannot tell", and the ratio differs by more than 5 % from that of the two medians: neither
       is to be shown as the ratio. */
    bool uneven;
};

/* `same_within`: ratios from 1 / (1 + same_within) to 1 + same_within count as the same. `apart_us`: a
   constant difference that all times of one side may have against the other's; the interval is wider by it
   at either end. Sorts the runs, of which each side has at least one. Returns 0, or -1: no memory. */
int verdict_judge(struct verdict_run *a, int a_count, struct verdict_run *b, int b_count, double same_within,
                  double apart_us, struct verdict_of *of);
