#include "server/routes/cut_short.h"

#include <string.h>

#include "api/comparison.h"
#include "server/store/label_reads.h"

static int add(void *arg, const char *turns, int64_t cancelled_ms)
{
    return json_object_set_new(arg, turns, json_integer(cancelled_ms));
}

json_t *cut_short_read(struct store *store, struct error *error)
{
    json_t *cut_short = json_object();
    if (!cut_short) {
        error_set(error, ERROR_MEMORY, "no memory to compare");
        return NULL;
    }
    if (store_cancelled_labels(store, COMPARISON_TURNS, add, cut_short, error) == 0)
        return cut_short;
    json_decref(cut_short);
    return NULL;
}

bool cut_short_has(const json_t *cut_short, const struct job *job)
{
    if (!json_object_size(cut_short) || !strstr(job->request, "\"" COMPARISON_TURNS "\""))
        return false;
    json_t *asked = json_loads(job->request, 0, NULL);
    const json_t *turns = json_object_get(json_object_get(asked, "labels"), COMPARISON_TURNS);
    const json_t *cancelled = turns ? json_object_get(cut_short, json_string_value(turns)) : NULL;
    bool has = cancelled && job->submitted_ms <= json_integer_value(cancelled);
    json_decref(asked);
    return has;
}
