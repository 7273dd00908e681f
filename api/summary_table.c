#include "api/summary_table.h"

#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/json_parts.h"
#include "base/json_writer.h"

int summary_table_make(struct summary_table *table, const char *values)
{
    const struct figures *figures = figures_get();
    const char *name;
    json_t *value;
    *table = (struct summary_table){.values = json_loads(values, 0, NULL)};
    if (!table->values)
        return -1;
    table->names[table->count++] = "index";
    json_object_foreach (table->values, name, value)
        if (table->count < COLUMNS_MAX - figures->summary_count)
            table->names[table->count++] = name;
    for (int i = 0; i < figures->summary_count; i++)
        table->names[table->count++] = figures->names[figures->summary[i]];
    return 0;
}

void summary_table_clear(struct summary_table *table)
{
    json_decref(table->values);
    *table = (struct summary_table){0};
}

/* What a device must be, as JSON. */
static void object_cell(struct buffer *out, const json_t *value)
{
    char *text = json_parts_text(value);
    if (text)
        csv_text(out, text, strlen(text));
    out->failed |= !text;
    free(text);
}

/* A shape is written as 32x8. */
static void axis_cell(struct buffer *out, const json_t *value)
{
    struct json_writer number = {.out = out};
    size_t i;
    const json_t *item;
    if (json_is_string(value))
        csv_text(out, json_string_value(value), json_string_length(value));
    else if (json_is_integer(value))
        json_writer_int(&number, NULL, json_integer_value(value));
    else if (json_is_real(value))
        json_writer_double(&number, NULL, json_real_value(value));
    else if (json_is_object(value))
        object_cell(out, value);
    json_array_foreach (value, i, item)
        buffer_format(out, "%s%lld", i ? "x" : "", (long long)json_integer_value(item));
}

int summary_table_row(struct buffer *out, const struct point_summary *summary, const struct columns *columns,
                      const struct view_point *point)
{
    json_t *values = json_loads(point->values, 0, NULL);
    int axes = (int)json_object_size(values);
    for (int i = 0; i < columns->count; i++) {
        int column = columns->at[i];
        buffer_text(out, i ? "," : "");
        if (column == 0) {
            buffer_format(out, "%d", point->index);
        } else if (column <= axes) {
            void *axis = json_object_iter(values);
            while (--column > 0)
                axis = json_object_iter_next(values, axis);
            axis_cell(out, json_object_iter_value(axis));
        } else {
            point_summary_cell(summary, out, figures_get()->summary[column - axes - 1]);
        }
    }
    json_decref(values);
    return buffer_text(out, "\r\n");
}
