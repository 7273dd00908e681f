/* Frees a draft, and writes it as a request has it. */
#include "kernels/source/source_draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void source_draft_free(struct source_draft *draft)
{
    free(draft->source);
    for (int i = 0; i < draft->argument_count; i++)
        free(draft->argument[i].fill.values);
    for (int i = 0; i < draft->constant_count; i++)
        free(draft->constant[i].values);
    *draft = (struct source_draft){0};
}

void source_draft_pointer(const struct source_argument *a, const char *member, char *pointer, size_t size)
{
    if (a->field < 0)
        snprintf(pointer, size, "#/arguments/%d/%s", a->index, member);
    else
        snprintf(pointer, size, "#/arguments/%d/fields/%d/%s", a->index, a->field, member);
}

static void write_argument(struct json_writer *json, const struct source_argument *a)
{
    static const char *const roles[] = {
        [BUFFER_INPUT] = "input", [BUFFER_OUTPUT] = "output", [BUFFER_ACCUMULATED] = "accumulated"};
    const char *dot = a->field < 0 ? NULL : strchr(a->name, '.');
    char type[SOURCE_TYPE_NAME_BYTES];
    source_type_name(a->type, type);
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "name", dot ? dot + 1 : a->name);
    json_writer_string(json, "type", type);
    if (a->pointer) {
        json_writer_string(json, "elements", a->elements);
        json_writer_string(json, "role", roles[a->role]);
        source_fill_json(json, "fill", &a->fill);
    } else if (a->value == SOURCE_VALUE_SIZE) {
        json_writer_string(json, "value", "size");
    } else if (a->value == SOURCE_VALUE_GIVEN) {
        source_fill_number_json(json, "value", &a->fallback);
    }
    json_writer_end(json);
}

static void write_arguments(struct json_writer *json, const struct source_draft *draft)
{
    json_writer_begin_array(json, "arguments");
    for (int i = 0; i < draft->argument_count; i++) {
        const struct source_argument *a = &draft->argument[i];
        char name[SOURCE_NAME_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(a->name, "."), a->name);
        if (a->field == 0) {
            json_writer_begin_object(json, NULL);
            json_writer_string(json, "name", name);
            json_writer_begin_array(json, "fields");
        }
        write_argument(json, a);
        if (a->field >= 0 && (i + 1 == draft->argument_count || a[1].index != a->index)) {
            json_writer_end(json);
            json_writer_end(json);
        }
    }
    json_writer_end(json);
}

static void write_constants(struct json_writer *json, const struct source_draft *draft)
{
    char type[SOURCE_TYPE_NAME_BYTES];
    json_writer_begin_object(json, "constants");
    for (int i = 0; i < draft->constant_count; i++) {
        const struct source_constant *c = &draft->constant[i];
        source_type_name(c->type, type);
        json_writer_begin_object(json, c->name);
        json_writer_string(json, "type", type);
        json_writer_begin_array(json, "values");
        for (size_t v = 0; v < c->value_count; v++)
            source_fill_number_json(json, NULL, &c->values[v]);
        json_writer_end(json);
        json_writer_end(json);
    }
    json_writer_end(json);
}

void source_draft_json(struct json_writer *json, const struct source_draft *draft)
{
    json_writer_string(json, "source", draft->source);
    json_writer_string(json, "entry", draft->entry);
    write_arguments(json, draft);
    if (draft->constant_count)
        write_constants(json, draft);
    if (draft->threads[0][0])
        json_writer_begin_array(json, "threads");
    for (int i = 0; i < 3 && draft->threads[i][0]; i++)
        json_writer_string(json, NULL, draft->threads[i]);
    if (draft->threads[0][0])
        json_writer_end(json);
    if (draft->shared_bytes)
        json_writer_int(json, "shared_bytes", draft->shared_bytes);
}

struct buffer source_draft_text(const struct source_draft *draft)
{
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    json_writer_begin_object(&json, NULL);
    source_draft_json(&json, draft);
    json_writer_end(&json);
    text.failed |= json_writer_finish(&json) < 0;
    return text;
}
