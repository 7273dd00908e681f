/* A run's figures are found in its result's text (scan.h), as the cells of the long table are. */
#include "api/point_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/scan.h"
#include "api/text.h"
#include "kernels/statistics.h"

/* What is read of a run. Those of a time stand in the same order for both. */
enum { MEDIAN, LOW, HIGH, GBPS, OF_PEAK };
enum { COLD, HOT = SUMMARY_FIGURES, VERIFIED = 2 * SUMMARY_FIGURES, STABLE, PLACEMENT, EFFICIENCIES };
enum { PREDICTED = EFFICIENCIES + 4, LIMITER, SLOTS };
static const char *const paths[SLOTS] = {
    [COLD + MEDIAN] = "timing/cold/median_us",
    [COLD + LOW] = "timing/cold/ci95_us/0",
    [COLD + HIGH] = "timing/cold/ci95_us/1",
    [COLD + GBPS] = "bandwidth/cold/effective_gbps",
    [COLD + OF_PEAK] = "bandwidth/cold/of_peak",
    [HOT + MEDIAN] = "timing/hot/median_us",
    [HOT + LOW] = "timing/hot/ci95_us/0",
    [HOT + HIGH] = "timing/hot/ci95_us/1",
    [HOT + GBPS] = "bandwidth/hot/effective_gbps",
    [HOT + OF_PEAK] = "bandwidth/hot/of_peak",
    [VERIFIED] = "correctness/verified",
    [STABLE] = "stability/stable",
    [PLACEMENT] = "placement/name",
    [EFFICIENCIES] = "prediction/gld_efficiency_pct",
    [EFFICIENCIES + 1] = "prediction/gst_efficiency_pct",
    [EFFICIENCIES + 2] = "counters/gld_efficiency_pct",
    [EFFICIENCIES + 3] = "counters/gst_efficiency_pct",
    [PREDICTED] = "time/predicted_us",
    [LIMITER] = "time/limiter",
};

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
    for (int i = 0; i < SLOTS; i++)
        scan_add(&summary->paths, paths[i], i);
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
    summary->asked = summary->ended = summary->begun = summary->succeeded = 0;
    summary->verified = summary->stable = summary->placements = summary->ids = 0;
    summary->cold.count = summary->hot.count = 0;
    summary->state = NULL;
    summary->device = -1;
    summary->device_name[0] = '\0';
    summary->predicted_us = NAN;
    summary->limiter[0] = '\0';
    summary->failure.size = 0;
    for (int i = 0; i < 4; i++)
        summary->efficiencies[i] = NAN;
}

/* ---- a run ---- */

static double number_of(const struct scan_value *value)
{
    char *end;
    double number = value->length ? strtod(value->at, &end) : NAN;
    return value->length && end != value->at ? number : NAN;
}

static bool is_true(const struct scan_value *value)
{
    return value->length == 4 && memcmp(value->at, "true", 4) == 0;
}

static void time_add(struct summary_times *times, const struct scan_value *slots)
{
    double median = number_of(&slots[MEDIAN]);
    if (!(median > 0))
        return;
    times->medians[times->count++] = median;
    for (int i = 0; i < SUMMARY_FIGURES; i++)
        times->last[i] = number_of(&slots[i]);
}

static void placement_add(struct point_summary *summary, const struct scan_value *name)
{
    if (!name->length || name->length >= SUMMARY_NAME_BYTES)
        return;
    for (int i = 0; i < summary->placements; i++)
        if (strncmp(summary->names[i], name->at, name->length) == 0 && !summary->names[i][name->length])
            return;
    char *kept = summary->names[summary->placements++];
    memcpy(kept, name->at, name->length);
    kept[name->length] = '\0';
}

static void prediction_add(struct point_summary *summary, const struct scan_value *us,
                           const struct scan_value *limiter)
{
    size_t length = limiter->length - 2; /* a name between quotes */
    if (isnan(number_of(us)) || limiter->length < 2 || length >= SUMMARY_BOUND_BYTES)
        return;
    summary->predicted_us = number_of(us);
    memcpy(summary->limiter, limiter->at + 1, length);
    summary->limiter[length] = '\0';
}

static void result_add(struct point_summary *summary, const char *result)
{
    struct scan_value slots[SLOTS] = {0};
    scan_text(scan_find(&summary->paths, ""), result, slots);
    time_add(&summary->cold, &slots[COLD]);
    time_add(&summary->hot, &slots[HOT]);
    summary->verified += is_true(&slots[VERIFIED]);
    summary->stable += is_true(&slots[STABLE]);
    placement_add(summary, &slots[PLACEMENT]);
    prediction_add(summary, &slots[PREDICTED], &slots[LIMITER]);
    for (int i = 0; i < 4; i++)
        if (!isnan(number_of(&slots[EFFICIENCIES + i])))
            summary->efficiencies[i] = number_of(&slots[EFFICIENCIES + i]);
}

static void failure_keep(struct point_summary *summary, const struct view_point *run)
{
    const struct error *failure = run->experiment ? run->experiment->failure : NULL;
    if (!run->experiment) {
        buffer_text(&summary->failure, run->failure ? run->failure : VIEW_REMOVED);
    } else if (failure && failure->kind != ERROR_NONE) {
        buffer_format(&summary->failure, "{\"kind\":\"%s\",\"detail\":", error_kind_name(failure->kind));
        text_string(&summary->failure, failure->text);
        buffer_text(&summary->failure, "}");
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
    summary->begun += ended || strcmp(state, "running") == 0;
    summary->succeeded += succeeded;
    if (id && strlen(id) < SUMMARY_ID_BYTES)
        memcpy(summary->id[summary->ids++], id, strlen(id) + 1);
    if (succeeded && experiment->result)
        result_add(summary, experiment->result);
    if (ended && !succeeded && !summary->state) {
        summary->state = state;
        failure_keep(summary, run);
    }
    return summary->failure.failed ? -1 : 0;
}

/* ---- all of them ---- */

const char *point_summary_state(const struct point_summary *summary)
{
    if (summary->ended < summary->asked)
        return summary->begun ? "running" : "queued";
    return summary->state ? summary->state : "succeeded";
}

/* What goes with the time, at the median: the bytes are the same in every run. */
static double at_median(const struct summary_times *times, int figure)
{
    return times->count ? times->last[figure] * times->last[MEDIAN] / times->median : NAN;
}

static void times_end(struct summary_times *times, bool repeated)
{
    double interval[2] = {NAN, NAN};
    times->reason = "no run has a time";
    times->median = NAN;
    if (times->count) {
        statistics_sort(times->medians, times->count);
        times->median = statistics_median(times->medians, times->count);
    }
    if (times->count && !repeated) {
        interval[0] = times->last[LOW];
        interval[1] = times->last[HIGH];
        times->reason = "the run has none";
    } else if (times->count && !statistics_median_interval(times->medians, times->count, interval)) {
        times->reason = "it takes 6 runs or more that have a time";
    }
    times->low = interval[0];
    times->high = interval[1];
    if (!isnan(times->low) && !isnan(times->high))
        times->reason = NULL;
    times->gbps = at_median(times, GBPS);
    times->of_peak = at_median(times, OF_PEAK);
}

void point_summary_end(struct point_summary *summary)
{
    times_end(&summary->cold, summary->runs > 1);
    times_end(&summary->hot, summary->runs > 1);
}

void summary_number(struct buffer *out, double number)
{
    char text[32];
    if (!isfinite(number)) {
        buffer_text(out, "null");
        return;
    }
    snprintf(text, sizeof text, "%.7g", number);
    buffer_text(out, text);
}

static void member_number(struct buffer *out, const char *name, double number)
{
    buffer_format(out, "\"%s\":", name);
    summary_number(out, number);
}

static void times_write(struct buffer *out, const char *name, const struct summary_times *times,
                        const char *interval_of)
{
    buffer_format(out, ",\"%s\":{", name);
    member_number(out, "median_us", times->median);
    buffer_text(out, ",\"ci95_us\":");
    if (times->reason) {
        buffer_format(out, "null,\"ci95_reason\":\"%s\"", times->reason);
    } else {
        buffer_text(out, "[");
        summary_number(out, times->low);
        buffer_text(out, ",");
        summary_number(out, times->high);
        buffer_text(out, "]");
    }
    buffer_format(out, ",\"interval_of\":\"%s\",", interval_of);
    member_number(out, "min_us", times->count ? times->medians[0] : NAN);
    buffer_text(out, ",");
    member_number(out, "max_us", times->count ? times->medians[times->count - 1] : NAN);
    buffer_text(out, ",");
    member_number(out, "effective_gbps", times->gbps);
    buffer_text(out, ",");
    member_number(out, "of_peak", times->of_peak);
    buffer_text(out, "}");
}

const char *summary_all(const struct point_summary *summary, int count)
{
    return !summary->succeeded ? NULL : count == summary->succeeded ? "true" : "false";
}

static void efficiencies_write(const struct point_summary *summary, struct buffer *out)
{
    static const char *const names[] = {"gld_efficiency_pct", "gst_efficiency_pct"};
    buffer_text(out, ",\"efficiency\":{");
    for (int i = 0; i < 4; i++) {
        buffer_text(out, i == 0 ? "\"predicted\":{" : i == 2 ? "},\"counted\":{" : ",");
        member_number(out, names[i % 2], summary->efficiencies[i]);
    }
    buffer_text(out, "}}");
}

static void prediction_write(const struct point_summary *summary, struct buffer *out)
{
    if (isnan(summary->predicted_us)) {
        buffer_text(out, ",\"time\":null");
        return;
    }
    buffer_text(out, ",\"time\":{");
    member_number(out, "predicted_us", summary->predicted_us);
    buffer_format(out, ",\"limiter\":\"%s\"}", summary->limiter);
}

int point_summary_json(const struct point_summary *summary, struct buffer *out,
                       const struct view_point *point)
{
    /* Runs that all lay at one place tell nothing of others. */
    const char *interval_of = summary->runs > 1 && summary->placements != 1 ? "runs" : "placement";
    const char *verified = summary_all(summary, summary->verified),
               *stable = summary_all(summary, summary->stable);
    buffer_format(out, "{\"index\":%d,\"values\":%s", point->index, point->values);
    view_device_of(out, summary->device, summary->device_name);
    buffer_format(out, ",\"state\":\"%s\"", point_summary_state(summary));
    if (summary->failure.size)
        buffer_format(out, ",\"failure\":%s", summary->failure.data);
    buffer_format(out, ",\"runs\":{\"asked\":%d,\"ended\":%d,\"succeeded\":%d,\"placements\":%d,\"ids\":[",
                  summary->asked, summary->ended, summary->succeeded, summary->placements);
    for (int i = 0; i < summary->ids; i++)
        buffer_format(out, "%s\"%s\"", i ? "," : "", summary->id[i]);
    buffer_text(out, "]}");
    times_write(out, "cold", &summary->cold, interval_of);
    times_write(out, "hot", &summary->hot, interval_of);
    buffer_format(out, ",\"verified\":%s,\"stable\":%s", verified ? verified : "null",
                  stable ? stable : "null");
    efficiencies_write(summary, out);
    prediction_write(summary, out);
    text_members(out, point->reference);
    return buffer_text(out, "}");
}
