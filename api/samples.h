/* The raw samples of an experiment, packed as in the store, and as answers show them.

   Packed: the number of rounds, how many samples each of them has, then for each sample by how many picoseconds it is more
   than the one before it (the first: than 0). All are integers of 7 bits a byte, the lowest first, with the highest bit set
   in all bytes but the last; a difference d is written as 2d, or -2d - 1 when it is negative. Two to four bytes a sample:
   a GPU's events tick at 32 ns. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"
#include "kernels/result.h"

#define SAMPLES_EXACT_US 1e-6 /* what is left of a sample's digits: a picosecond */

/* Cold and hot samples, packed. All zero: there are none. Free with samples_free(). */
struct samples {
    struct buffer cold, hot;
};

void samples_free(struct samples *samples);

/* 0, or -1: no memory. */
int samples_copy(struct samples *to, const struct samples *from);

/* Appends them packed. 0, or -1: no memory. */
int samples_pack(struct buffer *out, const struct series *series);

/* Unpacks into an empty series, which is then to be freed with free(series->us). 0; or -1: it is not what
   samples_pack() writes, or there is no memory. */
int samples_unpack(struct series *series, const char *bytes, size_t size);

/* True when samples_unpack() can read them. */
bool samples_valid(const char *bytes, size_t size);

/* The whole answer of an experiment's samples; `result` is its result's text. 0; or -1: no memory, or what
   is kept is damaged. */
int samples_view(struct buffer *out, const char *id, const char *result, const struct samples *samples);
int samples_table(struct buffer *out, const struct samples *samples);
