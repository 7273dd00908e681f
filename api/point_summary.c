#include "api/point_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/problem.h"
#include "base/json_writer.h"
#include "kernels/statistics.h"

struct point_summary *point_summary_new(int runs)
{
    struct point_summary *summary = calloc(1, sizeof *summary);
    if (!summary)
        return NULL;
    size_t count = (size_t)(runs > 0 ? runs : 1);
    summary->runs = runs;
    summary->cold.medians = calloc(count, sizeof *summary->cold.medians);
    summary->hot.medians = calloc(count, sizeof *summary->hot.medians);
    summary->names = calloc(count, sizeof *summary->names);
    summary->id = calloc(count, sizeof *summary->id);
    if (summary->cold.medians && summary->hot.medians && summary->names && summary->id)
        return summary;
    point_summary_free(summary);
    return NULL;
}

void point_summary_free(struct point_summary *summary)
{
    if (!summary)
        return;
    free(summary->cold.medians);
    free(summary->hot.medians);
    free(summary->names);
    free(summary->id);
    buffer_free(&summary->failure);
    free(summary);
}

void point_summary_begin(struct point_summary *summary)
{
    summary->asked = summary->ended = summary->running = summary->succeeded = summary->unwritten = 0;
    summary->placements = summary->ids = 0;
    summary->cold.count = summary->hot.count = 0;
    summary->state = NULL;
    summary->device = -1;
    summary->device_name[0] = '\0';
    summary->failure.size = 0;
    for (int i = 0; i < FIGURES_SUMMARY_MAX; i++)
        summary->values[i] = (struct summary_value){.number = NAN};
}

/* ---- a run ---- */

static double number_of(const struct scan_value *value)
{
    char *end;
    double number = value->length ? strtod(value->at, &end) : NAN;
    return value->length && end != value->at ? number : NAN;
}

/* The time that a figure belongs to is in its name. */
static struct summary_time *time_of(struct point_summary *summary, const struct figure *figure)
{
    return strncmp(figure->name, "hot_", 4) == 0 ? &summary->hot : &summary->cold;
}

static void median_add(struct summary_time *time, const struct scan_value *found)
{
    time->run = number_of(found);
    if (time->run > 0)
        time->medians[time->count++] = time->run;
}

static void value_add(struct summary_value *value, const struct figure *figure,
                      const struct summary_time *time, const struct scan_value *found)
{
    double number = number_of(found);
    if (figure->sum == SUM_ALL) {
        bool is_true = found->length == 4 && memcmp(found->at, "true", 4) == 0;
        value->true_count += is_true;
        value->said_count += is_true || (found->length == 5 && memcmp(found->at, "false", 5) == 0);
    }
    if ((figure->sum == SUM_LOW || figure->sum == SUM_HIGH) && time->run > 0)
        value->number = number;
    if (figure->sum == SUM_AT_MEDIAN && time->run > 0)
        value->number = number * time->run; /* divided by the point's median at the end */
    if (figure->sum == SUM_LAST && !isnan(number))
        value->number = number;
    if (figure->sum == SUM_LAST && figure->type == FIGURE_TEXT && found->length >= 2 &&
        found->length - 2 < SUMMARY_TEXT_BYTES)
        snprintf(value->text, SUMMARY_TEXT_BYTES, "%.*s", (int)found->length - 2, found->at + 1);
}

static void placement_add(struct point_summary *summary, const struct scan_value *name)
{
    if (!name->length || name->length >= SUMMARY_NAME_BYTES)
        return;
    for (int i = 0; i < summary->placements; i++)
        if (strncmp(summary->names[i], name->at, name->length) == 0 && !summary->names[i][name->length])
            return;
    char *added = summary->names[summary->placements++];
    memcpy(added, name->at, name->length);
    added[name->length] = '\0';
}

/* Adds the result of a run. valid: its output is correct. Of another run only the prediction is added, which does not depend
   on the output. */
static void result_add(struct point_summary *summary, const char *result, bool valid)
{
    static const char prediction[] = "result/prediction/";
    const struct figures *figures = figures_get();
    struct scan_value found[FIGURES_SUMMARY_MAX + 1] = {0};
    scan_text(figures->summary_result, result, found);
    for (int i = 0; i < figures->summary_count; i++) {
        const struct figure *figure = &figures->all[figures->summary[i]];
        if (figure->sum == SUM_MEDIAN && valid)
            median_add(time_of(summary, figure), &found[i]);
    }
    for (int i = 0; i < figures->summary_count; i++) {
        const struct figure *figure = &figures->all[figures->summary[i]];
        if (valid || (figure->path && strncmp(figure->path, prediction, strlen(prediction)) == 0))
            value_add(&summary->values[i], figure, time_of(summary, figure), &found[i]);
    }
    if (valid)
        placement_add(summary, &found[FIGURES_PLACEMENT_SLOT]);
}

static void failure_add(struct point_summary *summary, const struct view_point *run)
{
    const struct error *failure = run->experiment ? run->experiment->failure : NULL;
    if (!run->experiment) {
        buffer_text(&summary->failure, run->failure ? run->failure : VIEW_REMOVED);
    } else if (failure && failure->kind != ERROR_NONE) {
        struct json_writer json = {.out = &summary->failure};
        json_writer_begin_object(&json, NULL);
        json_writer_string(&json, "kind", error_kind_name(failure->kind));
        problem_write_text(&json, "detail", failure->text);
        json_writer_end(&json);
    }
}

int point_summary_add(struct point_summary *summary, const struct view_point *run)
{
    const struct view_experiment *experiment = run->experiment;
    const char *id = experiment ? experiment->id : run->id;
    const char *state = experiment ? experiment->state : run->failure ? "failed" : "removed";
    bool ended = !experiment || experiment->ended, succeeded = strcmp(state, "succeeded") == 0;
    if (summary->asked++ >= summary->runs)
        return -1;
    if (experiment && experiment->device >= 0) {
        summary->device = experiment->device;
        memcpy(summary->device_name, experiment->device_name, sizeof summary->device_name);
    }
    summary->ended += ended;
    bool unwritten = experiment && experiment->unwritten;
    summary->unwritten += unwritten;
    summary->running += unwritten || strcmp(state, "running") == 0; /* as the run itself says */
    summary->succeeded += succeeded;
    if (id && strlen(id) < SUMMARY_ID_BYTES)
        memcpy(summary->id[summary->ids++], id, strlen(id) + 1);
    if (experiment && experiment->result)
        result_add(summary, experiment->result, succeeded);
    if (ended && !succeeded && !summary->state) {
        summary->state = state;
        failure_add(summary, run);
    }
    return summary->failure.failed ? -1 : 0;
}

/* ---- all of them ---- */

static void time_end(struct summary_time *time, bool repeated)
{
    time->median = time->interval[0] = time->interval[1] = NAN;
    time->no_interval = "no run has a time";
    if (!time->count)
        return;
    statistics_sort(time->medians, time->count);
    time->median = statistics_median(time->medians, time->count);
    time->no_interval = "the run has none";
    if (repeated && !statistics_median_interval(time->medians, time->count, time->interval))
        time->no_interval = "it takes 6 runs or more that have a time";
}

void point_summary_end(struct point_summary *summary)
{
    const struct figures *figures = figures_get();
    bool repeated = summary->runs > 1;
    time_end(&summary->cold, repeated);
    time_end(&summary->hot, repeated);
    for (int i = 0; i < figures->summary_count; i++) {
        const struct figure *figure = &figures->all[figures->summary[i]];
        struct summary_time *time = time_of(summary, figure);
        double *number = &summary->values[i].number;
        if (figure->sum == SUM_MEDIAN)
            *number = time->median;
        if (figure->sum == SUM_AT_MEDIAN)
            *number /= time->median;
        if (figure->sum != SUM_LOW && figure->sum != SUM_HIGH)
            continue;
        double *end = &time->interval[figure->sum == SUM_HIGH];
        if (repeated)
            *number = *end;
        else
            *end = *number; /* one run: its own interval */
        if (figure->sum == SUM_HIGH && !isnan(time->interval[0]) && !isnan(time->interval[1]))
            time->no_interval = NULL;
    }
}

const char *point_summary_state(const struct point_summary *summary)
{
    if (summary->ended < summary->asked)
        return summary->running ? "running" : "queued";
    return summary->state ? summary->state : "succeeded";
}

const char *point_summary_all(const struct point_summary *summary, const struct summary_value *value)
{
    return !value->said_count ? NULL : value->true_count == summary->succeeded ? "true" : "false";
}

/* ---- as JSON ---- */

/* The value of a figure that is in the summary. */
static const struct summary_value *value_of(const struct point_summary *summary, const char *name)
{
    const struct figures *figures = figures_get();
    int place = 0;
    while (strcmp(figures->names[figures->summary[place]], name) != 0)
        place++;
    return &summary->values[place];
}

/* Members of the open object, whose figures begin with `prefix`; NULL ends the names. */
static void numbers_json(struct json_writer *json, const struct point_summary *summary, const char *prefix,
                         const char *const names[])
{
    char figure[64];
    for (int i = 0; names[i]; i++) {
        snprintf(figure, sizeof figure, "%s_%s", prefix, names[i]);
        double number = value_of(summary, figure)->number;
        if (strstr(names[i], "transactions"))
            json_writer_amount(json, names[i], number);
        else
            json_writer_rounded(json, names[i], number);
    }
}

static void time_json(struct json_writer *json, const char *key, const struct point_summary *summary,
                      const struct summary_time *time)
{
    static const char *const rates[] = {"effective_gbps", "of_peak", NULL};
    json_writer_begin_object(json, key);
    json_writer_rounded(json, "median_us", time->median);
    if (time->no_interval) {
        json_writer_null(json, "ci95_us");
        json_writer_string(json, "ci95_reason", time->no_interval);
    } else {
        json_writer_interval(json, "ci95_us", time->interval);
    }
    /* Runs that all lay at one place say nothing of other places. */
    json_writer_string(json, "interval_of",
                       summary->runs > 1 && summary->placements != 1 ? "runs" : "placement");
    json_writer_rounded(json, "min_us", time->count ? time->medians[0] : NAN);
    json_writer_rounded(json, "max_us", time->count ? time->medians[time->count - 1] : NAN);
    numbers_json(json, summary, key, rates);
    json_writer_end(json);
}

static void all_json(struct json_writer *json, const struct point_summary *summary, const char *name)
{
    json_writer_json(json, name, point_summary_all(summary, value_of(summary, name)));
}

static void prediction_json(struct json_writer *json, const struct point_summary *summary)
{
    static const char *const pct[] = {"gld_efficiency_pct", "gst_efficiency_pct", NULL};
    static const char *const all[] = {"gld_efficiency_pct",
                                      "gst_efficiency_pct",
                                      "gld_transactions",
                                      "gst_transactions",
                                      "gld_throughput_gbps",
                                      "achieved_occupancy",
                                      NULL};
    static const char *const ways[] = {"h2d", "d2h"}, *const median[] = {"median_us", NULL};
    double predicted_us = value_of(summary, "predicted_us")->number;
    json_writer_begin_object(json, "efficiency");
    json_writer_begin_object(json, "predicted");
    numbers_json(json, summary, "predicted", pct);
    json_writer_end(json);
    json_writer_begin_object(json, "counted");
    numbers_json(json, summary, "measured", all);
    json_writer_end(json);
    json_writer_end(json);
    json_writer_begin_object(json, "transfers");
    for (int i = 0; i < 2; i++) {
        json_writer_begin_object(json, ways[i]);
        numbers_json(json, summary, ways[i], median);
        json_writer_end(json);
    }
    json_writer_end(json);
    if (isnan(predicted_us)) {
        json_writer_null(json, "time");
        return;
    }
    json_writer_begin_object(json, "time");
    json_writer_rounded(json, "predicted_us", predicted_us);
    json_writer_string(json, "limiter", value_of(summary, "limiter")->text);
    json_writer_end(json);
}

static void runs_json(struct json_writer *json, const struct point_summary *summary)
{
    json_writer_begin_object(json, "runs");
    json_writer_int(json, "asked", summary->asked);
    json_writer_int(json, "ended", summary->ended);
    json_writer_int(json, "succeeded", summary->succeeded);
    json_writer_int(json, "placements", summary->placements);
    json_writer_begin_array(json, "ids");
    for (int i = 0; i < summary->ids; i++)
        json_writer_string(json, NULL, summary->id[i]);
    json_writer_end(json);
    json_writer_end(json);
}

void point_summary_write(struct json_writer *json, const char *key, const struct point_summary *summary,
                         const struct view_point *point)
{
    json_writer_begin_object(json, key);
    json_writer_int(json, "index", point->index);
    json_writer_json(json, "values", point->values);
    view_device_name(json, summary->device, summary->device_name);
    json_writer_string(json, "state", point_summary_state(summary));
    if (summary->unwritten)
        json_writer_int(json, "unwritten", summary->unwritten);
    if (summary->failure.size)
        json_writer_json(json, "failure", summary->failure.data);
    runs_json(json, summary);
    time_json(json, "cold", summary, &summary->cold);
    time_json(json, "hot", summary, &summary->hot);
    all_json(json, summary, "verified");
    all_json(json, summary, "stable");
    prediction_json(json, summary);
    json_writer_members(json, point->reference);
    json_writer_end(json);
}
