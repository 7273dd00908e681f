#include "api/summary_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/json.h"
#include "api/text.h"

/* Behind the index and the axes. */
static const char *const behind_axes[] = {
    "state",
    "runs",
    "succeeded",
    "placements",
    "cold_median_us",
    "cold_ci95_low_us",
    "cold_ci95_high_us",
    "cold_effective_gbps",
    "cold_of_peak",
    "hot_median_us",
    "hot_ci95_low_us",
    "hot_ci95_high_us",
    "hot_effective_gbps",
    "hot_of_peak",
    "predicted_gld_efficiency_pct",
    "predicted_gst_efficiency_pct",
    "measured_gld_efficiency_pct",
    "measured_gst_efficiency_pct",
    "verified",
    "stable",
    "device_number",
    "device_alias",
    "predicted_us",
    "limiter",
};
enum {
    BEHIND = sizeof behind_axes / sizeof *behind_axes,
    STABLE = BEHIND - 5,
    DEVICE,
    ALIAS,
    PREDICTED,
    LIMITER
};

int summary_columns_make(struct summary_columns *columns, const char *values)
{
    const char *name;
    json_t *value;
    *columns = (struct summary_columns){.texts = json_loads(values, 0, NULL)};
    if (!columns->texts)
        return -1;
    columns->names[columns->count++] = "index";
    json_object_foreach ((json_t *)columns->texts, name, value)
        if (columns->count < COLUMNS_MAX - BEHIND)
            columns->names[columns->count++] = name;
    for (int i = 0; i < BEHIND; i++)
        columns->names[columns->count++] = behind_axes[i];
    return 0;
}

void summary_columns_clear(struct summary_columns *columns)
{
    json_decref(columns->texts);
    *columns = (struct summary_columns){0};
}

/* What a device must be, as JSON. */
static void object_cell(struct buffer *out, const json_t *value)
{
    char *text = json_dumps(value, API_JSON_FLAGS);
    if (text)
        csv_text(out, text, strlen(text));
    out->failed |= !text;
    free(text);
}

/* A shape is told as 32x8. */
static void axis_cell(struct buffer *out, const json_t *value)
{
    size_t i;
    const json_t *item;
    if (json_is_string(value))
        csv_text(out, json_string_value(value), json_string_length(value));
    else if (json_is_integer(value))
        text_integer(out, json_integer_value(value));
    else if (json_is_real(value))
        text_real(out, json_real_value(value));
    else if (json_is_object(value))
        object_cell(out, value);
    json_array_foreach (value, i, item)
        buffer_format(out, "%s%lld", i ? "x" : "", (long long)json_integer_value(item));
}

static void number_cell(struct buffer *out, double number)
{
    if (isfinite(number))
        summary_number(out, number);
}

static void cell_write(const struct point_summary *summary, struct buffer *out, int column)
{
    const struct summary_times *cold = &summary->cold, *hot = &summary->hot;
    const double *efficiencies = summary->efficiencies;
    const double numbers[] = {cold->median,    cold->low,      cold->high,      cold->gbps,
                              cold->of_peak,   hot->median,    hot->low,        hot->high,
                              hot->gbps,       hot->of_peak,   efficiencies[0], efficiencies[1],
                              efficiencies[2], efficiencies[3]};
    enum { FIRST = 4, NUMBERS = sizeof numbers / sizeof *numbers };
    const int counts[] = {summary->asked, summary->succeeded, summary->placements};
    const char *text = column == 0
                           ? point_summary_state(summary)
                           : summary_all(summary, column == STABLE ? summary->stable : summary->verified);
    if (column == ALIAS || column == LIMITER) {
        const char *name = column == ALIAS ? summary->device_name : summary->limiter;
        csv_text(out, name, strlen(name));
        return;
    }
    if (column == PREDICTED) {
        number_cell(out, summary->predicted_us);
        return;
    }
    if (column == DEVICE) {
        if (summary->device >= 0)
            buffer_format(out, "%d", summary->device);
        return;
    }
    if (column > 0 && column < FIRST)
        buffer_format(out, "%d", counts[column - 1]);
    else if (column >= FIRST && column < FIRST + NUMBERS)
        number_cell(out, numbers[column - FIRST]);
    else
        buffer_text(out, text ? text : "");
}

int summary_row(struct buffer *out, const struct point_summary *summary, const struct columns *columns,
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
            cell_write(summary, out, column - axes - 1);
        }
    }
    json_decref(values);
    return buffer_text(out, "\r\n");
}
