#include "api/kernel_json.h"

#include "api/experiment_json.h"

/* Adds that text in Chinese to `zh`, which is made when it is needed; a text that serves both languages is not repeated. */
static void chinese_add(json_t **zh, const char *name, struct text_pair text)
{
    if (!text.zh)
        return;
    if (!*zh)
        *zh = json_object();
    json_object_set_new(*zh, name, json_string(text.zh));
}

static json_t *param_to_json(const struct kernel_param *param)
{
    json_t *object = json_pack("{s:s,s:s,s:s,s:s,s:o}", "name", param->name, "unit", param->unit, "text",
                               param->text.en, "type", param->type == PARAM_CHOICE ? "choice" : "integer",
                               "default", param_value_to_json(param, param->fallback));
    json_t *zh = NULL;
    chinese_add(&zh, "text", param->text);
    if (zh)
        json_object_set_new(object, "zh", zh);
    if (param->type == PARAM_CHOICE) {
        json_t *choices = json_array();
        for (int i = 0; param->choices[i]; i++)
            json_array_append_new(choices, json_string(param->choices[i]));
        json_object_set_new(object, "choices", choices);
        return object;
    }
    if (param->power_of_two) {
        json_t *values = json_array();
        for (int64_t value = param->min; value <= param->max; value *= 2)
            json_array_append_new(values, json_integer(value));
        json_object_set_new(object, "values", values);
    }
    json_object_set_new(object, "min", json_integer(param->min));
    json_object_set_new(object, "max",
                        param->max == PARAM_MAX_IS_SIZE ? json_string("size") : json_integer(param->max));
    return object;
}

static const char *role_name(enum buffer_role role)
{
    static const char *const names[] = {
        [BUFFER_INPUT] = "input", [BUFFER_OUTPUT] = "output", [BUFFER_ACCUMULATED] = "accumulated"};
    return names[role];
}

/* The ledger at the defaults, an example with its numbers. */
static json_t *ledger_to_json(struct experiment *e)
{
    struct problems problems = {0};
    experiment_check(e, NULL, &problems); /* derives the grid */
    struct domain domain = experiment_domain(e);
    struct traffic traffic = e->kernel->ledger(&domain);
    uint64_t each = dtype_bytes(e->dtype);
    return json_pack("{s:I,s:I,s:I,s:I,s:I}", "elements", (json_int_t)domain.n, "load_bytes",
                     (json_int_t)(traffic.loads * each), "store_bytes", (json_int_t)(traffic.stores * each),
                     "atomic_bytes", (json_int_t)(traffic.atomics * each), "operations",
                     (json_int_t)traffic.operations);
}

json_t *kernel_to_json(const struct kernel *kernel, bool with_source)
{
    struct experiment e;
    experiment_init(&e, kernel);
    json_t *params = json_array(), *dtypes = json_array(), *buffers = json_array();
    for (int i = 0; i < kernel->param_count; i++)
        json_array_append_new(params, param_to_json(&kernel->params[i]));
    for (int i = 0; i < DTYPE_COUNT; i++)
        if (kernel->dtypes >> i & 1u)
            json_array_append_new(dtypes, json_string(dtype_name((enum dtype)i)));
    for (int i = 0; i < kernel->buffer_count; i++)
        json_array_append_new(buffers,
                              json_pack("{s:s,s:s,s:s}", "name", kernel->buffers[i].name, "text",
                                        kernel->buffers[i].text, "role", role_name(kernel->buffers[i].role)));
    json_t *size = kernel->dims == 2 ? json_pack("[I,I]", (json_int_t)e.size[0], (json_int_t)e.size[1])
                                     : json_integer(e.size[0]);
    json_t *object = json_pack(
        "{s:s,s:s,s:s,s:s,s:o,s:i,s:i,s:i,s:i,s:o,s:o,s:{s:s,s:o,s:o},s:o,s:s}", "name", kernel->name,
        "title", kernel->title.en, "text", kernel->text.en, "lesson", kernel->lesson.en, "dtypes", dtypes,
        "size_dims", kernel->dims, "grid_dims", kernel->grid_dims, "block_dims", kernel->block_dims,
        "elements_per_thread", kernel->per_thread, "parameters", params, "buffers", buffers, "defaults",
        "dtype", dtype_name(kernel->dtype), "size", size, "block", shape_to_json(e.block), "ledger",
        ledger_to_json(&e), "sha256", kernel->sha256);
    if (object && (json_object_set_new(object, "grid_stride", json_boolean(kernel->grid_stride)) ||
                   json_object_set_new(object, "host_memory", json_boolean(kernel->host_memory)) ||
                   json_object_set_new(object, "peer", json_boolean(kernel->peer)))) {
        json_decref(object);
        return NULL;
    }
    json_t *zh = NULL;
    chinese_add(&zh, "title", kernel->title);
    chinese_add(&zh, "text", kernel->text);
    chinese_add(&zh, "lesson", kernel->lesson);
    if (object && zh)
        json_object_set_new(object, "zh", zh);
    if (object && with_source)
        json_object_set_new(object, "source", json_string(kernel->source));
    return object;
}
