#include "api/comparison_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/json_parts.h"

json_t *comparison_csv_columns(const struct comparison *comparison)
{
    json_t *names = json_object();
    for (int i = comparison->point_count - 1; i >= 0; i--)
        if (comparison_matched(&comparison->points[i]))
            json_object_update_missing(names, comparison->points[i].fields);
    return names;
}

int comparison_csv_header(struct buffer *out, const json_t *columns)
{
    const char *name;
    json_t *value;
    buffer_text(out,
                "verdict,ratio,ratio_ci95_low,ratio_ci95_high,a_runs,a_unstable,a_placements,a_median_us,"
                "a_min_us,a_max_us,b_runs,b_unstable,b_placements,b_median_us,b_min_us,b_max_us,needs_a,"
                "needs_b,needs_code");
    json_object_foreach ((json_t *)columns, name, value)
        buffer_format(out, ",%s", name);
    return buffer_text(out, "\r\n");
}

static void cell_number(struct buffer *out, double value)
{
    buffer_text(out, ",");
    if (isfinite(value))
        buffer_format(out, "%.7g", value);
}

static void cell_value(struct buffer *out, const json_t *value)
{
    char *text = value && !json_is_null(value) ? json_parts_text(value) : NULL;
    buffer_text(out, ",");
    if (json_is_string(value))
        buffer_text(out, json_string_value(value)); /* a name needs no quotes */
    else if (text)
        buffer_format(out, strchr(text, ',') ? "\"%s\"" : "%s", text);
    free(text);
}

static void cells_side(struct buffer *out, const struct verdict_side *side, int unstable)
{
    buffer_format(out, ",%d,%d,%d", side->runs, unstable, side->placements);
    cell_number(out, side->median_us);
    cell_number(out, side->min_us);
    cell_number(out, side->max_us);
}

int comparison_csv_row(struct buffer *out, const json_t *columns, const struct comparison_point *point)
{
    const struct verdict_of *of = &point->of;
    const char *name;
    json_t *value;
    buffer_text(out, verdict_name(of->verdict));
    cell_number(out, of->ratio);
    cell_number(out, of->ratio_ci[0]);
    cell_number(out, of->ratio_ci[1]);
    cells_side(out, &of->a, point->unstable[0]);
    cells_side(out, &of->b, point->unstable[1]);
    if (of->need == VERDICT_NEEDS_NOTHING)
        buffer_text(out, ",,,");
    else
        buffer_format(out, ",%d,%d,%s", of->more_a, of->more_b, verdict_need_name(of->need));
    json_object_foreach ((json_t *)columns, name, value)
        cell_value(out, json_object_get(point->fields, name));
    return buffer_text(out, "\r\n");
}
