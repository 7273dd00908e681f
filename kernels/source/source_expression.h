/* Expressions over a kernel's scalar arguments: how many elements a buffer has, how many threads a launch needs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/cdefs.h>

#include "base/error.h"

__BEGIN_DECLS

enum {
    SOURCE_EXPRESSION_BYTES = 200, /* of an expression's text, at most */
    SOURCE_EXPRESSION_NAMES = 32,  /* that it may use, at most */
};

/* A parsed expression: opaque, immutable, safe from any thread. */
struct source_expression;

/* Parses a text of numbers, the names, + - * / ( ) and ceil, floor, round, abs, min, max. The names are copied; they are
   letters, digits and '_', and '.' within. NULL: ERROR_INVALID, a sentence that says where ("character 5: ..."), or
   ERROR_MEMORY. */
struct source_expression *source_expression_new(const char *text, const char *const *names, int count,
                                                struct error *error);
void source_expression_free(struct source_expression *expression);

/* What was parsed. Lives as long as the expression. */
const char *source_expression_text(const struct source_expression *expression);

/* True: the expression has the name of that index. */
bool source_expression_uses(const struct source_expression *expression, int name);

/* Its value, a whole number from 1 to 2^53, for one value of each name, in their order. A double computes it, so it is
   refused where a step was rounded and the result depends on that. -1: ERROR_INVALID with a sentence about what the
   value is. */
int source_expression_value(const struct source_expression *expression, const double *values,
                            uint64_t *result, struct error *error);

__END_DECLS
