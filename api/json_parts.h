/* What several documents share: reading a body, what stands for something that is missing, a tree as it
   is. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "base/json_writer.h"

enum { JSON_PARTS_DETAIL_BYTES = 256 };

/* Once, before any thread: seeds the hashes that keep a hostile object's keys from colliding. */
void json_parts_start(void);

/* The object that a request's body holds, a new reference; or NULL, with line, column and what is wrong in
   `detail`. Duplicate keys are wrong. `least`: the smallest body that is right, for an empty one. */
json_t *json_parts_body(const char *body, size_t length, const char *least,
                        char detail[JSON_PARTS_DETAIL_BYTES]);

/* What a value is, with its article: "an integer". Static. */
const char *json_parts_type(const json_t *value);

/* What stands where a number is wanted: the type, or a short text itself and the number that is meant by a suffix: "4M"
   (write 4000000, or 4194304 in powers of 1024). Written into `said`, or static. */
enum { JSON_PARTS_SAID_BYTES = 128 };
const char *json_parts_said(const json_t *value, char said[JSON_PARTS_SAID_BYTES]);

/* True: it is that very string. */
bool json_parts_is(const json_t *value, const char *text);

/* True: a request's field has the value that is wanted. What a shape leaves out is 1: 512 and [512] are the
   same as [512, 1, 1]. */
bool json_parts_same(const json_t *wanted, const json_t *found);

/* Writes a tree that was read; NULL is written as null. */
void json_parts_tree(struct json_writer *json, const char *key, const json_t *value);

/* The same as compact text, to be freed by the caller; NULL: no memory, or no value. */
char *json_parts_text(const json_t *value);

/* {"status", "reason"}: what stands in the place of something that is missing. Status: "unavailable",
   "not_requested" or "not_applicable". */
void json_parts_missing(struct json_writer *json, const char *key, const char *status, const char *reason);
