/* Order statistics, the distribution of Mann and Whitney's U, and Welch's interval. */
#include "kernels/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

void statistics_sort(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
}

double statistics_median(const double *sorted, int count)
{
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

/* How many outermost values can be left out at either end so that fewer lie below the median with at most 2.5
   %: the probability of so few heads in `count` tosses of a coin. */
bool statistics_median_interval(const double *sorted, int count, double interval[2])
{
    double below = 0, log_term = -count * log(2);
    int k = 0;
    for (; k < count / 2; k++) {
        below += exp(log_term);
        if (below > 0.025)
            break;
        log_term += log(count - k) - log(k + 1);
    }
    interval[0] = k ? sorted[k - 1] : NAN;
    interval[1] = k ? sorted[count - k] : NAN;
    return k > 0;
}

/* ---- ranks ---- */

enum { EXACT_PAIRS = 8192 };

/* The numbers of arrangements by their U are the coefficients of the Gaussian binomial, the product of (1 -
   x^(n+i)) / (1 - x^i) for i = 1 to m; half of them suffice. */
static long rank_exact(int m, int n, double *miss)
{
    double counts[EXACT_PAIRS / 2 + 1] = {1}, all = 1, below = 0;
    int half = m * n / 2;
    for (int i = 1; i <= m; i++) {
        for (int u = half; u >= n + i; u--)
            counts[u] -= counts[u - n - i];
        for (int u = i; u <= half; u++)
            counts[u] += counts[u - i];
        all *= (double)(n + i) / i;
    }
    long k = 0;
    for (; k <= half && below + counts[k] <= 0.025 * all; k++)
        below += counts[k];
    *miss = 2 * below / all;
    return k;
}

static long rank_approximate(double m, double n, double *miss)
{
    double deviation = sqrt(m * n * (m + n + 1) / 12);
    double k = floor(m * n / 2 - 0.5 - 1.959964 * deviation);
    *miss = 0.05;
    return k > 0 ? (long)k : 0;
}

long statistics_rank(int a_count, int b_count, double *miss)
{
    return (long)a_count * b_count <= EXACT_PAIRS ? rank_exact(a_count, b_count, miss)
                                                  : rank_approximate(a_count, b_count, miss);
}

/* The number of differences that are at most t. */
static long differences_within(const double *a, int m, const double *b, int n, double t)
{
    long count = 0;
    for (int i = 0, j = n; i < m; i++) {
        while (j > 0 && a[i] - b[n - j] > t)
            j--;
        count += j;
    }
    return count;
}

/* The k-th of all differences, from 1, by bisection: the least value that k of them do not exceed. Zero is
   tried first, so that differences of zero come out as exactly zero. */
static double difference_at(const double *a, int m, const double *b, int n, long k)
{
    double low = a[0] - b[n - 1], high = a[m - 1] - b[0], middle = low < 0 && high > 0 ? 0 : (low + high) / 2;
    if (differences_within(a, m, b, n, low) >= k)
        return low;
    for (int i = 0; i < 200 && middle > low && middle < high; i++) {
        if (differences_within(a, m, b, n, middle) >= k)
            high = middle;
        else
            low = middle;
        middle = (low + high) / 2;
    }
    return high;
}

/* ---- means ---- */

struct centre {
    double mean, variance; /* of the trimmed values; variance: of that mean */
    int freedom;
};

static struct centre centre_of(const double *sorted, int count)
{
    int trimmed = count / 10, used = count - 2 * trimmed;
    double sum = 0, all = 0, squares = 0;
    for (int i = 0; i < count; i++) {
        int inside = i < trimmed ? trimmed : i >= count - trimmed ? count - trimmed - 1 : i;
        all += sorted[inside];
        sum += inside == i ? sorted[i] : 0;
    }
    for (int i = 0; i < count; i++) {
        int inside = i < trimmed ? trimmed : i >= count - trimmed ? count - trimmed - 1 : i;
        squares += (sorted[inside] - all / count) * (sorted[inside] - all / count);
    }
    return (struct centre){sum / used, squares / ((double)used * (used - 1)), used - 1};
}

/* The value that Student's t exceeds with 2.5 %, by degrees of freedom from 1. */
static const double student[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                 2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                 2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
enum { STUDENTS = sizeof student / sizeof *student };

static void widen_by_means(const double *a, int m, const double *b, int n, struct statistics_shift *shift)
{
    struct centre x = centre_of(a, m), y = centre_of(b, n);
    double variance = x.variance + y.variance;
    if (variance <= 0)
        return;
    double freedom =
        variance * variance / (x.variance * x.variance / x.freedom + y.variance * y.variance / y.freedom);
    double t = freedom < STUDENTS + 1 ? student[(int)freedom - 1] : student[STUDENTS - 1];
    double middle = x.mean - y.mean, half = t * sqrt(variance);
    shift->low = fmin(shift->low, middle - half);
    shift->high = fmax(shift->high, middle + half);
}

void statistics_shift(const double *a, int a_count, const double *b, int b_count,
                      struct statistics_shift *shift)
{
    long pairs = (long)a_count * b_count, lower = (pairs + 1) / 2, upper = pairs / 2 + 1;
    long k = statistics_rank(a_count, b_count, &shift->miss);
    shift->shift = difference_at(a, a_count, b, b_count, lower);
    if (upper != lower)
        shift->shift = (shift->shift + difference_at(a, a_count, b, b_count, upper)) / 2;
    shift->low = shift->high = NAN;
    if (k == 0)
        return;
    shift->low = difference_at(a, a_count, b, b_count, k);
    shift->high = difference_at(a, a_count, b, b_count, pairs + 1 - k);
    widen_by_means(a, a_count, b, b_count, shift);
}
