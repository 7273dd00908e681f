/* Plays CUPTI, without a device. It keeps to what the true one does with memory: the images of the last
   configuration are used until there is another one, so that a sanitizer sees who frees them too early. */
#include "tests/faults/fake_cupti.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <string>
#include <vector>

extern "C" fake_cupti fake_cupti;
struct fake_cupti fake_cupti;

struct CUpti_Profiler_Host_Object {
    std::vector<std::string> metrics;
    int adds;
};

static struct {
    const uint8_t *config;
    uint8_t *image;
    size_t image_size, passes, done, ranges;
    int launches; /* before the pass */
} state;
static size_t room; /* for so many ranges an image was made */
static char profiler;

static bool wants(const char *what)
{
    const char *how = getenv("FAKE_CUPTI");
    return how && strcmp(how, what) == 0;
}

/* Is it one of those that FAKE_CUPTI=<kind>TEXT is about? */
static bool concerns(const char *kind, const char *metric)
{
    const char *how = getenv("FAKE_CUPTI");
    return how && strncmp(how, kind, strlen(kind)) == 0 && strstr(metric, how + strlen(kind));
}

static void note(char what)
{
    size_t used = strlen(fake_cupti.log);
    if (used + 1 < sizeof fake_cupti.log)
        fake_cupti.log[used] = what;
}

extern "C" {

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
            : result == CUPTI_ERROR_HARDWARE_BUSY         ? "CUPTI_ERROR_HARDWARE_BUSY"
                                                          : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *)
{
    return wants("initialize") ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
    p->pChipName = "FAKE100";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *p)
{
    p->counterAvailabilityImageSize = 16;
    return wants("availability") ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES : CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
    p->pHostObject = new CUpti_Profiler_Host_Object{};
    fake_cupti.hosts++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
    delete p->pHostObject;
    fake_cupti.hosts--;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params *p)
{
    static const char *const names[] = {"FAKE100"};
    p->ppChipNames = names;
    p->numChips = 1;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params *p)
{
    return concerns("without:", p->pMetricName) ? CUPTI_ERROR_INVALID_METRIC_NAME : CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    for (size_t i = 0; i < p->numMetrics; i++)
        if (concerns("without:", p->ppMetricNames[i]) || !strchr(p->ppMetricNames[i], '.'))
            return CUPTI_ERROR_INVALID_PARAMETER;
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pHostObject->metrics.push_back(p->ppMetricNames[i]);
    p->pHostObject->adds++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
    p->configImageSize = 64;
    return CUPTI_SUCCESS;
}

/* Five metrics a pass; each call that added some begins passes of its own. */
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
    fake_cupti.adds += p->pHostObject->adds;
    p->pConfigImage[0] = (uint8_t)((p->pHostObject->metrics.size() + 4) / 5 + p->pHostObject->adds - 1);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
    p->numOfPasses = p->pConfigImage[0];
    return CUPTI_SUCCESS;
}

/* A metric's value is the length of its name, and 1000 more in each range. */
CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    if (wants("evaluate") || p->pCounterDataImage[0] != 1)
        return CUPTI_ERROR_UNKNOWN;
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pMetricValues[i] = concerns("nan:", p->ppMetricNames[i])
                                  ? NAN
                                  : (double)strlen(p->ppMetricNames[i]) + 1000 * (double)p->rangeIndex;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
    if (wants("enable"))
        return CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    if (wants("busy"))
        return CUPTI_ERROR_HARDWARE_BUSY;
    p->pRangeProfilerObject = (CUpti_RangeProfiler_Object *)&profiler;
    fake_cupti.enables++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *)
{
    state = {};
    fake_cupti.disables++;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
    room = p->maxNumOfRanges;
    p->counterDataSize = 128;
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
    memset(p->pCounterData, 0, p->counterDataSize);
    return CUPTI_SUCCESS;
}

#ifndef FAKE_CUPTI_OLD
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
    if (state.image)
        state.image[state.image_size - 1] = state.config[0];
    if (p->range != CUPTI_AutoRange || p->replayMode != CUPTI_UserReplay || p->maxRangesPerPass != room)
        return CUPTI_ERROR_INVALID_PARAMETER;
    /* The real one says nothing and goes on with the passes of the first. */
    if (state.config && state.config != p->pConfig)
        return CUPTI_ERROR_UNKNOWN;
    state = {p->pConfig, p->pCounterDataImage, p->counterDataImageSize, p->pConfig[0], 0, 0, 0};
    return CUPTI_SUCCESS;
}
#endif

CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *)
{
    note('S');
    state.launches = fake_cupti.launches;
    return wants("start") ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES : CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
    note('T');
    size_t ranges = (size_t)(fake_cupti.launches - state.launches);
    if (ranges > room || (state.done > 0 && ranges != state.ranges)) /* passes must be alike */
        return CUPTI_ERROR_UNKNOWN;
    state.ranges = ranges;
    p->isAllPassSubmitted = ++state.done >= state.passes && !wants("endless");
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
    note('D');
    p->numOfRangeDropped = wants("dropped");
    state.image[0] = !wants("dropped");
    return CUPTI_SUCCESS;
}

CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
    p->numTotalRanges = p->pCounterDataImage[0] ? state.ranges : 0;
    return CUPTI_SUCCESS;
}
}
