/* GET /v1/experiments/{id}/samples: the raw samples of one that kept them. */
#include "api/csv.h"
#include "server/http/route.h"
#include "server/routes/answer_samples.h"

const struct route route_get_samples = {
    .method = "GET",
    .pattern = "/v1/experiments/{id}/samples",
    .type = "application/json",
    .other = CSV_MEDIA_TYPE,
    .flags = ROUTE_SLOW,
    .handle = reply_samples,
};
