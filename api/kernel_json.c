/* Writes a kernel's texts, parameters, buffers, defaults and ledger. */
#include "api/kernel_json.h"

#include <inttypes.h>
#include <stdio.h>

#include "kernels/experiment.h"
#include "kernels/kernel_param.h"

void kernel_json_param(struct json_writer *json, const char *key, const struct kernel_param *param,
                       int64_t value)
{
    char digits[24];
    if (param->type == PARAM_CHOICE) {
        json_writer_string(json, key, param->choices[value]);
    } else if (param->type == PARAM_NUMBER) {
        json_writer_exact(json, key, kernel_param_number(value));
    } else if (param->type == PARAM_UNSIGNED && value < 0) {
        snprintf(digits, sizeof digits, "%" PRIu64, (uint64_t)value);
        json_writer_string(json, key, digits);
    } else {
        json_writer_int(json, key, value);
    }
}

void kernel_json_domain(struct json_writer *json, const struct kernel *kernel, enum dtype dtype,
                        const int64_t size[2])
{
    if (kernel->dtypes)
        json_writer_string(json, "dtype", dtype_name(dtype));
    if (kernel->dims == 2)
        json_writer_ints(json, "size", size, 2);
    else if (kernel->dims == 1)
        json_writer_int(json, "size", size[0]);
}

/* A text that a document has in Chinese too. */
struct chinese_text {
    const char *name;
    struct text_pair text;
};

/* Writes the Chinese texts as "zh"; a text that serves both languages is not repeated. */
static void write_chinese(struct json_writer *json, const struct chinese_text *texts, int count)
{
    bool begun = false;
    for (int i = 0; i < count; i++) {
        if (!texts[i].text.zh)
            continue;
        if (!begun)
            json_writer_begin_object(json, "zh");
        begun = true;
        json_writer_string(json, texts[i].name, texts[i].text.zh);
    }
    if (begun)
        json_writer_end(json);
}

static void write_choices(struct json_writer *json, const struct kernel_param *param)
{
    json_writer_begin_array(json, "choices");
    for (int i = 0; param->choices[i]; i++)
        json_writer_string(json, NULL, param->choices[i]);
    json_writer_end(json);
}

static void write_range(struct json_writer *json, const struct kernel_param *param)
{
    if (param->power_of_two) {
        json_writer_begin_array(json, "values");
        for (int64_t value = param->min; value <= param->max; value *= 2)
            json_writer_int(json, NULL, value);
        json_writer_end(json);
    }
    kernel_json_param(json, "min", param, param->min);
    if (param->max == PARAM_MAX_IS_SIZE)
        json_writer_string(json, "max", "size");
    else
        kernel_json_param(json, "max", param, param->max);
}

static void write_params(struct json_writer *json, const struct kernel *kernel)
{
    static const char *const types[] = {[PARAM_INTEGER] = "integer",
                                        [PARAM_CHOICE] = "choice",
                                        [PARAM_UNSIGNED] = "integer",
                                        [PARAM_NUMBER] = "number"};
    json_writer_begin_array(json, "parameters");
    for (int i = 0; i < kernel->param_count; i++) {
        const struct kernel_param *param = &kernel->params[i];
        json_writer_begin_object(json, NULL);
        json_writer_string(json, "name", param->name);
        json_writer_string(json, "unit", param->unit);
        json_writer_string(json, "text", param->text.en);
        json_writer_string(json, "type", types[param->type]);
        kernel_json_param(json, "default", param, param->fallback);
        write_chinese(json, &(struct chinese_text){"text", param->text}, 1);
        if (param->type == PARAM_CHOICE)
            write_choices(json, param);
        else
            write_range(json, param);
        json_writer_end(json);
    }
    json_writer_end(json);
}

static void write_buffers(struct json_writer *json, const struct kernel *kernel)
{
    static const char *const roles[] = {
        [BUFFER_INPUT] = "input", [BUFFER_OUTPUT] = "output", [BUFFER_ACCUMULATED] = "accumulated"};
    json_writer_begin_array(json, "buffers");
    for (int i = 0; i < kernel->buffer_count; i++) {
        json_writer_begin_object(json, NULL);
        json_writer_string(json, "name", kernel->buffers[i].name);
        json_writer_string(json, "text", kernel->buffers[i].text);
        json_writer_string(json, "role", roles[kernel->buffers[i].role]);
        if (kernel->buffers[i].element_bytes)
            json_writer_uint(json, "element_bytes", kernel->buffers[i].element_bytes);
        json_writer_end(json);
    }
    json_writer_end(json);
}

static void write_defaults(struct json_writer *json, const struct experiment *e)
{
    json_writer_begin_object(json, "defaults");
    kernel_json_domain(json, e->kernel, e->kernel->dtype, e->size);
    json_writer_ints(json, "block", e->block, 3);
    json_writer_end(json);
}

/* The ledger at the defaults, as an example. */
static void write_ledger(struct json_writer *json, struct experiment *e)
{
    struct problems problems = {0};
    experiment_check(e, NULL, &problems); /* derives the grid */
    struct domain domain = experiment_domain(e);
    struct traffic traffic = e->kernel->ledger(&domain);
    uint64_t each = dtype_bytes(e->dtype);
    json_writer_begin_object(json, "ledger");
    json_writer_int(json, "elements", domain.n);
    json_writer_uint(json, "load_bytes", traffic.loads * each);
    json_writer_uint(json, "store_bytes", traffic.stores * each);
    json_writer_uint(json, "atomic_bytes", traffic.atomics * each);
    json_writer_uint(json, "operations", traffic.operations);
    json_writer_end(json);
}

void kernel_json_members(struct json_writer *json, const struct kernel *kernel)
{
    const struct chinese_text chinese[] = {
        {"title", kernel->title}, {"text", kernel->text}, {"lesson", kernel->lesson}};
    struct experiment e;
    experiment_init(&e, kernel);
    json_writer_string(json, "name", kernel->name);
    json_writer_string(json, "title", kernel->title.en);
    json_writer_string(json, "text", kernel->text.en);
    json_writer_string(json, "lesson", kernel->lesson.en);
    json_writer_begin_array(json, "dtypes");
    for (int i = 0; i < DTYPE_COUNT; i++)
        if (kernel->dtypes >> i & 1u)
            json_writer_string(json, NULL, dtype_name((enum dtype)i));
    json_writer_end(json);
    json_writer_int(json, "size_dims", kernel->dims);
    json_writer_int(json, "grid_dims", kernel->grid_dims);
    json_writer_int(json, "block_dims", kernel->block_dims);
    json_writer_int(json, "elements_per_thread", kernel->per_thread);
    write_params(json, kernel);
    write_buffers(json, kernel);
    write_defaults(json, &e);
    if (kernel->dtypes) /* elements of which its ledger is */
        write_ledger(json, &e);
    json_writer_string(json, "sha256", kernel->sha256);
    json_writer_bool(json, "grid_stride", kernel->grid_stride);
    json_writer_bool(json, "host_memory", kernel->host_memory);
    json_writer_bool(json, "peer", kernel->peer);
    write_chinese(json, chinese, sizeof chinese / sizeof *chinese);
}

void kernel_json_write(struct json_writer *json, const char *key, const struct kernel *kernel,
                       bool with_source)
{
    json_writer_begin_object(json, key);
    kernel_json_members(json, kernel);
    if (with_source)
        json_writer_string(json, "source", kernel->source);
    json_writer_end(json);
}
