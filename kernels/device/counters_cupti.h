/* The functions of CUPTI that are used here, found at run time, and its errors as text. */
#pragma once

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#define CUPTI_FUNCTIONS(X)                                                                                   \
    X(cuptiGetResultString)                                                                                  \
    X(cuptiDeviceGetChipName)                                                                                \
    X(cuptiProfilerInitialize)                                                                               \
    X(cuptiProfilerGetCounterAvailability)                                                                   \
    X(cuptiProfilerHostInitialize)                                                                           \
    X(cuptiProfilerHostDeinitialize)                                                                         \
    X(cuptiProfilerHostGetSupportedChips)                                                                    \
    X(cuptiProfilerHostGetMetricProperties)                                                                  \
    X(cuptiProfilerHostConfigAddMetrics)                                                                     \
    X(cuptiProfilerHostGetConfigImageSize)                                                                   \
    X(cuptiProfilerHostGetConfigImage)                                                                       \
    X(cuptiProfilerHostGetNumOfPasses)                                                                       \
    X(cuptiProfilerHostEvaluateToGpuValues)                                                                  \
    X(cuptiRangeProfilerEnable)                                                                              \
    X(cuptiRangeProfilerDisable)                                                                             \
    X(cuptiRangeProfilerGetCounterDataSize)                                                                  \
    X(cuptiRangeProfilerCounterDataImageInitialize)                                                          \
    X(cuptiRangeProfilerSetConfig)                                                                           \
    X(cuptiRangeProfilerStart)                                                                               \
    X(cuptiRangeProfilerStop)                                                                                \
    X(cuptiRangeProfilerDecodeData)                                                                          \
    X(cuptiRangeProfilerGetCounterDataInfo)

struct cupti {
    void *library;
#define X(name) decltype(&::name) name;
    CUPTI_FUNCTIONS(X)
#undef X
};

/* Why there are no counters, and what to do about it. */
struct cupti_refusal {
    char reason[256];
    const char *remedy;
};

/* False: refused. A library stays open, because it may have threads of its own. */
bool cupti_open(cupti *lib, cupti_refusal *why);

/* True when the code is success. `step` is the purpose of the call: "starting a pass". */
bool cupti_ok(const cupti &lib, CUptiResult code, const char *step, cupti_refusal *why);

/* Declares a zeroed structure of parameters with its size set. */
#define CUPTI_PARAMS(type, name)                                                                             \
    type##_Params name = {};                                                                                 \
    name.structSize = type##_Params_STRUCT_SIZE
