#include "client/terminal/axis.h"

#include <math.h>
#include <stdio.h>

#include "client/terminal/number.h"

void axis_take(struct axis *axis, double value)
{
    if (!isfinite(value))
        return;
    axis->least = fmin(axis->least, value);
    axis->most = fmax(axis->most, value);
    axis->whole = axis->whole && value == floor(value);
}

void axis_widen(struct axis *axis)
{
    double room = axis->most > axis->least ? (axis->most - axis->least) * 0.06 : fabs(axis->most) * 0.05;
    if (!(room > 0))
        room = 1;
    bool positive = axis->least >= 0;
    axis->least -= room;
    axis->most += room;
    if (positive && axis->least < axis->most * 0.1)
        axis->least = 0;
}

void axis_choose_scale(struct axis *axis)
{
    if (axis->most <= axis->least) {
        axis->least -= 1;
        axis->most += 1;
    }
    axis->powers = axis->least > 0 && axis->most / axis->least >= 64;
}

int axis_place(const struct axis *axis, double value, int last)
{
    double from = axis->least, to = axis->most;
    if (axis->powers) {
        from = log2(from);
        to = log2(to);
        value = log2(value);
    }
    double place = (value - from) / (to - from) * last;
    return place < 0 ? 0 : place > last ? last : (int)lround(place);
}

static int power_ticks(const struct axis *axis, int wanted, double *ticks, int room)
{
    double first = ceil(log2(axis->least) - 1e-9), last = floor(log2(axis->most) + 1e-9);
    double step = fmax(1, ceil((last - first) / wanted));
    int count = 0;
    for (double at = first; at <= last && count < room; at += step)
        ticks[count++] = exp2(at);
    return count;
}

int axis_ticks(const struct axis *axis, int wanted, double *ticks, int room)
{
    if (axis->powers)
        return power_ticks(axis, wanted, ticks, room);
    double raw = (axis->most - axis->least) / wanted, power = pow(10, floor(log10(raw))), step = power;
    static const double rounds[] = {1, 2, 5, 10};
    for (int i = 0; i < 4; i++) {
        step = rounds[i] * power;
        if (step >= raw * 0.999)
            break;
    }
    if (axis->whole && step < 1)
        step = 1;
    int count = 0;
    for (double at = ceil(axis->least / step - 1e-9); at * step <= axis->most + step * 1e-9 && count < room;
         at++)
        ticks[count++] = at * step;
    return count;
}

void axis_label(char *text, double value)
{
    double whole = log2(value);
    if (value >= 1024 && whole == floor(whole))
        snprintf(text, NUMBER_BYTES, "2^%.0f", whole);
    else
        snprintf(text, NUMBER_BYTES, "%.6g", value + 0.0);
}
