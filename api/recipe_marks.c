/* The marks of published figures that are off. The list of a recipe's marks follows from its document alone, so that a
   letter means the same in every answer: its reasons in their order, the sizes that single columns are of, and last that
   another experiment was run. */
#include "api/recipe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "api/json_parts.h"

static const char another_en[] = "of another size, block or parameter than what is run here",
                  another_zh[] = "博文数据的规模、块或参数与这里所运行的不同";

static const json_t *published_of(const struct recipe *recipe)
{
    return json_object_get(recipe_document(recipe), "published");
}

static void reason_add(json_t *reasons, const char *reason)
{
    size_t i;
    const json_t *known;
    json_array_foreach (reasons, i, known)
        if (json_parts_is(known, reason))
            return;
    json_array_append_new(reasons, json_string(reason));
}

/* Those of the document, in English; new reference. */
static json_t *reasons_of(const struct recipe *recipe)
{
    size_t i;
    const char *name;
    json_t *entry, *size, *reasons = json_array();
    json_array_foreach (json_object_get(published_of(recipe), "off"), i, entry)
        reason_add(reasons, json_string_value(json_object_get(entry, "why")));
    json_object_foreach (json_object_get(published_of(recipe), "sizes"), name, size) {
        char reason[RECIPE_REASON_BYTES];
        recipe_size_reason(reason, size);
        reason_add(reasons, reason);
    }
    return reasons;
}

void recipe_size_reason(char reason[RECIPE_REASON_BYTES], const json_t *size)
{
    snprintf(reason, RECIPE_REASON_BYTES, "of %lld elements", (long long)json_integer_value(size));
}

void recipe_mark(const struct recipe *recipe, json_t *published)
{
    const char *column;
    json_t *why, *reasons = reasons_of(recipe), *marks = json_object();
    json_object_foreach (json_object_get(published, "off"), column, why) {
        size_t at = 0;
        while (at < json_array_size(reasons) && !json_equal(json_array_get(reasons, at), why))
            at++;
        json_object_set_new(marks, column, json_sprintf("%c", (char)('a' + at)));
    }
    if (json_object_size(marks))
        json_object_set(published, "marks", marks);
    json_decref(marks);
    json_decref(reasons);
}

char *recipe_reference_marked(const struct recipe *recipe, const char *reference)
{
    json_t *object = json_loads(reference, 0, NULL);
    recipe_mark(recipe, json_object_get(object, "published"));
    char *text = json_parts_text(object);
    json_decref(object);
    return text;
}

/* ---- what all points share ---- */

static void pair_write(struct json_writer *json, const char *en, const char *zh)
{
    json_writer_string(json, "en", en);
    json_writer_string(json, "zh", zh ? zh : en);
}

static void mark_write(struct json_writer *json, size_t at, const char *en, const char *zh)
{
    const char letter[] = {(char)('a' + at), '\0'};
    json_writer_begin_object(json, NULL);
    json_writer_string(json, "mark", letter);
    pair_write(json, en, zh);
    json_writer_end(json);
}

static void marks_write(struct json_writer *json, const struct recipe *recipe, const json_t *chinese)
{
    size_t i;
    const json_t *reason;
    json_t *reasons = reasons_of(recipe);
    json_writer_begin_array(json, "marks");
    json_array_foreach (reasons, i, reason) {
        const char *en = json_string_value(reason);
        mark_write(json, i, en, json_string_value(json_object_get(json_object_get(chinese, "off"), en)));
    }
    mark_write(json, i, another_en, another_zh);
    json_writer_end(json);
    json_decref(reasons);
}

void recipe_write_notes(struct json_writer *json, const char *key, const struct recipe *recipe)
{
    size_t i;
    const json_t *note;
    const json_t *chinese = json_object_get(json_object_get(recipe_document(recipe), "zh"), "notes");
    json_writer_begin_array(json, key);
    json_array_foreach (json_object_get(published_of(recipe), "notes"), i, note) {
        json_writer_begin_object(json, NULL);
        pair_write(json, json_string_value(note), json_string_value(json_array_get(chinese, i)));
        json_writer_end(json);
    }
    json_writer_end(json);
}

void recipe_write_published(struct json_writer *json, const char *key, const struct recipe *recipe)
{
    const json_t *published = published_of(recipe), *device = json_object_get(published, "device"),
                 *chinese = json_object_get(recipe_document(recipe), "zh"),
                 *sizes = json_object_get(published, "sizes");
    if (!published) {
        json_writer_null(json, key);
        return;
    }
    json_writer_begin_object(json, key);
    json_writer_begin_object(json, "device");
    pair_write(json, json_string_value(json_object_get(device, "name")),
               json_string_value(json_object_get(chinese, "device")));
    json_writer_string(json, "arch", json_string_value(json_object_get(device, "arch")));
    json_writer_end(json);
    json_parts_tree(json, "l1", json_object_get(published, "l1"));
    json_parts_tree(json, "columns", json_object_get(published, "columns"));
    json_parts_tree(json, "request", json_object_get(recipe_document(recipe), "sweep"));
    if (sizes)
        json_parts_tree(json, "sizes", sizes);
    marks_write(json, recipe, chinese);
    recipe_write_notes(json, "notes", recipe);
    json_writer_end(json);
}
