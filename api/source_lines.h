/* A source kernel's lines as JSON: what the accesses of each cost. */
#pragma once

#include "base/json_writer.h"
#include "kernels/model/prediction.h"
#include "kernels/source/source_count.h"

/* Writes an array, an object for each line of the source with accesses, in order: its text, requests, transactions and
   bytes in the units of the prediction, bank conflicts, and its share of the bytes that the launch moves; then its accesses.
   Line null: accesses that no line of the source is known for. */
void source_lines_write(struct json_writer *json, const char *key, const char *source,
                        const struct source_count *count, const struct prediction *prediction);

/* Writes an array of the lines that have accesses, in order. */
void source_lines_list(struct json_writer *json, const char *key, const struct source_count *count);

/* Adds the faults to *problems, each at "#/source" with its line and column; notes are left out. */
void source_lines_add_faults(struct problems *problems, const struct source_count *count);

/* Writes the notes as an array of {line, column, detail}. */
void source_lines_notes(struct json_writer *json, const char *key, const struct source_count *count);
