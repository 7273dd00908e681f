/* A recipe that is not run: what the model predicts for each of its points, beside what was published. */
#ifndef COALESCED_API_RECIPE_PREDICTIONS_H
#define COALESCED_API_RECIPE_PREDICTIONS_H

#include "api/columns.h"
#include "api/recipe.h"
#include "base/buffer.h"

/* {"recipe", "arch", "axes", "points": [{index, values, request, prediction, published}, ...]}: for that architecture; loads
   through L1 as in the published table where that is the table's own architecture. A point that no GPU can launch has a
   failure in the place of the request and the prediction. A prediction may take a second: those that are not begun within
   budget_ms say so. New reference; NULL: no memory. */
json_t *recipe_predict(const struct recipe *recipe, const char *arch, int budget_ms);

/* That document as a table: with columns NULL or empty the point's axes, what is predicted and what was published, else those
   named, of the columns that all tables have. 0; or -1 with what is wrong in `detail`, which is empty where there was no
   memory. */
int recipe_predict_csv(struct buffer *out, const json_t *document, const char *columns,
                       char detail[COLUMNS_DETAIL_BYTES]);

#endif
