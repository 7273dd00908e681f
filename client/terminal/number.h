/* Numbers as text for a reader: with at most four digits, and none beyond their interval. Each text has
   NUMBER_BYTES. */
#pragma once

#include <stdbool.h>

enum { NUMBER_BYTES = 64 };

/* "2.842", "68.12", "3254": four digits, or all of those before the point. */
void number_text(char text[NUMBER_BYTES], double value);

/* So many digits after the point, but more where what is not 0 would be written as 0: "0.03". */
void number_fixed(char text[NUMBER_BYTES], double value, int decimals);

/* "2.842 ± 0.003", the longer side, where the sides differ by no more than a tenth of it and "±" does not
   reach beyond 0 where low does not; else "2.842 (2.840 to 2.851)". A bound that is more than about 1000 times away is
   written as the power of ten that it is beyond: "550 (<0.1 to >1000000)". The value alone where low or high is NaN.
   ascii: "+-". The page has the same rule (web/format.js). */
void number_interval(char text[NUMBER_BYTES], double value, double low, double high, bool ascii);

/* "0.5 s", "12 s", "3 min", "2 h", for estimates. seconds < 0: "". */
void number_duration(char text[NUMBER_BYTES], double seconds);

/* "1000", "20,971,516": with separators from five digits on. */
void number_count(char text[NUMBER_BYTES], long long value);
