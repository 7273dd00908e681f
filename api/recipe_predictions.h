/* A recipe that is not run: what the model predicts for each of its points, beside what was published. */
#ifndef COALESCED_API_RECIPE_PREDICTIONS_H
#define COALESCED_API_RECIPE_PREDICTIONS_H

#include "api/columns.h"
#include "api/recipe.h"
#include "base/buffer.h"

/* Appends {"recipe", "arch", "axes", "points": [{index, values, request, prediction, published}, ...]} and
   a newline: for that architecture; loads go through L1 as in the published table where that is the
   table's own architecture. A point that no GPU can launch has a failure in the place of the request and
   the prediction. A prediction may take a second: those that are not begun within budget_ms say so. 0, or
   -1: no memory. */
int recipe_predictions_write(struct buffer *out, const struct recipe *recipe, const char *arch,
                             int budget_ms);

/* The same as a table: with columns NULL or empty the axes, what is predicted and what was published, else
   the columns that are named, of those that all tables have. 0; or -1 with what is wrong in `detail`,
   which is empty where there was no memory. */
int recipe_predictions_csv(struct buffer *out, const struct recipe *recipe, const char *arch, int budget_ms,
                           const char *columns, char detail[COLUMNS_DETAIL_BYTES]);

#endif
