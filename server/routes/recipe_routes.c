/* /v1/recipes: published tables that can be run as sweeps. */
#include <string.h>

#include "api/csv.h"
#include "api/prediction_json.h"
#include "api/prediction_request.h"
#include "api/recipe.h"
#include "api/recipe_predictions.h"
#include "server/routes/route_table.h"
#include "server/routes/service.h"

static route_handler recipe_list, recipe_show, recipe_predict_all;

static const char *const queries[] = {"arch", "columns", NULL};

const struct route recipe_routes[] = {
    /* The published tables that can be run as sweeps. */
    {
        .method = "GET",
        .pattern = "/v1/recipes",
        .type = "application/json",
        .flags = ROUTE_CACHED | ROUTE_SLOW,
        .handle = recipe_list,
    },
    /* One of them, with its sweep and the published figures. */
    {
        .method = "GET",
        .pattern = "/v1/recipes/{name}",
        .type = "application/json",
        .flags = ROUTE_CACHED | ROUTE_SLOW,
        .handle = recipe_show,
    },
    /* What the model predicts for each point of the recipe on one architecture; nothing is run. */
    {
        .method = "GET",
        .pattern = "/v1/recipes/{name}/predictions",
        .type = "application/json",
        .other = CSV_MEDIA_TYPE,
        .queries = queries,
        .flags = ROUTE_SLOW,
        .handle = recipe_predict_all,
    },
    {0},
};

static enum handled recipe_list(struct request *request)
{
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    json_writer_begin_object(&json, NULL);
    json_writer_begin_array(&json, "recipes");
    for (int i = 0; i < recipe_count(); i++)
        recipe_write_summary(&json, NULL, recipe_at(i));
    json_writer_end(&json);
    json_writer_end(&json);
    buffer_text(&body, "\n");
    return reply_immutable(request, &body, "recipes");
}

static enum handled recipe_show(struct request *request)
{
    struct suggestion meant;
    const struct recipe *recipe = recipe_find(request_param(request));
    if (!recipe)
        return reply_problem(request, PROBLEM_NOT_FOUND,
                             "there is no recipe %.64s%s GET /v1/recipes lists them", request_param(request),
                             recipe_suggest(&meant, request_param(request)));
    struct buffer body = {0};
    recipe_write(&(struct json_writer){.out = &body}, NULL, recipe);
    buffer_text(&body, "\n");
    return reply_immutable(request, &body, request_param(request));
}

/* Predictions that are not begun within it are left out. */
enum { BUDGET_MS = 2000 };

static enum handled recipe_predict_all(struct request *request)
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
    return service_reply_no_memory(request, "for predictions");
}
