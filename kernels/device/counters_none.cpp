/* What stands in for the counters where CUPTI's headers were missing. */
#ifndef COALESCED_HAVE_CUPTI
#include "kernels/device/device_counters.h"
#include "kernels/device/counters_chips.h"

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

extern "C" int counters_plan(const char *, const counters_wanted *, counters *, error *error)
{
    return error_set(error, ERROR_NOT_FOUND, "%s", reason);
}
#endif
