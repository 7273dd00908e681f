/* Says which fields of the request differ where the two sides of a comparison have no point in common. */
#include "client/answers/answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/language.h"

enum { VALUES_SHOWN = 8, FIELDS_BYTES = 512 };

/* The different values of a field in these points, as an object: {value as JSON: value}. The caller releases it. */
static json_t *values_of(const json_t *points, const char *field)
{
    json_t *values = json_object(), *point;
    size_t i;
    json_array_foreach (points, i, point) {
        json_t *value = json_object_get(point, field);
        char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
        if (value)
            json_object_set(values, text ? text : "", value);
        else
            json_object_set_new(values, "", json_null());
        free(text);
    }
    return values;
}

static bool share_one(json_t *a, const json_t *b)
{
    const char *text;
    json_t *value;
    json_object_foreach (a, text, value)
        if (json_object_get(b, text))
            return true;
    return false;
}

static void print_values(json_t *values)
{
    size_t shown = 0, count = json_object_size(values);
    const char *key, *between = "";
    json_t *value;
    json_object_foreach (values, key, value) {
        char text[JSON_PATH_TEXT_BYTES];
        json_path_value(text, value);
        if (shown++ == VALUES_SHOWN)
            break;
        text[strcspn(text, "\n")] = '\0'; /* of a source only the first line */
        printf("%s%s", between, json_is_null(value) ? language_text("nothing") : text);
        between = language_text(", ");
    }
    if (count > VALUES_SHOWN)
        printf(language_text(" and %zu more"), count - VALUES_SHOWN);
}

/* True: two points differ in their grid and in nothing else. False: the grid may follow from size and block. */
static bool grid_alone_differs(const json_t *a, const json_t *b)
{
    bool found = false;
    size_t i, k;
    json_t *one, *other;
    json_array_foreach (a, i, one)
        json_array_foreach (b, k, other) {
            json_t *bare_one = json_copy(one), *bare_other = json_copy(other);
            json_object_del(bare_one, "grid");
            json_object_del(bare_other, "grid");
            found = found || json_equal(bare_one, bare_other);
            json_decref(bare_one);
            json_decref(bare_other);
        }
    return found;
}

/* Prints a line for each field of which the two sides share no value, and appends its name to `fields`. */
static void print_fields(const json_t *a, const json_t *b, const struct screen *screen,
                         char fields[FIELDS_BYTES])
{
    json_t *names = json_object(), *point, *value;
    const char *name;
    size_t i;
    json_array_foreach (a, i, point)
        json_object_update(names, point);
    json_array_foreach (b, i, point)
        json_object_update(names, point);
    json_object_del(names, "device_uuid"); /* of the result, not of the request */
    if (!grid_alone_differs(a, b))
        json_object_del(names, "grid");
    json_object_foreach (names, name, value) {
        json_t *of_a = values_of(a, name), *of_b = values_of(b, name);
        if (!share_one(of_a, of_b)) {
            printf(language_text("%s%s%s keeps the points apart: A "), screen_style(screen, STYLE_WORSE),
                   name, screen_style(screen, STYLE_NONE));
            print_values(of_a);
            printf("%sB ", language_text("; "));
            print_values(of_b);
            putchar('\n');
            json_path_append(fields, FIELDS_BYTES, "%s%s", *fields ? "," : "", name);
        }
        json_decref(of_a);
        json_decref(of_b);
    }
    json_decref(names);
}

void answers_print_apart(const json_t *comparison, const struct screen *screen)
{
    const json_t *a = json_path_at(comparison, "a.only_here.values"),
                 *b = json_path_at(comparison, "b.only_here.values"), *name;
    double of_a = json_path_number(comparison, "a.only_here.count"),
           of_b = json_path_number(comparison, "b.only_here.count");
    char fields[FIELDS_BYTES] = "", given[FIELDS_BYTES] = "";
    size_t i, listed_a = json_array_size(a), listed_b = json_array_size(b);
    if (!listed_a || !listed_b)
        return;
    if (of_a > (double)listed_a || of_b > (double)listed_b)
        printf(language_text("The service lists %zu of these points of A and %zu of B. Of those:\n"),
               listed_a, listed_b);
    print_fields(a, b, screen, fields);
    json_array_foreach (json_object_get(comparison, "but_for"), i, name)
        json_path_append(given, sizeof given, "%s,", json_string_value(name));
    if (*fields)
        printf(language_text("--but-for %s%s compares points that differ in nothing else.\n"), given, fields);
    else
        puts(language_text("No single field keeps the points apart: their values are combined in other "
                           "ways."));
}
