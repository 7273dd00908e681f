/* What several runs say together: medians, and how far two sets of runs lie apart, with intervals that hold
   their claim for few values and for whatever distribution these have. Plain arithmetic; any thread. */
#pragma once

#include <stdbool.h>

/* Ascending, in place. */
void statistics_sort(double *values, int count);

/* Of sorted values, at least one; of an even count the mean of the two in the middle. */
double statistics_median(const double *sorted, int count);

/* The narrowest interval between two of the sorted values, as far from either end, that holds the median of
   what they were drawn from with at least 95 % (binomial distribution of ranks; the sign test turned round).
   False, with the interval NAN: there is none; six values are the least. */
bool statistics_median_interval(const double *sorted, int count, double interval[2]);

/* The rank k, from 1, so that two sets of so many values drawn from one distribution are at least as far
   apart with less than 5 % when the k-th least or the k-th greatest of their differences is beyond 0;
   *miss is how often. 0: no rank does. k - 1 is the critical value of Mann and Whitney's U in tables for 5
   %, two-sided. */
long statistics_rank(int a_count, int b_count, double *miss);

/* Of two sets of values, how much greater the first is. In the values' unit; of logarithms it is that of a
   ratio. */
struct statistics_shift {
    double shift; /* the median of all differences between one of a and one of b (Hodges and Lehmann 1963) */
    double low, high; /* holds it with at least 95 %; NAN: there are too few values */
    double miss; /* how often an interval of these ranks does not hold 0 when both sets are drawn from one
                         distribution: at most so often, exactly so often without ties. Less than 0.05 */
};

/* Both sorted, at least one value each; four and four, or three and five, are the least for an interval.

   The interval is the wider, at each end, of two. That between the differences of ranks k and mn + 1 - k
   (Moses; Hollander and Wolfe, Nonparametric Statistical Methods, 4.3), with k from the exact distribution of
   Mann and Whitney's U (1947), or from its normal approximation for many values: it holds for any distribution
   as long as a and b differ by a shift alone, so that two sets of the same are called different in at most 5 %.
   And Welch's (1947), with his degrees of freedom, of means from which a tenth of the values is trimmed at
   either end (Yuen 1974): where one set is spread much wider than the other, as two devices may be, ranks alone
   promise too much. */
void statistics_shift(const double *a, int a_count, const double *b, int b_count,
                      struct statistics_shift *shift);
