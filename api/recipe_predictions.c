/* Walks the points of a recipe's sweep and predicts each, as JSON or as a table. */
#include "api/recipe.h"

#include <string.h>

#include "api/csv.h"
#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/occupancy_json.h"
#include "api/prediction_json.h"
#include "api/sweep_axes.h"
#include "api/time_json.h"
#include "base/clock.h"
#include "base/words.h"

/* The points of a recipe: more than any has. */
enum { POINTS_MAX = 10000 };

/* The points of a recipe's sweep, each of which is in turn the current one. */
struct predictions {
    const struct recipe *recipe;
    const char *arch;
    int64_t end_ns; /* of the time for predictions */
    struct sweep_axes axes;
    json_t *sweep, *asked; /* owned; `asked` is the current point's request */
    bool begun;
    int index;                /* of the current point */
    struct problems problems; /* none: it can be launched, and `experiment` is there */
    struct experiment experiment;
    bool late;            /* the time for predictions is over */
    struct access access; /* of a point that is not late */
};

/* 0; or -1: no memory. predictions_end() in any case. */
static int predictions_begin(struct predictions *point, const struct recipe *recipe, const char *arch,
                             int budget_ms)
{
    struct problems problems = {0};
    json_t *none = json_object();
    *point = (struct predictions){.recipe = recipe, .arch = arch, .index = -1};
    point->end_ns = clock_monotonic_ns() + budget_ms * INT64_C(1000000);
    point->sweep = none ? recipe_sweep(recipe, none) : NULL;
    json_decref(none);
    json_object_del(point->sweep, "repeat");
    json_object_del(point->sweep, "spread");
    point->asked = json_copy(point->sweep);
    return point->asked ? sweep_axes_read(&point->axes, point->sweep, NULL, POINTS_MAX, &problems) : -1;
}

/* Makes the next point the current one. 1; 0: there is none; -1: no memory. */
static int predictions_next(struct predictions *point)
{
    int set = 0;
    while (!set) {
        if (point->begun && !sweep_axes_step(&point->axes))
            return 0;
        point->begun = true;
        set = sweep_axes_set(&point->axes, point->asked);
    }
    if (set < 0)
        return -1;
    point->index++;
    point->problems.count = 0;
    experiment_json_read(&point->experiment, point->asked, &point->problems);
    if (point->experiment.kernel)
        experiment_check(&point->experiment, NULL, &point->problems);
    point->late = clock_monotonic_ns() >= point->end_ns;
    if (!point->problems.count && !point->late)
        access_count(&point->experiment, &point->access);
    return 1;
}

static void predictions_end(struct predictions *point)
{
    sweep_axes_free(&point->axes);
    json_decref(point->asked);
    json_decref(point->sweep);
}

/* Of the current point for that architecture; loads go through L1 as in the published table where that is the
   table's own. */
static struct prediction_answer prediction_of(const struct predictions *point, const char *arch)
{
    int l1;
    const char *published = recipe_arch(point->recipe, &l1);
    bool same = published && strcmp(published, arch) == 0;
    enum l1_setting setting = !same || l1 < 0 ? L1_BY_ARCH : l1 ? L1_ON : L1_OFF;
    struct prediction_answer answer = {
        .arch = arch,
        .reason = "the predictions of this recipe take too long to be made at once; POST /v1/predictions "
                  "makes one"};
    if (!point->late)
        prediction_json_make(&answer, &point->experiment, &point->access, arch, setting);
    return answer;
}

/* Leaves out the occupancy and the time, which a table has beside the prediction. */
static void open_prediction(struct json_writer *json, const struct predictions *point)
{
    struct prediction_answer answer = prediction_of(point, point->arch);
    prediction_json_open(json, "prediction", &answer);
}

static void write_occupancy_and_time(struct json_writer *json, const struct predictions *point)
{
    const struct experiment *e = &point->experiment;
    const struct occupancy_case fill = occupancy_json_case(e, point->arch);
    const struct time_question time = {
        .calibration = calibration_of_arch(point->arch), .registers = -1, .shared_bytes = -1};
    if (point->late)
        return;
    occupancy_json_write(json, "occupancy", &fill);
    if (time.calibration)
        time_json_write(json, "time", e, &point->access, &time);
}

static void write_values(struct json_writer *json, const char *key, const struct predictions *point)
{
    json_writer_begin_object(json, key);
    for (size_t i = 0; i < point->axes.count; i++)
        json_parts_tree(json, point->axes.at[i].name, json_object_get(point->asked, point->axes.at[i].name));
    json_writer_end(json);
}

static void write_failure(struct json_writer *json, const char *key, const struct predictions *point)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "pointer", point->problems.at[0].pointer);
    json_writer_string(json, "detail", point->problems.at[0].detail);
    json_writer_end(json);
}

/* What was published for the point, and what is predicted for the chip that it was published for. */
static void write_reference(struct json_writer *json, const struct predictions *point)
{
    int l1;
    const char *arch = recipe_arch(point->recipe, &l1);
    bool launched = !point->problems.count;
    json_t *request = launched ? experiment_json_tree(&point->experiment) : json_incref(point->asked),
           *published = request ? recipe_published(point->recipe, request) : NULL;
    recipe_mark(point->recipe, published);
    json_parts_tree(json, "published", published);
    json_decref(published);
    json_decref(request);
    if (!launched || !arch)
        return;
    struct prediction_answer answer = prediction_of(point, arch);
    json_writer_begin_object(json, "predicted");
    prediction_json_write(json, "published_arch", &answer);
    json_writer_end(json);
}

/* ---- as JSON ---- */

static void write_point(struct json_writer *json, const struct predictions *point)
{
    json_writer_begin_object(json, NULL);
    write_values(json, "values", point);
    if (point->problems.count) {
        write_failure(json, "failure", point);
    } else {
        experiment_text_write(json, "request", &point->experiment, NULL);
        open_prediction(json, point);
        write_occupancy_and_time(json, point);
        json_writer_end(json);
    }
    write_reference(json, point);
    json_writer_int(json, "index", point->index);
    json_writer_end(json);
}

int recipe_predictions_write(struct buffer *out, const struct recipe *recipe, const char *arch, int budget_ms)
{
    struct json_writer json = {.out = out};
    struct predictions point;
    int status = predictions_begin(&point, recipe, arch, budget_ms);
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "recipe", recipe_name(recipe));
    json_writer_string(&json, "arch", arch);
    json_writer_begin_array(&json, "axes");
    for (size_t i = 0; i < point.axes.count; i++)
        json_writer_string(&json, NULL, point.axes.at[i].name);
    json_writer_end(&json);
    recipe_write_published(&json, "published", recipe);
    json_writer_begin_array(&json, "points");
    while (status == 0 && (status = predictions_next(&point)) > 0) {
        write_point(&json, &point);
        status = 0;
    }
    json_writer_end(&json);
    json_writer_end(&json);
    predictions_end(&point);
    return status < 0 || json_writer_finish(&json) < 0 ? -1 : buffer_text(out, "\n");
}

/* ---- as a table ---- */

static const char before[] = "index,kernel,dtype,size_elements,size_rows,size_columns,block_x,block_y";
static const char behind[] =
    ",theoretical_occupancy,predicted_us,limiter,predicted_arch,predicted_exact,predicted_lanes_active,"
    "predicted_gld_requests,"
    "predicted_gld_transactions,predicted_gld_efficiency_pct,predicted_gst_requests,"
    "predicted_gst_transactions,predicted_gst_efficiency_pct";

/* The columns of what was published, and of what is predicted for that chip. */
static void published_columns(struct buffer *text)
{
    for (const struct figure *figure = figure_table; figure->name; figure++)
        if (strncmp(figure->name, FIGURE_PUBLISHED, strlen(FIGURE_PUBLISHED)) == 0)
            buffer_format(text, ",%s", figure->name);
}

static int columns_choose(struct columns *columns, const struct sweep_axes *axes, const char *asked,
                          char detail[COLUMNS_DETAIL_BYTES])
{
    static const char *const shapes[] = {"kernel", "dtype", "size", "block", "grid"}; /* in `before` */
    struct buffer text = {0};
    if (asked && asked[0])
        return csv_columns(columns, asked, detail);
    buffer_text(&text, before);
    for (size_t i = 0; i < axes->count; i++)
        if (words_find(axes->at[i].name, WORDS_TABLE(shapes)) < 0)
            buffer_format(&text, ",%s", axes->at[i].name);
    buffer_text(&text, behind);
    published_columns(&text);
    int status = text.failed ? -1 : csv_columns(columns, text.data, detail);
    buffer_free(&text);
    return status;
}

/* A row is that of an experiment whose result has the prediction alone. */
static int write_row(struct buffer *out, const struct columns *columns, const struct predictions *point)
{
    enum { REQUEST, VALUES, RESULT, REFERENCE, FAILURE, NOTES, TEXTS };
    struct buffer texts[TEXTS] = {{0}};
    struct json_writer values = {.out = &texts[VALUES]}, result = {.out = &texts[RESULT]},
                       reference = {.out = &texts[REFERENCE]}, failure = {.out = &texts[FAILURE]};
    bool failed = point->problems.count > 0;
    write_values(&values, NULL, point);
    json_writer_begin_object(&result, NULL);
    json_writer_begin_object(&reference, NULL);
    recipe_write_notes(&(struct json_writer){.out = &texts[NOTES]}, NULL, point->recipe);
    if (failed) {
        write_failure(&failure, NULL, point);
    } else {
        experiment_text_write(&(struct json_writer){.out = &texts[REQUEST]}, NULL, &point->experiment, NULL);
        open_prediction(&result, point);
        json_writer_end(&result);
        write_occupancy_and_time(&result, point);
    }
    write_reference(&reference, point);
    json_writer_end(&result);
    json_writer_end(&reference);
    struct view_experiment experiment = {.id = "",
                                         .state = "predicted",
                                         .device = -1,
                                         .request = texts[REQUEST].data,
                                         .result = texts[RESULT].data};
    struct view_point row = {
        .index = point->index,
        .values = texts[VALUES].data,
        .experiment = failed ? NULL : &experiment,
        .request = texts[VALUES].data,
        .failure = failed ? texts[FAILURE].data : "{}",
        .id = "",
        .reference = texts[REFERENCE].data,
        .notes = texts[NOTES].data,
    };
    int status = 0;
    for (int i = 0; i < TEXTS; i++)
        status = texts[i].failed ? -1 : status;
    if (status == 0)
        status = csv_row(out, columns, &row);
    for (int i = 0; i < TEXTS; i++)
        buffer_free(&texts[i]);
    return status;
}

int recipe_predictions_csv(struct buffer *out, const struct recipe *recipe, const char *arch, int budget_ms,
                           const char *asked, char detail[COLUMNS_DETAIL_BYTES])
{
    struct predictions point;
    struct columns columns;
    detail[0] = '\0';
    int status = predictions_begin(&point, recipe, arch, budget_ms);
    if (status == 0)
        status = columns_choose(&columns, &point.axes, asked, detail);
    if (status == 0)
        status = csv_header(out, &columns);
    while (status == 0 && (status = predictions_next(&point)) > 0)
        status = write_row(out, &columns, &point);
    predictions_end(&point);
    return status;
}
