/* Boxes of blocks, and how they are narrowed. */
#include "ptx/coordinates.h"

unsigned coordinates_axes(const struct trace *trace)
{
    unsigned axes = 0;
    for (unsigned a = 0; a < AXES; a++)
        axes |= (unsigned)(trace->box.high[a] - trace->box.low[a] > 1) << a;
    return axes;
}

unsigned coordinates_steps(const struct trace *trace, const struct coordinates *value)
{
    unsigned axes = 0;
    for (unsigned a = 0; a < AXES; a++)
        axes |= (unsigned)(value->step[a] != 0) << a;
    return axes & coordinates_axes(trace);
}

unsigned coordinates_change(const struct trace *trace, const struct coordinates *value)
{
    return coordinates_steps(trace, value) | (value->deferred & coordinates_axes(trace));
}

void coordinates_pin(struct trace *trace, unsigned axes)
{
    for (unsigned a = 0; a < AXES; a++)
        if (axes >> a & 1)
            trace->box.high[a] = trace->box.low[a] + 1;
}

/* The outcome at the first block stays. Each axis is cut where it would change, with the axes before it at their worst,
   as in tracer::negative() of kernels/model. */
void coordinates_keep_sign(struct trace *trace, coordinates_wide value, const int64_t step[AXES])
{
    bool negative = value < 0;
    coordinates_wide worst = negative ? value : -1 - value; /* stays below 0 */
    for (unsigned a = 0; a < AXES; a++) {
        coordinates_wide by = negative ? step[a] : -(coordinates_wide)step[a];
        coordinates_wide span = (coordinates_wide)trace->box.high[a] - 1 - trace->box.low[a];
        if (by <= 0 || span == 0)
            continue;
        if (worst + by * span >= 0) {
            span = (-1 - worst) / by;
            trace->box.high[a] = trace->box.low[a] + (uint32_t)span + 1;
        }
        worst += by * span;
    }
}

bool coordinates_keep_range(struct trace *trace, const coordinates_wide *value, uint32_t mask,
                            const int64_t step[AXES], coordinates_wide least, coordinates_wide most)
{
    coordinates_wide low = 0, high = 0;
    bool first = true;
    for (uint32_t left = mask; left; left &= left - 1) {
        coordinates_wide v = value[__builtin_ctz(left)];
        low = first || v < low ? v : low;
        high = first || v > high ? v : high;
        first = false;
    }
    if (first)
        return true;
    if (low < least || high > most)
        return false;
    coordinates_keep_sign(trace, low - least, step);
    int64_t back[AXES];
    for (unsigned a = 0; a < AXES; a++)
        back[a] = (int64_t)(0 - (uint64_t)step[a]);
    coordinates_keep_sign(trace, most - high, back);
    return true;
}
