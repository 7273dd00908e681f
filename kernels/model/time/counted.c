#include "kernels/model/time/counted.h"

#include <math.h>

static double value_of(const struct counters *counters, const char *name)
{
    const struct counter *one = counters_find(counters, name);
    return one ? one->value : NAN;
}

static void shares_find(const struct counters *counters, const struct time_prediction *prediction,
                        double *share)
{
    const struct calibration *device = prediction->calibration;
    double duration_us = value_of(counters, "duration_us");
    double us = fmax(duration_us - prediction->ramp_us, duration_us / 2);
    double bytes = value_of(counters, "dram_read_bytes") + value_of(counters, "dram_write_bytes");
    double cycles = us * device->clock_khz * 1e-3 * device->sms;
    for (int i = 0; i < TIME_BOUNDS; i++)
        share[i] = NAN;
    share[TIME_DRAM] = bytes / (us * device->constant[CALIBRATION_BANDWIDTH].value * 1e3);
    share[TIME_ISSUE] =
        value_of(counters, "inst_executed") / (cycles * device->constant[CALIBRATION_ISSUE].value);
    share[TIME_ASK] = value_of(counters, COUNTED_L2) / 100;
    share[TIME_TAG] = value_of(counters, COUNTED_L1) / 100;
}

/* Do blocks wait for places? */
static bool fills_the_device(const struct time_prediction *p)
{
    return p->bound[TIME_LAUNCH].amount > p->blocks_per_sm * p->calibration->sms;
}

static enum counted_answer answer_of(struct counted_limiter *counted,
                                     const struct time_prediction *prediction)
{
    counted->busiest = TIME_DRAM;
    if (isnan(counted->share[TIME_DRAM]))
        return COUNTED_NO_CASE;
    for (int i = 0; i < TIME_BOUNDS; i++)
        if (counted->share[i] > counted->share[counted->busiest])
            counted->busiest = (enum time_bound)i;
    counted->limiter = counted->busiest;
    if (counted->share[counted->busiest] >= COUNTED_BUSY)
        return COUNTED_UNIT;
    if (isnan(counted->occupancy))
        return COUNTED_NO_CASE;
    bool sparse = counted->occupancy < COUNTED_SPARSE && fills_the_device(prediction);
    counted->limiter = sparse ? TIME_LAUNCH : TIME_LATENCY;
    if (sparse)
        return COUNTED_STARTS;
    bool all = !isnan(counted->share[TIME_ASK]) && !isnan(counted->share[TIME_TAG]);
    return all ? COUNTED_WAITS : COUNTED_OPEN;
}

/* Can what was counted be this bound's doing? */
static enum counted_agreement agreement_with(const struct counted_limiter *counted, enum time_bound bound)
{
    bool waits = bound == TIME_LATENCY || bound == TIME_LINES, open;
    switch (counted->answer) {
    case COUNTED_UNIT:
    case COUNTED_STARTS:
        return bound == counted->limiter ? COUNTED_AGREES : COUNTED_DIFFERS;
    case COUNTED_WAITS:
        return waits ? COUNTED_AGREES : COUNTED_DIFFERS;
    case COUNTED_OPEN:
        open = (bound == TIME_ASK || bound == TIME_TAG) && isnan(counted->share[bound]);
        return waits || open ? COUNTED_UNDECIDED : COUNTED_DIFFERS;
    default:
        return COUNTED_UNDECIDED;
    }
}

void counted_find(const struct counters *counters, double theoretical,
                  const struct time_prediction *prediction, struct counted_limiter *counted)
{
    shares_find(counters, prediction, counted->share);
    counted->occupancy = value_of(counters, "achieved_occupancy") / theoretical;
    counted->answer = answer_of(counted, prediction);
    counted->agreement = agreement_with(counted, prediction->limiter);
    if (prediction->close && counted->agreement == COUNTED_DIFFERS)
        counted->agreement = agreement_with(counted, prediction->second);
}
