/* Says which fields of the request differ where the two sides of a comparison have no point in common. */
#include "client/answers/answers.h"

#include <stdio.h>
#include <string.h>

#include "client/answers/json_path.h"
#include "client/terminal/language.h"

enum { FIELDS_BYTES = 512 };

/* {"count", "values"} */
static void print_values(const json_t *side)
{
    const json_t *values = json_object_get(side, "values"), *value;
    double more = json_path_number(side, "count") - (double)json_array_size(values);
    size_t i;
    json_array_foreach (values, i, value) {
        char text[JSON_PATH_TEXT_BYTES];
        json_path_value(text, value);
        text[strcspn(text, "\n")] = '\0'; /* of a source only the first line */
        printf("%s%s", i ? language_text(", ") : "", json_is_null(value) ? language_text("nothing") : text);
    }
    if (more > 0)
        printf(language_text(" and %zu more"), (size_t)more);
}

void answers_print_apart(const json_t *comparison, const struct screen *screen)
{
    const json_t *apart = json_object_get(comparison, "apart"), *row, *name;
    char fields[FIELDS_BYTES] = "";
    size_t i;
    if (!(json_path_number(comparison, "a.points") > 0 && json_path_number(comparison, "b.points") > 0))
        return;
    if (!json_array_size(apart)) {
        puts(language_text("No single field keeps the points apart: their values are combined in other "
                           "ways."));
        return;
    }
    json_array_foreach (json_object_get(comparison, "but_for"), i, name)
        json_path_append(fields, sizeof fields, "%s,", json_string_value(name));
    json_array_foreach (apart, i, row) {
        const char *field = json_path_text(row, "field", "?");
        printf(language_text("%s%s%s keeps the points apart: A "), screen_style(screen, STYLE_WORSE), field,
               screen_style(screen, STYLE_NONE));
        print_values(json_object_get(row, "a"));
        printf("%sB ", language_text("; "));
        print_values(json_object_get(row, "b"));
        putchar('\n');
        json_path_append(fields, sizeof fields, "%s%s", i ? "," : "", field);
    }
    printf(language_text("--but-for %s compares points that differ in nothing else.\n"), fields);
}
