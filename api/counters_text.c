#include "api/counters_text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* For json_dumps(): a value arrives as it was counted. */
enum { EXACT = JSON_COMPACT | JSON_REAL_PRECISION(17) };

static char *text_take(json_t *object)
{
    char *text = object ? json_dumps(object, EXACT) : NULL;
    json_decref(object);
    return text;
}

static json_t *counter_pack(const struct counter *one)
{
    json_t *object =
        json_pack("{s:s,s:s,s:b}", "name", one->name, "metric", one->metric, "named", one->named);
    if (one->measured)
        json_object_set_new(object, "value", json_real(one->value));
    else
        json_object_set_new(object, "reason", json_string(one->reason));
    return object;
}

char *counters_to_text(const struct counters *c)
{
    if (c->status == COUNTERS_NOT_REQUESTED)
        return NULL;
    if (c->status == COUNTERS_UNAVAILABLE)
        return text_take(json_pack("{s:s,s:s}", "reason", c->reason, "remedy", c->remedy));
    json_t *list = json_array();
    for (int i = 0; i < c->count; i++)
        json_array_append_new(list, counter_pack(&c->at[i]));
    return text_take(
        json_pack("{s:i,s:i,s:o}", "passes", (int)c->passes, "points", c->points, "values", list));
}

char *counters_lost_to_text(const char *reason)
{
    struct counters lost;
    counters_unavailable(
        &lost, "ask again; if it stays, see the service's log and docs/operating.md, Counters", "%s", reason);
    for (char *at = lost.reason; *at; at++) /* it may be cut within a character */
        if ((unsigned char)*at >= 0x80)
            *at = '?';
    return counters_to_text(&lost);
}

/* True: the member is a text that fits. */
static bool read_text(const json_t *object, const char *member, char *to, size_t size)
{
    const char *text = json_string_value(json_object_get(object, member));
    if (!text || strlen(text) >= size)
        return false;
    memcpy(to, text, strlen(text) + 1);
    return true;
}

static bool read_counter(struct counter *one, const json_t *object)
{
    const json_t *value = json_object_get(object, "value");
    one->named = json_is_true(json_object_get(object, "named"));
    one->measured = json_is_number(value);
    one->value = json_number_value(value);
    return read_text(object, "name", one->name, sizeof one->name) &&
           read_text(object, "metric", one->metric, sizeof one->metric) &&
           (one->measured || read_text(object, "reason", one->reason, sizeof one->reason));
}

static bool read_values(struct counters *c, const json_t *object)
{
    const json_t *values = json_object_get(object, "values");
    json_int_t passes = json_integer_value(json_object_get(object, "passes"));
    json_int_t points = json_integer_value(json_object_get(object, "points"));
    if (passes < 1 || passes > 1000000 || points < 1 || points > COUNTERS_POINTS || !json_is_array(values) ||
        json_array_size(values) > COUNTERS_MAX)
        return false;
    c->status = COUNTERS_MEASURED;
    c->passes = (unsigned)passes;
    c->points = (int)points;
    for (size_t i = 0; i < json_array_size(values); i++)
        if (!read_counter(&c->at[c->count++], json_array_get(values, i)))
            return false;
    return true;
}

int counters_from_text(struct counters *c, const char *text, struct error *error)
{
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    *c = (struct counters){0};
    bool good = false;
    if (json_object_get(object, "reason")) {
        c->status = COUNTERS_UNAVAILABLE;
        good = read_text(object, "reason", c->reason, sizeof c->reason) &&
               read_text(object, "remedy", c->remedy, sizeof c->remedy);
    } else {
        good = read_values(c, object);
    }
    json_decref(object);
    if (good)
        return 0;
    *c = (struct counters){0};
    return error_set(error, ERROR_INVALID, "what was counted cannot be understood");
}
