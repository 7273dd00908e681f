/* One session of CUPTI's range profiler: configures, replays the passes, evaluates. */
#ifdef COALESCED_HAVE_CUPTI
#include "kernels/device/device_counters.h"

#include <math.h>
#include <stdio.h>

#include <memory>
#include <new>
#include <string>
#include <vector>

#include "base/clock.h"
#include "kernels/device/counters_plan.h"

/* The index of a point's own launch among all launches that a pass sees. */
static size_t range_of(const counters_work *work, int point)
{
    size_t range = 0;
    for (int i = 1; i <= point; i++)
        range += work->preparing[i] + 1;
    return range;
}

struct counters_session {
    void *context;
    int device_index;
    cupti lib = {};
    chip what = {};
    std::vector<uint8_t> availability;
    CUpti_RangeProfiler_Object *profiler = nullptr;
    std::unique_ptr<plan> use; /* the profiler refers to it until it is disabled */

    ~counters_session() { close(); }
    bool prepare(cupti_refusal *why);
    bool open(cupti_refusal *why);
    void close();
    bool plan_for(const counters &wanted, size_t ranges, cupti_refusal *why);
    bool configure(cupti_refusal *why);
    bool work_through(const counters_work *work, int *points, bool first, error *error);
    bool pass(const counters_work *work, int *points, bool first, bool *last, cupti_refusal *why,
              error *error, bool *failed);
    bool decode(size_t ranges, unsigned passes, bool last, cupti_refusal *why);
    bool evaluate(counters *out, size_t range, cupti_refusal *why);
    bool measure(const counters_wanted *wanted, const counters_work *work, counters *out, cupti_refusal *why,
                 error *error, bool *failed);
};

/* Asks what is needed once in a process, which takes longest. */
bool counters_session::prepare(cupti_refusal *why)
{
    if (!availability.empty())
        return true;
    if (!cupti_open(&lib, why))
        return false;
    CUPTI_PARAMS(CUpti_Profiler_Initialize, start);
    if (!cupti_ok(lib, lib.cuptiProfilerInitialize(&start), "to start", why))
        return false;
    CUPTI_PARAMS(CUpti_Device_GetChipName, name);
    name.deviceIndex = (size_t)device_index;
    if (!cupti_ok(lib, lib.cuptiDeviceGetChipName(&name), "the chip's name", why))
        return false;
    CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability, image);
    image.ctx = (CUcontext)context;
    if (!cupti_ok(lib, lib.cuptiProfilerGetCounterAvailability(&image), "the list of counters", why))
        return false;
    std::vector<uint8_t> list(image.counterAvailabilityImageSize);
    image.pCounterAvailabilityImage = list.data();
    if (!cupti_ok(lib, lib.cuptiProfilerGetCounterAvailability(&image), "the list of counters", why))
        return false;
    availability = std::move(list);
    what = {&lib, name.pChipName, availability.data()};
    return true;
}

bool counters_session::open(cupti_refusal *why)
{
    if (profiler)
        return true;
    CUPTI_PARAMS(CUpti_RangeProfiler_Enable, enable);
    enable.ctx = (CUcontext)context;
    if (!prepare(why) || !cupti_ok(lib, lib.cuptiRangeProfilerEnable(&enable), "to be enabled", why))
        return false;
    profiler = enable.pRangeProfilerObject;
    return true;
}

void counters_session::close()
{
    CUPTI_PARAMS(CUpti_RangeProfiler_Disable, p);
    p.pRangeProfilerObject = profiler;
    if (profiler && lib.cuptiRangeProfilerDisable(&p) != CUPTI_SUCCESS)
        (void)use.release(); /* leaked, because CUPTI may still write to it */
    profiler = nullptr;
    use.reset();
}

/* Configures a set of metrics. A profiler that was configured for one set continues its passes when it
   gets another (seen with CUPTI 13.0: no error, and no values of new metrics), so another set needs a new
   profiler, as does a set with more launches in a pass than its capacity. */
bool counters_session::plan_for(const counters &wanted, size_t ranges, cupti_refusal *why)
{
    std::string key;
    for (int i = 0; i < wanted.count; i++)
        key.append(wanted.at[i].name).push_back(' ');
    if (use && use->key == key && use->ranges >= ranges)
        return true;
    if (use) {
        close();
        if (!open(why))
            return false;
    }
    auto made = std::make_unique<plan>();
    made->key = key;
    if (!counters_plan_make(what, wanted, made.get(), why))
        return false;
    CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize, size);
    size.pRangeProfilerObject = profiler;
    size.pMetricNames = made->metrics.data();
    size.numMetrics = made->metrics.size();
    size.maxNumOfRanges = ranges;
    size.maxNumRangeTreeNodes = ranges + 1;
    if (!cupti_ok(lib, lib.cuptiRangeProfilerGetCounterDataSize(&size), "the data's size", why))
        return false;
    made->image.resize(size.counterDataSize);
    made->ranges = ranges;
    use = std::move(made);
    return true;
}

/* A range is a launch, which CUPTI finds by itself: ranges marked by the caller cost so much at their ends
   that the duration and rates of a short kernel are lost in it. The caller replays, so that each pass
   begins cold. */
bool counters_session::configure(cupti_refusal *why)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize, image);
    image.pRangeProfilerObject = profiler;
    image.counterDataSize = use->image.size();
    image.pCounterData = use->image.data();
    if (!cupti_ok(lib, lib.cuptiRangeProfilerCounterDataImageInitialize(&image), "room for the data", why))
        return false;
    CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig, p);
    p.pRangeProfilerObject = profiler;
    p.configSize = use->config.size();
    p.pConfig = use->config.data();
    p.counterDataImageSize = use->image.size();
    p.pCounterDataImage = use->image.data();
    p.range = CUPTI_AutoRange;
    p.replayMode = CUPTI_UserReplay;
    p.maxRangesPerPass = use->ranges;
    p.numNestingLevels = 1;
    p.minNestingLevel = 1;
    p.targetNestingLevel = 1;
    return cupti_ok(lib, lib.cuptiRangeProfilerSetConfig(&p), "the configuration", why);
}

/* Goes through the points; the first pass finds how many fit into the time. False: the work failed. */
bool counters_session::work_through(const counters_work *work, int *points, bool first, error *error)
{
    int64_t until = clock_monotonic_ns() + (int64_t)(work->ahead_s / (double)use->passes * 1e9);
    for (int i = 0; i < *points; i++) {
        if (first && i > 0 && clock_monotonic_ns() > until)
            *points = i;
        else if ((i > 0 && work->prepare(work->arg, i, error) < 0) || work->launch(work->arg, i, error) < 0)
            return false;
    }
    return true;
}

/* Does one pass. The first point is prepared outside of it: so an experiment alone has one launch in its
   passes. Each launch that CUPTI sees costs 0.8 ms. */
bool counters_session::pass(const counters_work *work, int *points, bool first, bool *last,
                            cupti_refusal *why, error *error, bool *failed)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_Start, start);
    CUPTI_PARAMS(CUpti_RangeProfiler_Stop, stop);
    start.pRangeProfilerObject = stop.pRangeProfilerObject = profiler;
    *failed = work->prepare(work->arg, 0, error) < 0;
    if (*failed || !cupti_ok(lib, lib.cuptiRangeProfilerStart(&start), "to start a pass", why))
        return false;
    *failed = !work_through(work, points, first, error);
    if (*failed || !cupti_ok(lib, lib.cuptiRangeProfilerStop(&stop), "to end a pass", why))
        return false;
    *last = stop.isAllPassSubmitted != 0;
    return true;
}

bool counters_session::evaluate(counters *out, size_t range, cupti_refusal *why)
{
    std::vector<double> values(use->metrics.size(), NAN);
    CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues, p);
    p.pHostObject = use->host;
    p.pCounterDataImage = use->image.data();
    p.counterDataImageSize = use->image.size();
    p.ppMetricNames = const_cast<const char **>(use->metrics.data());
    p.numMetrics = values.size();
    p.rangeIndex = range;
    p.pMetricValues = values.data();
    if (!cupti_ok(lib, lib.cuptiProfilerHostEvaluateToGpuValues(&p), "the values", why))
        return false;
    for (int i = 0, next = 0; i < out->count; i++) {
        counter *one = &out->at[i];
        if (!*one->metric)
            continue;
        const counter_kind *kind = counters_kind_find(one->name);
        one->value = values[next++] * (kind ? kind->scale : 1);
        one->measured = isfinite(one->value);
        if (!one->measured) {
            one->value = 0;
            snprintf(one->reason, sizeof one->reason, "no number came of it: nothing of the kind happened");
        }
    }
    out->status = COUNTERS_MEASURED;
    return true;
}

/* Decodes the data of all passes. False: refused. */
bool counters_session::decode(size_t ranges, unsigned passes, bool last, cupti_refusal *why)
{
    CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData, decode);
    decode.pRangeProfilerObject = profiler;
    if (!cupti_ok(lib, lib.cuptiRangeProfilerDecodeData(&decode), "the data", why))
        return false;
    CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo, info);
    info.pCounterDataImage = use->image.data();
    info.counterDataImageSize = use->image.size();
    if (!cupti_ok(lib, lib.cuptiRangeProfilerGetCounterDataInfo(&info), "the data's size", why))
        return false;
    if (last && !decode.numOfRangeDropped && info.numTotalRanges == ranges)
        return true;
    snprintf(why->reason, sizeof why->reason,
             "CUPTI counted %zu launches of %zu and dropped %zu in %u passes%s", info.numTotalRanges, ranges,
             decode.numOfRangeDropped, passes, last ? "" : ", and wanted more of them");
    why->remedy = "try again; if it stays, see docs/operating.md, Counters";
    return false;
}

/* Measures all points. False: refused, or with *failed the work failed. */
bool counters_session::measure(const counters_wanted *wanted, const counters_work *work, counters *out,
                               cupti_refusal *why, error *error, bool *failed)
{
    counters_begin(out, wanted);
    if (!open(why) || !plan_for(*out, range_of(work, work->points - 1) + 1, why) || !configure(why))
        return false;
    counters_plan_copy(*use, out);
    bool last = false;
    int points = work->points;
    for (out->passes = 0; !last && out->passes < 2 * use->passes; out->passes++)
        if (!pass(work, &points, out->passes == 0, &last, why, error, failed))
            return false;
    if (!decode(range_of(work, points - 1) + 1, out->passes, last, why))
        return false;
    out->points = points;
    for (int i = 1; i < points; i++)
        out[i] = out[0];
    for (int i = 0; i < points; i++)
        if (!evaluate(&out[i], range_of(work, i), why))
            return false;
    return true;
}

extern "C" counters_session *device_counters_new(void *context, int device_index)
{
    auto *session = new (std::nothrow) counters_session{};
    if (session) {
        session->context = context;
        session->device_index = device_index;
    }
    return session;
}

extern "C" void device_counters_free(counters_session *session)
{
    delete session;
}

extern "C" int device_counters_measure(counters_session *session, const counters_wanted *wanted,
                                       const counters_work *work, counters *out, error *error)
{
    cupti_refusal why = {};
    bool failed = false;
    for (int i = 0; i < work->points; i++)
        out[i] = {};
    try {
        if (session->measure(wanted, work, out, &why, error, &failed))
            return 0;
    } catch (const std::bad_alloc &) {
        why = {"no memory for the counters", "give the service more memory"};
    }
    if (failed)
        return -1;
    session->close(); /* its state is unknown; the next measurement opens a new one */
    for (int i = 1; i < work->points; i++)
        out[i] = {};
    counters_unavailable(out, why.remedy, "%s", why.reason);
    return 0;
}

#else /* CUPTI's headers were missing: there are no counters */
#include "kernels/device/counters_chips.h"
#include "kernels/device/device_counters.h"

static const char reason[] = "this program was built without CUPTI's headers";
static const char remedy[] = "build it where the CUDA toolkit has CUPTI, 12.6 or newer";

extern "C" counters_session *device_counters_new(void *, int)
{
    static char one;
    return (counters_session *)&one;
}

extern "C" void device_counters_free(counters_session *) {}

extern "C" int device_counters_measure(counters_session *, const counters_wanted *, const counters_work *work,
                                       counters *out, error *)
{
    for (int i = 0; i < work->points; i++)
        out[i] = {};
    counters_unavailable(out, remedy, "%s", reason);
    return 0;
}

extern "C" int counters_chips(const char *const **, int *, error *error)
{
    return error_set(error, ERROR_NOT_FOUND, "%s", reason);
}

extern "C" int counters_chips_plan(const char *, const counters_wanted *, counters *, error *error)
{
    return error_set(error, ERROR_NOT_FOUND, "%s", reason);
}
#endif
