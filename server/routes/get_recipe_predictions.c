/* GET /v1/recipes/{name}/predictions: a recipe that is not run: what the model predicts for each of its points, for one
   architecture. As text/csv: a table. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "api/archs.h"
#include "api/csv.h"
#include "api/json.h"
#include "api/prediction_json.h"
#include "api/recipe_predictions.h"
#include "server/http/route.h"
#include "server/routes/service.h"

/* For all predictions that are begun. */
enum { BUDGET_MS = 2000 };

static const char *const queries[] = {"arch", "columns", NULL};

static enum handled reply_table(struct request *request, const json_t *document)
{
    struct buffer table = {0};
    char detail[COLUMNS_DETAIL_BYTES];
    if (recipe_predict_csv(&table, document, request_query(request, "columns"), detail) < 0 && detail[0]) {
        buffer_free(&table);
        return reply_problem(request, PROBLEM_MALFORMED, "%s", detail);
    }
    return reply_body(request, 200, &table);
}

static enum handled handle(struct request *request)
{
    struct suggestion meant;
    char detail[ARCHS_DETAIL_BYTES];
    int l1;
    const char *name = request_param(request), *asked = request_query(request, "arch");
    const struct recipe *recipe = recipe_find(name);
    bool table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    if (!recipe)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "there is no recipe %.64s%s GET /v1/recipes lists them", name,
                             recipe_suggest(&meant, name));
    if (!asked)
        asked = recipe_arch(recipe, &l1);
    const char *arch = archs_find(asked ? asked : PREDICTION_STAND_IN, detail);
    if (!arch)
        return reply_problem(request, PROBLEM_MALFORMED, "arch: %s", detail);
    if (!table && request_query(request, "columns"))
        return reply_problem(request, PROBLEM_MALFORMED,
                             "columns are a table's: ask for one with Accept: text/csv");
    json_t *document = recipe_predict(recipe, arch, BUDGET_MS);
    enum handled handled = table && document
                               ? reply_table(request, document)
                               : reply_text(request, document ? json_dumps(document, API_JSON_FLAGS) : NULL);
    json_decref(document);
    return handled;
}

const struct route route_get_recipe_predictions = {
    .method = "GET",
    .pattern = "/v1/recipes/{name}/predictions",
    .type = "application/json",
    .other = CSV_MEDIA_TYPE,
    .queries = queries,
    .flags = ROUTE_SLOW,
    .handle = handle,
};
