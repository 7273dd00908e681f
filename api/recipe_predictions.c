#include "api/recipe_predictions.h"

#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/experiment_json.h"
#include "api/json.h"
#include "api/occupancy_json.h"
#include "api/prediction_json.h"
#include "api/sweep_axes.h"
#include "api/time_json.h"
#include "base/clock.h"

/* The points of a recipe: more than any has. */
enum { POINTS_MAX = 10000 };

static json_t *predict(const struct recipe *recipe, const struct experiment *e, const char *arch, bool late)
{
    struct access access;
    int l1;
    const char *published = recipe_arch(recipe, &l1);
    enum l1_setting setting = l1 < 0 ? L1_BY_ARCH : l1 ? L1_ON : L1_OFF;
    if (late)
        return json_pack("{s:s,s:s,s:s}", "arch", arch, "status", "unavailable", "reason",
                         "the predictions of this recipe take too long to be made at once; POST "
                         "/v1/predictions makes one");
    access_count(e, &access);
    struct occupancy_case fill = {
        .arch = arch,
        .registers_per_thread = -1,
        .shared_bytes_per_block = experiment_shared_bytes(e),
        .threads_per_block = (uint64_t)(e->block[0] * e->block[1] * e->block[2]),
    };
    bool same = published && strcmp(published, arch) == 0;
    json_t *prediction = prediction_for(e, &access, arch, same ? setting : L1_BY_ARCH);
    json_object_set_new(prediction, "occupancy", occupancy_to_json(&fill));
    struct time_question time = {
        .calibration = calibration_of_arch(arch), .registers = -1, .shared_bytes = -1};
    if (time.calibration)
        json_object_set_new(prediction, "time", time_to_json(e, &access, &time));
    return prediction;
}

static json_t *values_of(const struct axes *axes, const json_t *point)
{
    json_t *values = json_object();
    for (size_t i = 0; i < axes->count; i++)
        json_object_set(values, axes->at[i].name, json_object_get(point, axes->at[i].name));
    return values;
}

static json_t *point_make(const struct recipe *recipe, const struct axes *axes, const json_t *asked,
                          const char *arch, bool late)
{
    struct experiment experiment;
    struct problems problems = {0};
    json_t *point = json_pack("{s:o}", "values", values_of(axes, asked));
    experiment_from_json(&experiment, asked, &problems);
    if (experiment.kernel)
        experiment_check(&experiment, NULL, &problems);
    if (problems.count) {
        json_object_set_new(
            point, "failure",
            json_pack("{s:s,s:s}", "pointer", problems.at[0].pointer, "detail", problems.at[0].detail));
        return point;
    }
    json_t *request = experiment_to_json(&experiment);
    json_object_set_new(point, "request", request);
    json_object_set_new(point, "prediction", predict(recipe, &experiment, arch, late));
    json_object_set_new(point, "published", recipe_published(recipe, request));
    return point;
}

static int points_make(json_t *points, const struct recipe *recipe, struct axes *axes, json_t *asked,
                       const char *arch, int64_t end_ns)
{
    do {
        int set = axes_set(axes, asked);
        if (set < 0)
            return -1;
        if (!set)
            continue;
        json_t *point = point_make(recipe, axes, asked, arch, clock_monotonic_ns() >= end_ns);
        if (json_object_set_new(point, "index", json_integer((json_int_t)json_array_size(points))) < 0 ||
            json_array_append_new(points, point) < 0)
            return -1;
    } while (axes_step(axes));
    return 0;
}

json_t *recipe_predict(const struct recipe *recipe, const char *arch, int budget_ms)
{
    struct axes axes = {0};
    struct problems problems = {0};
    json_t *none = json_object(), *asked = recipe_sweep(recipe, none), *points = json_array(),
           *names = json_array();
    int64_t end_ns = clock_monotonic_ns() + budget_ms * INT64_C(1000000);
    json_t *object = NULL;
    json_object_del(asked, "repeat");
    json_object_del(asked, "spread");
    json_t *point = json_copy(asked);
    if (point && axes_read(&axes, asked, POINTS_MAX, &problems) == 0 &&
        points_make(points, recipe, &axes, point, arch, end_ns) == 0) {
        for (size_t i = 0; i < axes.count; i++)
            json_array_append_new(names, json_string(axes.at[i].name));
        object = json_pack("{s:s,s:s,s:O,s:O}", "recipe", recipe_name(recipe), "arch", arch, "axes", names,
                           "points", points);
    }
    axes_free(&axes);
    json_decref(point);
    json_decref(asked);
    json_decref(none);
    json_decref(points);
    json_decref(names);
    return object;
}

/* ---- as a table ---- */

static const char before[] = "index,kernel,dtype,size_elements,size_rows,size_columns,block_x,block_y";
static const char behind[] =
    ",theoretical_occupancy,predicted_us,limiter,predicted_arch,predicted_exact,predicted_lanes_active,"
    "predicted_gld_requests,"
    "predicted_gld_transactions,predicted_gld_efficiency_pct,predicted_gst_requests,"
    "predicted_gst_transactions,predicted_gst_efficiency_pct,published_elapsed_ms,"
    "published_gld_transactions,published_gld_efficiency_pct,published_gst_transactions,"
    "published_gst_efficiency_pct,published_achieved_occupancy";

static int columns_choose(struct columns *columns, const json_t *document, const char *asked,
                          char detail[COLUMNS_DETAIL_BYTES])
{
    static const char *const shapes[] = {"kernel", "dtype", "size", "block", "grid"};
    struct buffer text = {0};
    size_t i;
    const json_t *axis;
    if (asked && asked[0])
        return csv_columns(columns, asked, detail);
    buffer_text(&text, before);
    json_array_foreach (json_object_get(document, "axes"), i, axis) {
        bool shape = false;
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            shape |= strcmp(json_string_value(axis), shapes[s]) == 0;
        if (!shape)
            buffer_format(&text, ",%s", json_string_value(axis));
    }
    buffer_text(&text, behind);
    int status = text.failed ? -1 : csv_columns(columns, text.data, detail);
    buffer_free(&text);
    return status;
}

static char *text_of(const json_t *value)
{
    return value ? json_dumps(value, API_JSON_FLAGS) : NULL;
}

/* A row as that of an experiment with a result of which there is the prediction alone. */
static int row_write(struct buffer *out, const struct columns *columns, const json_t *point)
{
    const json_t *prediction = json_object_get(point, "prediction");
    json_t *result = json_object(), *reference = json_object();
    json_object_set(result, "prediction", (json_t *)prediction);
    json_object_set(result, "occupancy", json_object_get(prediction, "occupancy"));
    json_object_set(result, "time", json_object_get(prediction, "time"));
    json_object_set(reference, "published", json_object_get(point, "published"));
    char *request = text_of(json_object_get(point, "request")),
         *values = text_of(json_object_get(point, "values")), *result_text = text_of(result),
         *reference_text = text_of(reference), *failure = text_of(json_object_get(point, "failure"));
    struct view_experiment experiment = {
        .id = "", .state = "predicted", .device = -1, .request = request, .result = result_text};
    struct view_point row = {
        .index = (int)json_integer_value(json_object_get(point, "index")),
        .values = values,
        .experiment = request ? &experiment : NULL,
        .request = values,
        .failure = failure ? failure : "{}",
        .id = "",
        .reference = reference_text,
    };
    int status = values && result_text && reference_text ? csv_row(out, columns, &row) : -1;
    free(request);
    free(values);
    free(result_text);
    free(reference_text);
    free(failure);
    json_decref(result);
    json_decref(reference);
    return status;
}

int recipe_predict_csv(struct buffer *out, const json_t *document, const char *asked,
                       char detail[COLUMNS_DETAIL_BYTES])
{
    struct columns columns;
    size_t i;
    const json_t *point;
    detail[0] = '\0';
    if (columns_choose(&columns, document, asked, detail) < 0)
        return -1;
    int status = csv_header(out, &columns);
    json_array_foreach (json_object_get(document, "points"), i, point)
        if (status == 0)
            status = row_write(out, &columns, point);
    return status;
}
