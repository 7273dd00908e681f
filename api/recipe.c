/* Loads the embedded recipes, and finds what was published for a point. */
#include "api/recipe.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/prediction_json.h"
#include "api/problem.h"
#include "base/buffer.h"
#include "base/log.h"
#include "base/words.h"

extern const char *const recipe_texts[];

struct recipe {
    json_t *document;
    const json_t *sweep, *published; /* of the document */
};

static struct recipe *recipes;
static int count;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

static void load_all(void)
{
    int texts = 0;
    while (recipe_texts[texts])
        texts++;
    recipes = calloc((size_t)texts + 1, sizeof *recipes);
    for (int i = 0; recipes && i < texts; i++) {
        json_error_t error;
        json_t *document = json_loads(recipe_texts[i], JSON_REJECT_DUPLICATES, &error);
        if (!document) { /* a test loads them all */
            log_error("a recipe is not JSON: line %d: %s", error.line, error.text);
            continue;
        }
        recipes[count++] = (struct recipe){document, json_object_get(document, "sweep"),
                                           json_object_get(document, "published")};
    }
}

int recipe_count(void)
{
    pthread_once(&loaded, load_all);
    return count;
}

const struct recipe *recipe_at(int index)
{
    return index >= 0 && index < recipe_count() ? &recipes[index] : NULL;
}

const char *recipe_name(const struct recipe *recipe)
{
    return json_string_value(json_object_get(recipe->document, "name"));
}

const struct recipe *recipe_find(const char *name)
{
    for (int i = 0; i < recipe_count(); i++)
        if (strcmp(recipe_name(&recipes[i]), name) == 0)
            return &recipes[i];
    return NULL;
}

const json_t *recipe_document(const struct recipe *recipe)
{
    return recipe->document;
}

void recipe_write(struct json_writer *json, const char *key, const struct recipe *recipe)
{
    json_parts_tree(json, key, recipe->document);
}

void recipe_write_summary(struct json_writer *json, const char *key, const struct recipe *recipe)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "name", recipe_name(recipe));
    json_writer_string(json, "title", json_string_value(json_object_get(recipe->document, "title")));
    json_writer_string(json, "text", json_string_value(json_object_get(recipe->document, "text")));
    const json_t *chinese = json_object_get(recipe->document, "zh");
    json_writer_begin_object(json, "zh");
    json_writer_string(json, "title", json_string_value(json_object_get(chinese, "title")));
    json_writer_string(json, "text", json_string_value(json_object_get(chinese, "text")));
    json_writer_end(json);
    json_writer_end(json);
}

json_t *recipe_sweep(const struct recipe *recipe, const json_t *request)
{
    json_t *sweep = json_deep_copy(recipe->sweep);
    if (json_object_update(sweep, (json_t *)request)) {
        json_decref(sweep);
        return NULL;
    }
    json_object_del(sweep, "recipe");
    return sweep;
}

const char *recipe_arch(const struct recipe *recipe, int *l1)
{
    const json_t *setting = json_object_get(recipe->published, "l1");
    *l1 = json_is_boolean(setting) ? json_is_true(setting) : -1;
    return json_string_value(json_object_get(json_object_get(recipe->published, "device"), "arch"));
}

/* A field that the sweep varies, and whose values stand in the rows. */
static bool is_axis(const struct recipe *recipe, const char *name)
{
    size_t i;
    const json_t *column;
    if (json_is_array(json_object_get(recipe->sweep, name)))
        json_array_foreach (json_object_get(recipe->published, "columns"), i, column)
            if (strcmp(json_string_value(column), name) == 0)
                return 1;
    return 0;
}

/* A row is identified by the values of the axes. */
static bool row_fits(const struct recipe *recipe, const json_t *columns, const json_t *row,
                     const json_t *request)
{
    size_t i;
    const json_t *column;
    json_array_foreach (columns, i, column) {
        const char *name = json_string_value(column);
        if (is_axis(recipe, name) && !json_parts_same(json_array_get(row, i), json_object_get(request, name)))
            return 0;
    }
    return 1;
}

static bool where_fits(const json_t *where, const json_t *request)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)where, name, value)
        if (!json_parts_same(value, json_object_get(request, name)))
            return 0;
    return 1;
}

/* ---- what was published for a point ----

   The figures are chosen out of the recipe's document, a tree, and some of them are replaced: these are trees too. */

/* With every default filled in; NULL: it cannot be read, or there is no memory. */
static json_t *normal_of(const json_t *request)
{
    struct experiment experiment;
    struct problems problems = {0};
    if (experiment_json_read(&experiment, request, &problems) < 0)
        return NULL;
    experiment_check(&experiment, NULL,
                     &problems); /* derives the grid; a point that cannot be launched has none */
    return experiment_json_tree(&experiment);
}

/* The experiment that the row of this point is of. */
static json_t *row_experiment(const struct recipe *recipe, const json_t *request)
{
    const char *name;
    json_t *value, *row = json_copy((json_t *)recipe->sweep);
    json_object_foreach ((json_t *)recipe->sweep, name, value)
        if (is_axis(recipe, name))
            json_object_set(row, name, json_object_get(request, name));
    json_t *normal = normal_of(row);
    json_decref(row);
    return normal;
}

/* A grid that was not asked for follows from size and block, which are compared themselves. */
static void grid_derive(json_t *row, const json_t *request)
{
    json_t *bare = json_copy((json_t *)request);
    json_object_del(bare, "grid");
    json_t *derived = normal_of(bare);
    json_object_set(row, "grid", json_object_get(derived, "grid"));
    json_decref(derived);
    json_decref(bare);
}

/* The fields in which the point is another experiment than its row's: {"size": {"asked": ..., "published":
   ...}}. */
static json_t *differences(const struct recipe *recipe, const json_t *request)
{
    static const char *const no_matter[] = {"device",    "measure",  "counters", "transfers",
                                            "timeout_s", "priority", "labels",   "placement"};
    const char *name;
    json_t *value, *differs = json_object();
    json_t *asked = normal_of(request), *row = row_experiment(recipe, request);
    if (!json_object_get(recipe->sweep, "grid"))
        grid_derive(row, request);
    json_object_foreach (row, name, value) {
        json_t *other = json_object_get(asked, name);
        if (asked && words_find(name, WORDS_TABLE(no_matter)) < 0 &&
            !(other && json_parts_same(other, value)))
            json_object_set_new(differs, name,
                                json_pack("{s:o,s:O}", "asked", other ? json_incref(other) : json_null(),
                                          "published", value));
    }
    json_decref(row);
    json_decref(asked);
    return differs;
}

/* The columns of another size than the rest of the table: {"elapsed_ms": 16777216}. A point of that size has them
   as they were published, any other has not. */
static bool off_by_own_size(json_t *off, const struct recipe *recipe, const json_t *request,
                            const char *column)
{
    const json_t *own = json_object_get(json_object_get(recipe->published, "sizes"), column);
    char why[RECIPE_REASON_BYTES];
    if (!own)
        return false;
    recipe_size_reason(why, own);
    if (!json_parts_same(own, json_object_get(request, "size")) && !json_object_get(off, column))
        json_object_set_new(off, column, json_string(why));
    return true;
}

/* Of another size a time or a count says nothing, while a percentage still does; of other elements, blocks or
   parameters none of them does. */
static void off_by_difference(json_t *off, const struct recipe *recipe, const json_t *request,
                              const json_t *published, const json_t *differs)
{
    struct buffer why = {0};
    const char *name;
    json_t *value;
    int only_size = 1;
    json_object_foreach ((json_t *)differs, name, value) {
        char *text = json_parts_text(json_object_get(value, "published"));
        buffer_format(&why, "%s %s %s", why.size ? "," : "of", name, text ? text : "");
        free(text);
        only_size &= strcmp(name, "size") == 0 || strcmp(name, "grid") == 0;
    }
    json_object_foreach ((json_t *)published, name, value) {
        const char *end = strrchr(name, '_');
        bool percentage = end && strcmp(end, "_pct") == 0;
        if (only_size && off_by_own_size(off, recipe, request, name))
            continue;
        if (why.data && !(only_size && percentage) && !json_object_get(off, name))
            json_object_set_new(off, name, json_string(why.data));
    }
    buffer_free(&why);
}

static json_t *off_columns(const struct recipe *recipe, const json_t *request)
{
    size_t i;
    const json_t *entry;
    json_t *off = json_object();
    json_array_foreach (json_object_get(recipe->published, "off"), i, entry)
        if (where_fits(json_object_get(entry, "where"), request))
            json_object_set(off, json_string_value(json_object_get(entry, "column")),
                            json_object_get(entry, "why"));
    return off;
}

json_t *recipe_published(const struct recipe *recipe, const json_t *request)
{
    size_t i, j;
    const json_t *row, *column;
    const json_t *columns = json_object_get(recipe->published, "columns");
    json_array_foreach (json_object_get(recipe->published, "rows"), i, row) {
        if (!row_fits(recipe, columns, row, request))
            continue;
        json_t *published = json_object();
        json_array_foreach (columns, j, column)
            if (!json_object_get(request, json_string_value(column)))
                json_object_set(published, json_string_value(column), json_array_get(row, j));
        json_t *off = off_columns(recipe, request), *differs = differences(recipe, request);
        off_by_difference(off, recipe, request, published, differs);
        if (json_object_size(off))
            json_object_set(published, "off", off);
        if (json_object_size(differs))
            json_object_set(published, "differs", differs);
        json_decref(differs);
        json_decref(off);
        return published;
    }
    return json_null();
}

static void write_predicted(struct json_writer *json, const struct recipe *recipe,
                            const struct experiment *experiment, const char *device_arch)
{
    struct access access;
    struct prediction_answer answer;
    int l1;
    const char *arch = recipe_arch(recipe, &l1);
    access_count(experiment, &access);
    json_writer_begin_object(json, "predicted");
    if (arch) {
        prediction_json_make(&answer, experiment, &access, arch, l1 < 0 ? L1_BY_ARCH : l1 ? L1_ON : L1_OFF);
        prediction_json_write(json, "published_arch", &answer);
    }
    prediction_json_of_device(&answer, experiment, &access, device_arch);
    prediction_json_write(json, "device_arch", &answer);
    json_writer_end(json);
}

char *recipe_reference(const struct recipe *recipe, const char *request, const char *device_arch,
                       const char *unpredicted)
{
    struct experiment experiment;
    struct problems problems = {0};
    struct buffer text = {0};
    struct json_writer json = {.out = &text};
    json_t *object = json_loads(request, 0, NULL);
    json_t *published = object ? recipe_published(recipe, object) : NULL;
    if (!published) {
        json_decref(object);
        return NULL;
    }
    json_writer_begin_object(&json, NULL);
    json_parts_tree(&json, "published", published);
    if (unpredicted)
        json_parts_missing(&json, "predicted", "unavailable", unpredicted);
    else if (experiment_json_read(&experiment, object, &problems) == 0 &&
             experiment_check(&experiment, NULL, &problems) == 0)
        write_predicted(&json, recipe, &experiment, device_arch);
    json_writer_end(&json);
    json_decref(published);
    json_decref(object);
    return buffer_take(&text);
}

const char *recipe_suggest(struct suggestion *meant, const char *name)
{
    suggest_begin(meant, name);
    for (int i = 0; i < recipe_count(); i++)
        suggest_consider(meant, recipe_name(recipe_at(i)));
    return suggest_text(meant);
}

json_t *recipe_resolve(json_t *request, const struct recipe **recipe, struct problems *problems)
{
    const json_t *name = json_object_get(request, "recipe");
    *recipe = json_is_string(name) ? recipe_find(json_string_value(name)) : NULL;
    if (!name)
        return json_incref(request);
    if (*recipe)
        return recipe_sweep(*recipe, request);
    if (json_is_string(name)) {
        struct suggestion meant;
        problem_add(problems, "#/recipe", "there is no recipe \"%.64s\"%s GET /v1/recipes lists them",
                    json_string_value(name), recipe_suggest(&meant, json_string_value(name)));
    } else {
        problem_add(problems, "#/recipe",
                    "must be a string, the name of one recipe; GET /v1/recipes lists them");
    }
    return NULL;
}

void recipe_explain(const struct recipe *recipe, const json_t *request, struct problems *problems)
{
    const char *field;
    json_t *value;
    char text[96];
    snprintf(text, sizeof text, " (a field of recipe %s)", recipe_name(recipe));
    json_object_foreach ((json_t *)recipe->sweep, field, value)
        if (!json_object_get(request, field))
            problem_extend(problems, field, text);
}
