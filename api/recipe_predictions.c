/* Walks the points of a recipe's sweep and predicts each, as JSON or as a table. */
#include "api/recipe.h"

#include <stdlib.h>
#include <string.h>

#include "api/csv.h"
#include "api/experiment_json.h"
#include "api/json_parts.h"
#include "api/prediction_json.h"
#include "api/sweep_axes.h"
#include "api/time_json.h"
#include "base/clock.h"

/* The points of a recipe: more than any has. */
enum { POINTS_MAX = 10000 };

/* A point of the recipe's sweep. */
struct predicted_point {
    const struct recipe *recipe;
    const char *arch;
    const struct sweep_axes *axes;
    const json_t *asked; /* its request; borrowed */
    int index;
    struct experiment experiment;
    struct problems problems; /* none: it can be launched, and `experiment` is there */
    bool late;                /* the time for predictions is over */
};

/* Leaves out the occupancy and the time, which a table has beside the prediction. */
static void open_prediction(struct json_writer *json, const struct predicted_point *point,
                            const struct access *access)
{
    int l1;
    const char *published = recipe_arch(point->recipe, &l1);
    bool same = published && strcmp(published, point->arch) == 0;
    enum l1_setting setting = !same || l1 < 0 ? L1_BY_ARCH : l1 ? L1_ON : L1_OFF;
    struct prediction_answer answer = {
        .arch = point->arch,
        .reason = "the predictions of this recipe take too long to be made at once; POST /v1/predictions "
                  "makes one"};
    if (!point->late)
        prediction_json_make(&answer, &point->experiment, access, point->arch, setting);
    prediction_json_open(json, "prediction", &answer);
}

static void write_occupancy_and_time(struct json_writer *json, const struct predicted_point *point,
                                     const struct access *access)
{
    const struct experiment *e = &point->experiment;
    const struct occupancy_case fill = {
        .arch = point->arch,
        .registers_per_thread = -1,
        .shared_bytes_per_block = experiment_shared_bytes(e),
        .threads_per_block = (uint64_t)(e->block[0] * e->block[1] * e->block[2]),
    };
    const struct time_question time = {
        .calibration = calibration_of_arch(point->arch), .registers = -1, .shared_bytes = -1};
    if (point->late)
        return;
    prediction_json_occupancy(json, "occupancy", &fill);
    if (time.calibration)
        time_json_write(json, "time", e, access, &time);
}

static void write_values(struct json_writer *json, const char *key, const struct predicted_point *point)
{
    json_writer_begin_object(json, key);
    for (size_t i = 0; i < point->axes->count; i++)
        json_parts_tree(json, point->axes->at[i].name,
                        json_object_get(point->asked, point->axes->at[i].name));
    json_writer_end(json);
}

static void write_failure(struct json_writer *json, const char *key, const struct predicted_point *point)
{
    json_writer_begin_object(json, key);
    json_writer_string(json, "pointer", point->problems.at[0].pointer);
    json_writer_string(json, "detail", point->problems.at[0].detail);
    json_writer_end(json);
}

static void write_published(struct json_writer *json, const struct predicted_point *point)
{
    json_t *request = experiment_json_tree(&point->experiment),
           *published = request ? recipe_published(point->recipe, request) : NULL;
    json_parts_tree(json, "published", published);
    json_decref(published);
    json_decref(request);
}

/* ---- each point ---- */

/* Receives each point. 0, or -1: no memory. */
typedef int point_taker(void *arg, const struct predicted_point *point);

static int points_walk(const struct recipe *recipe, const char *arch, struct sweep_axes *axes, json_t *asked,
                       int64_t end_ns, point_taker *take, void *arg)
{
    int index = 0;
    do {
        int set = sweep_axes_set(axes, asked);
        if (set < 0)
            return -1;
        if (!set)
            continue;
        struct predicted_point point = {
            .recipe = recipe, .arch = arch, .axes = axes, .asked = asked, .index = index++};
        experiment_json_read(&point.experiment, asked, &point.problems);
        if (point.experiment.kernel)
            experiment_check(&point.experiment, NULL, &point.problems);
        point.late = clock_monotonic_ns() >= end_ns;
        if (take(arg, &point) < 0)
            return -1;
    } while (sweep_axes_step(axes));
    return 0;
}

/* Calls `begin` with the axes and `take` with each point. 0, or -1: no memory, or either of them failed. */
static int recipe_walk(const struct recipe *recipe, const char *arch, int budget_ms,
                       int (*begin)(void *arg, const struct sweep_axes *axes), point_taker *take, void *arg)
{
    struct sweep_axes axes = {0};
    struct problems problems = {0};
    int64_t end_ns = clock_monotonic_ns() + budget_ms * INT64_C(1000000);
    json_t *none = json_object(), *sweep = none ? recipe_sweep(recipe, none) : NULL;
    json_object_del(sweep, "repeat");
    json_object_del(sweep, "spread");
    json_t *point = json_copy(sweep);
    int status = point && sweep_axes_read(&axes, sweep, POINTS_MAX, &problems) == 0 ? begin(arg, &axes) : -1;
    if (status == 0)
        status = points_walk(recipe, arch, &axes, point, end_ns, take, arg);
    sweep_axes_free(&axes);
    json_decref(point);
    json_decref(sweep);
    json_decref(none);
    return status;
}

/* ---- as JSON ---- */

static int begin_document(void *arg, const struct sweep_axes *axes)
{
    struct json_writer *json = arg;
    json_writer_begin_array(json, "axes");
    for (size_t i = 0; i < axes->count; i++)
        json_writer_string(json, NULL, axes->at[i].name);
    json_writer_end(json);
    json_writer_begin_array(json, "points");
    return 0;
}

static int write_point(void *arg, const struct predicted_point *point)
{
    struct json_writer *json = arg;
    struct access access;
    json_writer_begin_object(json, NULL);
    write_values(json, "values", point);
    if (point->problems.count) {
        write_failure(json, "failure", point);
    } else {
        experiment_text_write(json, "request", &point->experiment, NULL);
        if (!point->late)
            access_count(&point->experiment, &access);
        open_prediction(json, point, &access);
        write_occupancy_and_time(json, point, &access);
        json_writer_end(json);
        write_published(json, point);
    }
    json_writer_int(json, "index", point->index);
    json_writer_end(json);
    return 0;
}

int recipe_predictions_write(struct buffer *out, const struct recipe *recipe, const char *arch, int budget_ms)
{
    struct json_writer json = {.out = out};
    json_writer_begin_object(&json, NULL);
    json_writer_string(&json, "recipe", recipe_name(recipe));
    json_writer_string(&json, "arch", arch);
    if (recipe_walk(recipe, arch, budget_ms, begin_document, write_point, &json) < 0)
        return -1;
    json_writer_end(&json);
    json_writer_end(&json);
    return json_writer_finish(&json) < 0 ? -1 : buffer_text(out, "\n");
}

/* ---- as a table ---- */

struct table {
    struct buffer *out;
    const char *asked; /* columns */
    char *detail;      /* what is wrong with them */
    struct columns columns;
};

static const char before[] = "index,kernel,dtype,size_elements,size_rows,size_columns,block_x,block_y";
static const char behind[] =
    ",theoretical_occupancy,predicted_us,limiter,predicted_arch,predicted_exact,predicted_lanes_active,"
    "predicted_gld_requests,"
    "predicted_gld_transactions,predicted_gld_efficiency_pct,predicted_gst_requests,"
    "predicted_gst_transactions,predicted_gst_efficiency_pct,published_elapsed_ms,"
    "published_gld_transactions,published_gld_efficiency_pct,published_gst_transactions,"
    "published_gst_efficiency_pct,published_achieved_occupancy";

static int columns_choose(struct columns *columns, const struct sweep_axes *axes, const char *asked,
                          char detail[COLUMNS_DETAIL_BYTES])
{
    static const char *const shapes[] = {"kernel", "dtype", "size", "block", "grid"};
    struct buffer text = {0};
    if (asked && asked[0])
        return csv_columns(columns, asked, detail);
    buffer_text(&text, before);
    for (size_t i = 0; i < axes->count; i++) {
        bool shape = false;
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            shape |= strcmp(axes->at[i].name, shapes[s]) == 0;
        if (!shape)
            buffer_format(&text, ",%s", axes->at[i].name);
    }
    buffer_text(&text, behind);
    int status = text.failed ? -1 : csv_columns(columns, text.data, detail);
    buffer_free(&text);
    return status;
}

static int begin_table(void *arg, const struct sweep_axes *axes)
{
    struct table *table = arg;
    if (columns_choose(&table->columns, axes, table->asked, table->detail) < 0)
        return -1;
    return csv_header(table->out, &table->columns);
}

/* A row is that of an experiment whose result has the prediction alone. */
static int write_row(void *arg, const struct predicted_point *point)
{
    struct table *table = arg;
    struct buffer texts[5] = {{0}};
    enum { REQUEST, VALUES, RESULT, REFERENCE, FAILURE, TEXTS };
    struct json_writer values = {.out = &texts[VALUES]}, result = {.out = &texts[RESULT]},
                       reference = {.out = &texts[REFERENCE]}, failure = {.out = &texts[FAILURE]};
    struct access access;
    bool failed = point->problems.count > 0;
    write_values(&values, NULL, point);
    json_writer_begin_object(&result, NULL);
    json_writer_begin_object(&reference, NULL);
    if (failed) {
        write_failure(&failure, NULL, point);
    } else {
        experiment_text_write(&(struct json_writer){.out = &texts[REQUEST]}, NULL, &point->experiment, NULL);
        if (!point->late)
            access_count(&point->experiment, &access);
        open_prediction(&result, point, &access);
        json_writer_end(&result);
        write_occupancy_and_time(&result, point, &access);
        write_published(&reference, point);
    }
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
    };
    int status = 0;
    for (int i = 0; i < TEXTS; i++)
        status = texts[i].failed ? -1 : status;
    if (status == 0)
        status = csv_row(table->out, &table->columns, &row);
    for (int i = 0; i < TEXTS; i++)
        buffer_free(&texts[i]);
    return status;
}

int recipe_predictions_csv(struct buffer *out, const struct recipe *recipe, const char *arch, int budget_ms,
                           const char *asked, char detail[COLUMNS_DETAIL_BYTES])
{
    struct table table = {.out = out, .asked = asked, .detail = detail};
    detail[0] = '\0';
    return recipe_walk(recipe, arch, budget_ms, begin_table, write_row, &table);
}
