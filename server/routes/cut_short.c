#include "server/routes/cut_short.h"

#include <stdio.h>
#include <string.h>

#include "api/comparison.h"
#include "server/store/label_reads.h"

enum { KEY_BYTES = 512 };

static void key_write(char key[KEY_BYTES], const char *turns, const char *owner)
{
    snprintf(key, KEY_BYTES, "%s\n%s", turns, owner);
}

static int add(void *arg, const char *turns, const char *owner, int64_t cancelled_ms)
{
    char key[KEY_BYTES];
    key_write(key, turns, owner);
    return json_object_set_new(arg, key, json_integer(cancelled_ms));
}

json_t *cut_short_read(struct store *store, struct error *error)
{
    json_t *cut_short = json_object();
    int status = cut_short ? store_cancelled_labels(store, COMPARISON_TURNS, add, cut_short, error) : 1;
    if (status == 0)
        return cut_short;
    if (status > 0)
        error_set(error, ERROR_MEMORY, "no memory to compare");
    json_decref(cut_short);
    return NULL;
}

bool cut_short_has(const json_t *cut_short, const struct job *job)
{
    char key[KEY_BYTES];
    if (!json_object_size(cut_short) || !strstr(job->request, "\"" COMPARISON_TURNS "\""))
        return false;
    json_t *asked = json_loads(job->request, 0, NULL);
    const json_t *labels = json_object_get(asked, "labels");
    const char *turns = json_string_value(json_object_get(labels, COMPARISON_TURNS));
    key_write(key, turns ? turns : "", job->owner);
    const json_t *cancelled = turns ? json_object_get(cut_short, key) : NULL;
    bool has = cancelled && job->submitted_ms <= json_integer_value(cancelled);
    json_decref(asked);
    return has;
}
