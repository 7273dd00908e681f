/* Chooses the metrics of a set of counters, and asks CUPTI for their passes. */
#ifdef COALESCED_HAVE_CUPTI
#include "kernels/device/counters_plan.h"

#include <stdio.h>

#include "kernels/device/counters_chips.h"

void plan::host_free()
{
    CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize, p);
    p.pHostObject = host;
    if (host)
        lib->cuptiProfilerHostDeinitialize(&p);
    host = nullptr;
}

static bool host_new(const chip &c, CUpti_Profiler_Host_Object **host, cupti_refusal *why)
{
    CUPTI_PARAMS(CUpti_Profiler_Host_Initialize, p);
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = c.name.c_str();
    p.pCounterAvailabilityImage = c.availability;
    if (!cupti_ok(*c.lib, c.lib->cuptiProfilerHostInitialize(&p), "the chip's list of metrics", why))
        return false;
    *host = p.pHostObject;
    return true;
}

static CUptiResult metrics_add(const plan &made)
{
    CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics, p);
    p.pHostObject = made.host;
    p.ppMetricNames = const_cast<const char **>(made.metrics.data());
    p.numMetrics = made.metrics.size();
    return made.lib->cuptiProfilerHostConfigAddMetrics(&p);
}

/* True when the chip has the metric. Asked with an object of its own, because a metric that was added, or
   failed to be, changes the set's passes. */
static bool metric_known(const chip &c, const std::string &metric)
{
    plan scratch;
    cupti_refusal why;
    scratch.lib = c.lib;
    scratch.metrics = {metric.c_str()};
    return host_new(c, &scratch.host, &why) && metrics_add(scratch) == CUPTI_SUCCESS;
}

/* A name without its form (".sum") is known, but cannot be counted. */
static std::string unknown_reason(const chip &c, const std::string &metric)
{
    plan scratch;
    cupti_refusal why;
    scratch.lib = c.lib;
    CUPTI_PARAMS(CUpti_Profiler_Host_GetMetricProperties, p);
    p.pMetricName = metric.c_str();
    if (host_new(c, &scratch.host, &why)) {
        p.pHostObject = scratch.host;
        if (c.lib->cuptiProfilerHostGetMetricProperties(&p) == CUPTI_SUCCESS)
            return c.name +
                   " knows this metric, but cannot count it in this form (as with .sum, .avg or .pct)";
    }
    return c.name + " has no metric of this name";
}

static void plan_collect(plan *made)
{
    made->metrics.clear();
    for (const std::string &one : made->metric)
        if (!one.empty())
            made->metrics.push_back(one.c_str());
}

/* Chooses the metric of each counter, with the alternative names of the table. */
static void plan_resolve(const chip &c, const counters &wanted, plan *made)
{
    for (int i = 0; i < wanted.count; i++) {
        const counter_kind *kind = counters_kind_find(wanted.at[i].name);
        const char *other = kind ? kind->metrics[1] : nullptr;
        if (metric_known(c, made->metric[i]))
            continue;
        if (other && metric_known(c, other)) {
            made->metric[i] = other;
            continue;
        }
        made->reason[i] = unknown_reason(c, made->metric[i]);
        made->metric[i].clear();
    }
    plan_collect(made);
}

static bool plan_config(plan *made, cupti_refusal *why)
{
    const cupti &lib = *made->lib;
    CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize, size);
    size.pHostObject = made->host;
    if (!cupti_ok(lib, lib.cuptiProfilerHostGetConfigImageSize(&size), "the configuration's size", why))
        return false;
    made->config.resize(size.configImageSize);
    CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage, image);
    image.pHostObject = made->host;
    image.configImageSize = made->config.size();
    image.pConfigImage = made->config.data();
    if (!cupti_ok(lib, lib.cuptiProfilerHostGetConfigImage(&image), "the configuration", why))
        return false;
    CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses, passes);
    passes.configImageSize = made->config.size();
    passes.pConfigImage = made->config.data();
    if (!cupti_ok(lib, lib.cuptiProfilerHostGetNumOfPasses(&passes), "the number of passes", why))
        return false;
    made->passes = passes.numOfPasses;
    return true;
}

/* All metrics are added in one call: separate calls lead to more passes, and to some wrong percentages. */
bool counters_plan_make(const chip &c, const counters &wanted, plan *made, cupti_refusal *why)
{
    made->lib = c.lib;
    made->reason.resize(wanted.count);
    for (int i = 0; i < wanted.count; i++)
        made->metric.push_back(wanted.at[i].metric);
    plan_collect(made);
    if (!host_new(c, &made->host, why))
        return false;
    CUptiResult code = metrics_add(*made);
    if (code != CUPTI_SUCCESS) {
        made->host_free();
        plan_resolve(c, wanted, made);
        if (made->metrics.empty()) {
            snprintf(why->reason, sizeof why->reason, "%s has none of these metrics", c.name.c_str());
            why->remedy = "name others";
            return false;
        }
        if (!host_new(c, &made->host, why))
            return false;
        code = metrics_add(*made);
    }
    return cupti_ok(*c.lib, code, "the metrics", why) && plan_config(made, why);
}

void counters_plan_copy(const plan &made, counters *out)
{
    out->passes = (unsigned)made.passes;
    for (int i = 0; i < out->count; i++) {
        snprintf(out->at[i].metric, sizeof out->at[i].metric, "%s", made.metric[i].c_str());
        snprintf(out->at[i].reason, sizeof out->at[i].reason, "%s", made.reason[i].c_str());
    }
}

extern "C" int counters_chips(const char *const **names, int *count, error *error)
{
    cupti lib = {};
    cupti_refusal why = {};
    CUPTI_PARAMS(CUpti_Profiler_Host_GetSupportedChips, p);
    if (!cupti_open(&lib, &why) ||
        !cupti_ok(lib, lib.cuptiProfilerHostGetSupportedChips(&p), "the list of chips", &why))
        return error_set(error, ERROR_NOT_FOUND, "%s", why.reason);
    *names = p.ppChipNames;
    *count = (int)p.numChips;
    return 0;
}

extern "C" int counters_chips_plan(const char *name, const counters_wanted *wanted, counters *out,
                                   error *error)
{
    cupti lib = {};
    cupti_refusal why = {};
    plan made;
    counters_begin(out, wanted);
    if (!cupti_open(&lib, &why) || !counters_plan_make({&lib, name, nullptr}, *out, &made, &why))
        return error_set(error, ERROR_NOT_FOUND, "%s", why.reason);
    counters_plan_copy(made, out);
    return 0;
}
#endif
