/* The shares of each bound by the counters, and the decision. */
#include "kernels/time/counted.h"

#include <math.h>
#include <string.h>

/* Instructions that an SM of any architecture here can issue a cycle. */
static const double slots = 4;

/* The counter's value; NAN: not counted. fmax() ignores a NAN. */
static double value_of(const struct counters *counters, const char *name)
{
    const struct counter *one = counters_find(counters, name);
    return one ? one->value : NAN;
}

/* The inputs of the shares of one launch. */
struct counted_case {
    const struct counters *counters;
    const struct time_prediction *prediction;
    double duration_us, us; /* as counted; and without the ramp */
};

/* A metric of the whole duration, as a part of the time without the ramp. */
static double part_of(const struct counted_case *c, const char *metric)
{
    return value_of(c->counters, metric) / 100 * c->duration_us / c->us;
}

/* The share of DRAM's bytes, or of the way to it; that way's share is NAN as long as the crossbar's leaves
   open whether the slices are busy with it. */
static void dram_find(const struct counted_case *c, double crossbar, struct counted_limiter *counted)
{
    double bandwidth = c->prediction->calibration->constant[CALIBRATION_BANDWIDTH].value * 1e3;
    double bytes = value_of(c->counters, "dram_read_bytes") + value_of(c->counters, "dram_write_bytes");
    double moved = bytes / (c->us * bandwidth), slices = part_of(c, COUNTED_L2);
    bool more = slices >= COUNTED_WAY && slices > moved;
    counted->way = more && slices > crossbar;
    counted->share[TIME_DRAM] = counted->way ? slices : moved;
    counted->open[TIME_DRAM] = isnan(slices) || (more && isnan(crossbar));
}

/* Cycles of all SMs. */
static double sm_cycles(const struct counted_case *c)
{
    const struct calibration *device = c->prediction->calibration;
    return c->us * device->clock_khz * 1e-3 * device->sms;
}

/* The share of a bound, from what was counted. Bank conflicts of shared memory are the L1's, TIME_L1. */
static double issue_share(const struct counted_case *c)
{
    double issue = c->prediction->calibration->constant[CALIBRATION_ISSUE].value;
    double executed = value_of(c->counters, "inst_executed") / issue / sm_cycles(c);
    double units = fmax(part_of(c, COUNTED_PIPES), part_of(c, COUNTED_WORDS));
    return fmax(fmax(executed, part_of(c, COUNTED_ISSUED) * slots / issue), units);
}

static void shares_find(const struct counted_case *c, struct counted_limiter *counted)
{
    const struct time_prediction *p = c->prediction;
    double to = part_of(c, COUNTED_TO_L2), from = part_of(c, COUNTED_FROM_L2), crossbar = fmax(to, from);
    bool both = !isnan(to) && !isnan(from);
    bool few = strcmp(p->bound[TIME_L2].unit, time_unit_slice) == 0;
    double slice = few ? part_of(c, COUNTED_SLICE) : NAN;
    for (int i = 0; i < TIME_BOUNDS; i++) {
        counted->share[i] = NAN;
        counted->open[i] = false;
    }
    counted->share[TIME_LAUNCH] = p->bound[TIME_LAUNCH].us / c->us;
    dram_find(c, both ? crossbar : NAN, counted);
    counted->slice = !isnan(slice) && !(slice <= crossbar);
    counted->share[TIME_L2] = fmax(crossbar, slice);
    counted->open[TIME_L2] = !both || (few && isnan(slice));
    counted->share[TIME_L1] = part_of(c, COUNTED_L1);
    counted->open[TIME_L1] = isnan(counted->share[TIME_L1]);
    double conflicts = value_of(c->counters, "shared_bank_conflicts") / sm_cycles(c);
    if (conflicts >= COUNTED_BUSY) /* conflicts alone decide then; fewer say little about the L1 */
        counted->share[TIME_L1] = fmax(counted->share[TIME_L1], conflicts);
    counted->share[TIME_ISSUE] = issue_share(c);
    counted->open[TIME_ISSUE] = isnan(part_of(c, COUNTED_WORDS)) || isnan(part_of(c, COUNTED_PIPES));
}

/* True when the launch is too short for any unit to be busy enough, whatever limits it. */
static bool is_short(const struct counted_case *c)
{
    return c->prediction->floor_us + c->prediction->ramp_us > (1 - COUNTED_BUSY) * c->duration_us;
}

static enum counted_answer answer_of(const struct counted_case *c, struct counted_limiter *counted)
{
    bool open = false;
    if (isnan(counted->share[TIME_DRAM]))
        return COUNTED_NO_CASE;
    counted->busiest = TIME_DRAM;
    for (int i = 0; i < TIME_BOUNDS; i++) {
        open = open || counted->open[i];
        if (counted->share[i] > counted->share[counted->busiest])
            counted->busiest = (enum time_bound)i;
    }
    counted->limiter = counted->busiest;
    if (counted->share[counted->busiest] >= COUNTED_BUSY)
        return counted->busiest == TIME_LAUNCH ? COUNTED_STARTS : COUNTED_UNIT;
    counted->limiter = TIME_LATENCY;
    if (is_short(c))
        return COUNTED_SHORT;
    return open ? COUNTED_OPEN : COUNTED_WAITS;
}

/* True when what was counted is compatible with this bound. */
static enum counted_agreement agreement_with(const struct counted_limiter *counted, enum time_bound bound)
{
    bool waits = bound == TIME_LATENCY || bound == TIME_LINES;
    switch (counted->answer) {
    case COUNTED_UNIT:
    case COUNTED_STARTS:
        return bound == counted->limiter ? COUNTED_AGREES : COUNTED_DIFFERS;
    case COUNTED_WAITS:
        return waits ? COUNTED_AGREES : COUNTED_DIFFERS;
    case COUNTED_OPEN:
        return waits || counted->open[bound] ? COUNTED_UNDECIDED : COUNTED_DIFFERS;
    default:
        return COUNTED_UNDECIDED;
    }
}

void counted_find(const struct counters *counters, double theoretical,
                  const struct time_prediction *prediction, struct counted_limiter *counted)
{
    double duration_us = value_of(counters, "duration_us");
    struct counted_case c = {counters, prediction, duration_us,
                             fmax(duration_us - prediction->ramp_us, duration_us / 2)};
    shares_find(&c, counted);
    counted->occupancy = value_of(counters, "achieved_occupancy") / theoretical;
    counted->answer = answer_of(&c, counted);
    counted->agreement = agreement_with(counted, prediction->limiter);
    if (prediction->close && counted->agreement == COUNTED_DIFFERS)
        counted->agreement = agreement_with(counted, prediction->second);
}
