/* A range of integers as text: "0..128", "0..1024 step 32", "1..4096 by x2". Both ends are in it, the last
   one where the steps reach it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { RANGE_DETAIL_BYTES = 200 };

/* Is it meant for one? Any text; NULL is not. */
bool range_is(const char *text);

/* Appends the range's integers to the list. 0; or -1: what is wrong is in `detail`, with what would have
   been right, and nothing was appended; empty: there was no memory. More than `limit` values are wrong,
   and are not made. */
int range_append(const char *text, size_t limit, json_t *list, char detail[RANGE_DETAIL_BYTES]);
