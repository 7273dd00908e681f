/* Chinese for what a refusal says. The service words each refusal once, in English, where it finds what is
   wrong; this translates the finished sentence by the format that made it. */
#ifndef COALESCED_API_PROBLEM_ZH_H
#define COALESCED_API_PROBLEM_ZH_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the Chinese for `english` (UTF-8, cut between characters where it does not fit in `size` bytes).
   A sentence without a translation is copied as it is, and the result is false. Any thread. */
bool problem_zh(const char *english, char *chinese, size_t size);

#endif
