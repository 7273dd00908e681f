/* /v1/recipes: published tables that can be run. They do not change while the program runs. */
#include <string.h>

#include "api/csv.h"
#include "api/prediction_json.h"
#include "api/recipe.h"
#include "server/routes/service.h"

static route_handler recipe_list, recipe_show, recipe_predict_all;

static const char *const queries[] = {"arch", "columns", NULL};

const struct route recipe_routes[] = {
    /* The published tables that can be run as sweeps. */
    {"GET", "/v1/recipes", "application/json", .flags = ROUTE_CACHED | ROUTE_SLOW, .handle = recipe_list},
    /* One of them, with its sweep and the published figures. */
    {"GET", "/v1/recipes/{name}", "application/json", .flags = ROUTE_CACHED | ROUTE_SLOW,
     .handle = recipe_show},
    /* What the model predicts for each point of the recipe on one architecture; nothing is run. */
    {"GET", "/v1/recipes/{name}/predictions", "application/json", .other = CSV_MEDIA_TYPE, .queries = queries,
     .flags = ROUTE_SLOW, .handle = recipe_predict_all},
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
    return reply_immutable(request, service_line(&json), "recipes");
}

/* The recipe that the path names; NULL: *handled is the 404. */
static const struct recipe *path_recipe(struct request *request, enum handled *handled)
{
    struct suggestion meant;
    const char *name = request_param(request);
    const struct recipe *recipe = recipe_find(name);
    if (!recipe)
        *handled =
            reply_problem(request, PROBLEM_NOT_FOUND, "there is no recipe %.64s%s GET /v1/recipes lists them",
                          name, recipe_suggest(&meant, name));
    return recipe;
}

static enum handled recipe_show(struct request *request)
{
    enum handled handled;
    const struct recipe *recipe = path_recipe(request, &handled);
    if (!recipe)
        return handled;
    struct buffer body = {0};
    struct json_writer json = {.out = &body};
    recipe_write(&json, NULL, recipe);
    return reply_immutable(request, service_line(&json), request_param(request));
}

/* Predictions that are not begun within it are left out. */
enum { BUDGET_MS = 2000 };

static enum handled recipe_predict_all(struct request *request)
{
    enum handled handled;
    char detail[PREDICTION_DETAIL_BYTES];
    int l1;
    const char *asked = request_query(request, "arch"), *columns = request_query(request, "columns");
    const struct recipe *recipe = path_recipe(request, &handled);
    bool table = strcmp(request_type(request), CSV_MEDIA_TYPE) == 0;
    if (!recipe)
        return handled;
    if (!asked)
        asked = recipe_arch(recipe, &l1);
    const char *arch = prediction_json_arch(asked ? asked : PREDICTION_STAND_IN, detail);
    if (!arch)
        return reply_problem(request, PROBLEM_MALFORMED, "arch: %s", detail);
    if (!table && columns)
        return service_reply_wrong(request, "columns are a table's: ask for one with Accept: text/csv");
    struct buffer body = {0};
    char wrong[COLUMNS_DETAIL_BYTES] = "";
    int status = table ? recipe_predictions_csv(&body, recipe, arch, BUDGET_MS, columns, wrong)
                       : recipe_predictions_write(&body, recipe, arch, BUDGET_MS);
    if (status == 0)
        return reply_body(request, 200, &body);
    buffer_free(&body);
    if (wrong[0])
        return service_reply_wrong(request, wrong);
    return service_reply_no_memory(request, "for predictions");
}
