/* GET /v1/experiments/{id}/samples.csv: the same as a table, for whoever cannot send an Accept header. */
#include "api/csv.h"
#include "server/http/route.h"
#include "server/routes/answer_samples.h"

const struct route route_get_samples_csv = {
    .method = "GET",
    .pattern = "/v1/experiments/{id}/samples.csv",
    .type = CSV_MEDIA_TYPE,
    .flags = ROUTE_SLOW,
    .handle = reply_samples,
};
