/* How far all times of one side may be off against all of the other, whatever their number. */
#ifndef COALESCED_API_COMPARISON_APART_H
#define COALESCED_API_COMPARISON_APART_H

struct comparison;

/* Microseconds. What two events around a launch add to it has levels, and an executor keeps one of them for all of its cold
   times: between four pairs of executors on two H200 those of 200 experiments, of 3 to 70 us, were 0.00, 0.09, 0.09 and
   0.13 us apart (medians; by size up to 0.18), and those of an empty kernel too, but not by the same. Hot times,
   differences of sequences, hold none of it. */
#define COMPARISON_EXECUTORS_APART_US 0.16

/* That, where cold times of one side were taken by an executor that the other side has not, or else 0. Results tell their
   executor by their placement's name; those that do not tell it count as of one. */
double comparison_apart_us(const struct comparison *comparison);

#endif
