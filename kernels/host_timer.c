#include "kernels/host_timer.h"

#include "base/clock.h"
#include "kernels/timing.h"

int host_time(const struct device_kind *kind, struct device *device, const struct run *run, double *us,
              struct error *error)
{
    int64_t begin_ns = clock_monotonic_ns();
    int status = kind->launch(device, run, error);
    *us = (double)(clock_monotonic_ns() - begin_ns) / 1e3;
    return status;
}

int host_time_all(const struct device_kind *kind, struct device *device, const struct run *run,
                  double max_seconds, struct host_times *times, struct error *error)
{
    double us[HOST_TIMER_LAUNCHES];
    struct series series = {.us = us, .room = HOST_TIMER_LAUNCHES};
    struct timing timing;
    int64_t deadline_ns = clock_monotonic_ns() + (int64_t)(max_seconds * 1e9);
    do
        if (host_time(kind, device, run, &us[series.count++], error) < 0)
            return -1;
    while (series.count < HOST_TIMER_LAUNCHES && clock_monotonic_ns() < deadline_ns);
    if (timing_summarise(&timing, &series, 0, 0, error) < 0)
        return -1;
    times->samples = timing.samples;
    times->median_us = timing.median_us;
    times->min_us = timing.min_us;
    return 0;
}
