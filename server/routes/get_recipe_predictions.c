/* GET /v1/recipes/{name}/predictions: a recipe that is not run: what the model predicts for each of its points, for one
   architecture. As text/csv: a table. */
#include <string.h>

#include "api/csv.h"
#include "api/prediction_json.h"
#include "api/prediction_request.h"
#include "api/recipe_predictions.h"
#include "server/http/route.h"
#include "server/routes/service.h"

/* For all predictions that are begun. */
enum { BUDGET_MS = 2000 };

static const char *const queries[] = {"arch", "columns", NULL};

static enum handled handle(struct request *request)
{
    struct suggestion meant;
    char detail[PREDICTION_REQUEST_DETAIL_BYTES];
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
    const char *arch = prediction_request_arch(asked ? asked : PREDICTION_STAND_IN, detail);
    if (!arch)
        return reply_problem(request, PROBLEM_MALFORMED, "arch: %s", detail);
    if (!table && request_query(request, "columns"))
        return reply_problem(request, PROBLEM_MALFORMED,
                             "columns are a table's: ask for one with Accept: text/csv");
    struct buffer body = {0};
    char wrong[COLUMNS_DETAIL_BYTES] = "";
    int status = table ? recipe_predictions_csv(&body, recipe, arch, BUDGET_MS,
                                                request_query(request, "columns"), wrong)
                       : recipe_predictions_write(&body, recipe, arch, BUDGET_MS);
    if (status == 0)
        return reply_body(request, 200, &body);
    buffer_free(&body);
    if (wrong[0])
        return reply_problem(request, PROBLEM_MALFORMED, "%s", wrong);
    return reply_problem(request, PROBLEM_UNAVAILABLE, "there is no memory for predictions");
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
